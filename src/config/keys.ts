/**
 * Keys: how one is made and hashed, and keys as they were read → settings. Neighbours: `shape-key.ts`
 * reads them, `server/` compares hashes, `sluice keys` makes new ones.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Reading, Spot } from './field.ts'
import type { KeySettings } from './settings.ts'
import type { RawConfig, RawKey } from './shape.ts'

/** A fresh key: 32 random bytes, so that one round of SHA-256 is enough to keep it. */
export const createKey = (): string => `slc_${randomBytes(32).toString('base64url')}`

/** SHA-256 of a key, in hex: all that is kept of it. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex')

/** @public The compiler must be able to name it in what this file exports. */
export interface NamedKey {
  readonly name: string
  readonly spot: Spot
  readonly key: RawKey
}

export function toKeys(config: RawConfig, reading: Reading): readonly KeySettings[] {
  const keys = namedKeys(config).flatMap((one) => toKey(one, reading) ?? [])
  noteTwins(keys, reading)
  return keys.map(({ settings }) => settings)
}

/** Keys stand in a list with their names, or in a map by name. */
export function namedKeys(config: RawConfig): readonly NamedKey[] {
  return (config.values.keys ?? []).flatMap((one): NamedKey[] => {
    if ('name' in one) return [{ name: one.name, spot: one.spot, key: one.value }]
    const { name } = one.value.values
    const spot = one.value.spots.name ?? one.spot
    return name === undefined ? [] : [{ name, spot, key: one.value }]
  })
}

interface BuiltKey {
  readonly spot: Spot
  readonly settings: KeySettings
}

function toKey({ name, spot, key }: NamedKey, reading: Reading): BuiltKey | undefined {
  const { values, spots } = key
  const wrong = (sentence: string): void =>
    reading.notes.mistake(key.spot.keyPlace, key.spot.path, sentence)
  if (spots.hash === undefined && spots.key === undefined)
    wrong('hash is missing: "sluice keys new NAME" prints a key and its hash')
  if (spots.hash !== undefined && spots.key !== undefined)
    wrong('it has a hash and a key: remove one of them')
  if (values.key?.hasVariables === false && spots.key !== undefined)
    reading.notes.warning(
      spots.key.keyPlace,
      spots.key.path,
      'the key stands in the file for all to read: keep only its hash there, or read it from a variable as in ${TEAM_KEY}',
    )
  const hash = values.hash ?? (values.key === undefined ? undefined : hashKey(values.key.text))
  if (hash === undefined) return undefined
  const { per, tokens } = values.budget?.values ?? {}
  const settings: KeySettings = {
    name,
    hash,
    models: values.models?.map(({ value }) => value),
    rate: values.rate,
    budget: per === undefined || tokens === undefined ? undefined : { tokens, per },
    concurrent: values.concurrent,
  }
  return { spot, settings }
}

/** Two keys of one name could not be told apart in logs, and of two with one hash only one counts. */
function noteTwins(keys: readonly BuiltKey[], reading: Reading): void {
  const names = new Map<string, Spot>()
  const hashes = new Map<string, Spot>()
  for (const { spot, settings } of keys) {
    const note = (before: Spot, what: string): void =>
      reading.notes.mistake(
        spot.keyPlace,
        spot.path,
        `${what} is there already, in line ${before.keyPlace.line}`,
      )
    const sameName = names.get(settings.name)
    if (sameName !== undefined) note(sameName, 'a key of this name')
    const sameHash = hashes.get(settings.hash)
    if (sameHash !== undefined) note(sameHash, 'the same key')
    names.set(settings.name, spot)
    hashes.set(settings.hash, spot)
  }
}
