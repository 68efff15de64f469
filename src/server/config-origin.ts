/**
 * Where the settings come from that a gateway runs with: the file as it was read, and what a command line says over it.
 * Neighbours: `service.ts` makes one at the start and at each reload, `config-view.ts` shows it. A program that starts a
 * gateway with settings of its own has none.
 */
import { effectiveValues } from '../config/effective.ts'
import type { Config } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { ConfigSource } from '../config/source.ts'

export interface ConfigOrigin {
  /** Absolute; `undefined`: there is none, and the demo answers. */
  readonly file: string | undefined
  readonly source: ConfigSource | undefined
  /** Milliseconds since 1970. */
  readonly readAt: number
  readonly warnings: readonly string[]
  /** What was read and does not hold yet, a sentence each. */
  readonly notes: readonly string[]
  /** Paths of what the command line says. */
  readonly flags: ReadonlySet<string>
}

/** `settings`: those of the config, with what the command line says. */
export function toOrigin(
  config: Config,
  settings: Settings,
  { readAt, notes = [] }: { readonly readAt: number; readonly notes?: readonly string[] },
): ConfigOrigin {
  const { file, source, warnings } = config
  const read = new Map(effectiveValues(config.settings).map(({ path, value }) => [path, value]))
  // What the file leaves out and a command fills in is a default, and no flag.
  const changed = effectiveValues(settings).filter(
    ({ path, value }) => read.has(path) && String(read.get(path)) !== String(value),
  )
  return { file, source, readAt, warnings, notes, flags: new Set(changed.map(({ path }) => path)) }
}
