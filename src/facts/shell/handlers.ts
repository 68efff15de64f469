/**
 * The commands that we know something about, by name. Neighbours: `commands.ts` asks; each list stands in the file of
 * its kind. A name that is in several does what the last of them says.
 */
import { BUILTINS } from './builtins.ts'
import type { Handler } from './machine.ts'
import { PRODUCERS } from './producers.ts'
import { RUNNERS } from './runners.ts'
import { SHELL_HANDLERS } from './shells.ts'
import { WRAPPERS } from './wrappers.ts'

export const HANDLERS: ReadonlyMap<string, Handler> = new Map([
  ...WRAPPERS,
  ...RUNNERS,
  ...BUILTINS,
  ...PRODUCERS,
  ...SHELL_HANDLERS,
])
