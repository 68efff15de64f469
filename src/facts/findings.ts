/**
 * What has been found out about one call so far: commands, pipes and files go in, `CallFacts` come out. It counts
 * what it is given, so that no input makes more work than its limits. Neighbours: `read-facts.ts` makes one per
 * call; `shell/*`, `patch.ts` and `code.ts` fill it.
 */
import type { CallFacts, ShellCommand } from './facts.ts'
import { homeOf, isInside, isRooted, resolvePath } from './paths.ts'

export type FileUse = 'read' | 'written' | 'deleted'

/** A shell text over this is not read. */
export const MAX_TEXT = 256 * 1024
/** All texts of one call together, those that stand in others included. */
const MAX_READ = 8 * MAX_TEXT
const MAX_COMMANDS = 1000
const MAX_WORDS = 50_000
const MAX_LETTERS = 8 * MAX_TEXT
const MAX_FILES = 2000
const MAX_PIPES = 200

export interface Findings {
  readonly workspace: string
  /** The call runs a command. Of several texts, all stand in the facts, a line each. */
  use(text: string): void
  command(command: ShellCommand): void
  pipe(names: readonly string[]): void
  /** A path as `resolvePath` gave it back. */
  file(use: FileUse, path: string): void
  /** Something is only known when it runs. */
  markOpaque(): void
  /** Something could not be read: what is found is not all there is. */
  markUnread(): void
  /** Whether that many more words, and letters in them, may still be looked at. */
  spendWords(count: number, letters?: number): boolean
  spendText(length: number): boolean
  /** Whether there is no use in reading on. */
  isSpent(): boolean
  toFacts(): CallFacts
}

export function createFindings(folder: string): Findings {
  const workspace = folder === '' ? '' : resolvePath('', folder)
  const texts: string[] = []
  const commands: ShellCommand[] = []
  const pipes = new Map<string, readonly string[]>()
  const files = { read: new Set<string>(), written: new Set<string>(), deleted: new Set<string>() }
  let isUsed = false
  let isParsed = true
  let isOpaque = false
  let words = 0
  let letters = 0
  let read = 0

  /** What is not read is not known either. */
  function markUnread(): void {
    isParsed = false
    isOpaque = true
  }

  function within(isWithin: boolean): boolean {
    if (!isWithin) markUnread()
    return isWithin
  }

  return {
    workspace,
    use(text) {
      isUsed = true
      if (text !== '') texts.push(text)
    },
    command(command) {
      if (within(commands.length < MAX_COMMANDS)) commands.push(command)
    },
    pipe(names) {
      if (within(pipes.size < MAX_PIPES)) pipes.set(names.join('|'), names)
    },
    file(use, path) {
      if (path !== '' && within(files[use].size < MAX_FILES)) files[use].add(path)
    },
    markOpaque() {
      isOpaque = true
    },
    markUnread,
    spendWords(count, more = 0) {
      words += count
      letters += more
      return within(words <= MAX_WORDS && letters <= MAX_LETTERS && commands.length < MAX_COMMANDS)
    },
    spendText(length) {
      read += length
      return within(length <= MAX_TEXT && read <= MAX_READ)
    },
    isSpent: () => words > MAX_WORDS || letters > MAX_LETTERS || commands.length >= MAX_COMMANDS,
    toFacts: () => ({
      shell: {
        isUsed,
        text: texts.join('\n'),
        commands,
        pipes: [...pipes.values()],
        isParsed,
        isOpaque,
      },
      files: {
        read: [...files.read],
        written: [...files.written],
        deleted: [...files.deleted],
        outside:
          workspace === ''
            ? []
            : [...new Set([...files.read, ...files.written, ...files.deleted])].filter(
                (path) => !isWithin(workspace, path),
              ),
        workspace,
      },
    }),
  }
}

/** Ends of the world that programs read and write without any harm. */
const DEVICES = new Set([
  '/dev/null',
  '/dev/stdin',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/tty',
  '/dev/zero',
  '/dev/random',
  '/dev/urandom',
])

/** What cannot be shown to lie inside counts as outside: a path that begins with `$X`, or in a folder not known. */
function isWithin(workspace: string, path: string): boolean {
  if (DEVICES.has(path)) return true
  if (!isRooted(path)) return false
  const home = homeOf(workspace)
  const whole =
    home !== '' && /^~(?:\/|$)/.test(path) ? resolvePath('', home + path.slice(1)) : path
  return isInside(workspace, whole)
}
