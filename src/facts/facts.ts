/**
 * What a tool call would do, whoever calls it by whatever name: the commands it runs and the files it touches. One
 * rule covers Claude Code's `Bash`, Codex's `exec` and an SDK's `run_command`. Neighbours: `read-facts.ts` finds them
 * out, `stock/rules` asks. Knows no wire.
 */

export interface CallFacts {
  readonly shell: ShellFacts
  readonly files: FileFacts
}

export interface ShellFacts {
  /** Whether the call runs a command at all. */
  readonly isUsed: boolean
  /** The command as it was given; empty where there is none. */
  readonly text: string
  /** Every simple command in it, also those inside `bash -c`, `sudo`, `xargs`, `$(…)`, `find -exec`, loops, … */
  readonly commands: readonly ShellCommand[]
  /** The names of the commands of each pipeline with more than one: `[["curl", "sh"]]`. */
  readonly pipes: readonly (readonly string[])[]
  /** False when the text is no shell that we can read: rules on commands cannot be trusted then. */
  readonly isParsed: boolean
  /** Whether some command, or part of one, is only known when it runs: `$CMD`, `eval "$x"`, a decoded script. */
  readonly isOpaque: boolean
}

export interface ShellCommand {
  /** The program without its folder: `rm` for `/bin/rm`. Empty where it is only known when it runs. */
  readonly name: string
  /** As it was written. */
  readonly path: string
  /** All words behind the name, unquoted. */
  readonly args: readonly string[]
  /** Words that begin with a dash; `-rf` stands as itself and as `-r` and `-f`, `--a=b` as itself and as `--a`. */
  readonly flags: readonly string[]
  /** Words that are not flags, made absolute where the workspace is known. */
  readonly paths: readonly string[]
  /** Files that it is redirected to or from. */
  readonly redirects: readonly { readonly op: string; readonly path: string }[]
  /** Whether it runs as another user: `sudo`, `doas`, `su -c`. */
  readonly isElevated: boolean
  /** Name, and what follows it, joined with spaces. */
  readonly text: string
}

/** Absolute, with `.` and `..` resolved, where the workspace is known; else as they were written. */
export interface FileFacts {
  readonly read: readonly string[]
  readonly written: readonly string[]
  readonly deleted: readonly string[]
  /** All of them that lie outside of the workspace; empty where that is not known. */
  readonly outside: readonly string[]
  /** The folder that the agent works in, where the request tells; else empty. */
  readonly workspace: string
}
