/**
 * What a person allowed, taken out of the facts before any rule sees them: so the rules need no exceptions. Neighbours:
 * `../coding-agent.ts` puts it before the rules.
 */
import type { RE2JS } from 're2js'
import type { CallFacts, ShellCommand } from '../../facts/facts.ts'

export interface Allowed {
  readonly paths: readonly RE2JS[]
  readonly commands: readonly RE2JS[]
}

export function withoutAllowed(facts: CallFacts, { paths, commands }: Allowed): CallFacts {
  if (paths.length === 0 && commands.length === 0) return facts
  const isKept = (path: string): boolean => !paths.some((glob) => glob.test(path))
  const { shell, files } = facts
  const kept = shell.commands.filter(({ text }) => !commands.some((glob) => glob.test(text)))
  const isAllAllowed = kept.length === 0 && shell.commands.length > 0 && shell.isParsed
  return {
    shell: {
      ...shell,
      commands: kept.map((command) => withoutPaths(command, isKept)),
      // Every command was allowed as it stands, whatever else could be said of the whole.
      ...(isAllAllowed ? { pipes: [], isOpaque: false, text: '' } : {}),
    },
    files: {
      ...files,
      read: files.read.filter(isKept),
      written: files.written.filter(isKept),
      deleted: files.deleted.filter(isKept),
      outside: files.outside.filter(isKept),
    },
  }
}

const withoutPaths = (command: ShellCommand, isKept: (path: string) => boolean): ShellCommand => ({
  ...command,
  paths: command.paths.filter(isKept),
  redirects: command.redirects.filter(({ path }) => isKept(path)),
})
