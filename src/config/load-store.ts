/**
 * Where the records are, as a config file says it, and nothing else of it: commands that look at the past need no
 * upstream's key, and run nobody's policies. Neighbours: `load.ts` reads the whole file, `records.ts` has the settings.
 */
import { dirname, resolve } from 'node:path'
import type { Reading } from './field.ts'
import { findConfig, readConfigText, toName, type LoadOptions } from './load.ts'
import type { ConfigNode } from './node.ts'
import { createNotes } from './notes.ts'
import { parseYaml } from './parse.ts'
import { toStore } from './records.ts'
import type { StoreSettings } from './settings.ts'
import { config as shape } from './shape.ts'

const KEYS = new Set(['record', 'store'])
const START = { line: 1, column: 1 }

/** Mistakes of these two keys are errors as ever; what is wrong elsewhere is not looked at. */
export function loadStore({ file, env, cwd }: Omit<LoadOptions, 'text'>): StoreSettings {
  const found = file ?? findConfig(cwd)
  const path = found === undefined ? undefined : resolve(cwd, found)
  const name = path === undefined ? '' : toName(path, cwd)
  const notes = createNotes(name)
  const text = path === undefined ? '' : readConfigText(path, name, notes)
  const root = text === undefined ? undefined : parseYaml(text, notes)
  if (notes.hasMistakes) throw notes.toError()
  const node = withOnly(root ?? EMPTY)
  // Neither of the two names a file that is read.
  const reading: Reading = { env, notes, readFile: () => undefined }
  const config = shape.read({ node, path: '', keyPlace: START }, reading)
  const folder = path === undefined ? cwd : dirname(path)
  const settings = config === undefined ? undefined : toStore(config, folder, reading)
  if (notes.hasMistakes || settings === undefined) throw notes.toError()
  return settings
}

const EMPTY: ConfigNode = { kind: 'map', place: START, size: 1, entries: [] }

const withOnly = (node: ConfigNode): ConfigNode =>
  node.kind === 'map' ? { ...node, entries: node.entries.filter(({ key }) => KEYS.has(key)) } : node
