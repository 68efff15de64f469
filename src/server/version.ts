/** The version of this package, from the one place that says it. */
import { readFileSync } from 'node:fs'

interface Manifest {
  readonly version: string
}

// Both src/server/ and dist/server/ stand two folders below it.
const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as Manifest

export const VERSION = manifest.version
