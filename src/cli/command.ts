/**
 * The contract of a command: one file each. Neighbours: `main.ts` has the list.
 */
import type { Output } from './output.ts'

export interface Streams {
  readonly out: Output
  readonly err: Output
}

export interface Command {
  readonly help: string
  /** Looks for `--help` itself: what follows its own options belongs to somebody else. */
  readonly ownHelp?: boolean
  /** 0 done, 1 what was looked at is not right, 2 wrong use or unreadable input (as a SluiceError). */
  run(argv: readonly string[], streams: Streams): Promise<number>
}
