/**
 * Policies that somebody writes while the gateway runs: YAML → policies, or every mistake with its place in that text.
 * Neighbours: `policies.ts` makes them as it does those of a config; the API checks by this as people type, and
 * `policy-edits.ts` puts edits in force by it. The text comes from elsewhere: it may name no file and no variable but those
 * of the entry that it replaces, so that it can neither run nor show anything of this machine.
 */
import { Lexer } from 'yaml'
import { nearest } from '../base/nearest.ts'
import { matches } from '../base/star-pattern.ts'
import type { Placed } from './collections.ts'
import { refuse, type Reading, type Spot } from './field.ts'
import type { ConfigNode, Place } from './node.ts'
import { createNotes, type Mistaken, type Notes } from './notes.ts'
import { parseYaml } from './parse.ts'
import { draftPolicy, toPolicies } from './policies.ts'
import { noteUnmatched, type Nameable } from './policy-selectors.ts'
import { toVariableText, variableTextsIn } from './policy-source.ts'
import type { PolicySettings, PolicySource, Settings } from './settings.ts'
import { policyList, type RawPolicy } from './shape-policy.ts'

/** What is around the policies: they may name it, and nothing else. */
export interface Surroundings extends Nameable {
  /** By their names. */
  readonly upstreams: readonly string[]
  /** The entry of the config that they take the place of: its variables may stay as they are. */
  readonly base?: PolicySource | undefined
  /** It must be one policy alone, of this name; without a name it must say one itself. */
  readonly only?: { readonly name?: string | undefined }
  /** It was checked when it was written: keys, routes and upstreams that have gone since are not missed. */
  readonly isKnown?: boolean
}

export interface ReadPolicies {
  readonly policies: readonly PolicySettings[]
  /** In the order of the text, one for each place. */
  readonly mistakes: readonly Mistaken[]
}

/** A person's text is far shorter; this is checked while they type. */
export const MAX_POLICY_TEXT = 256 * 1024

/** More than any entry nests. */
const MAX_OPEN = 32
/** About eight stand in a line: five thousand lines. */
const MAX_TOKENS = 40_000

export const surroundingsOf = (
  { keys, routes, upstreams }: Settings,
  more: Pick<Surroundings, 'base' | 'only' | 'isKnown'> = {},
): Surroundings => ({
  keys: keys.map(({ name }) => name),
  routes,
  upstreams: upstreams.map(({ name }) => name),
  ...more,
})

export function readPolicies(text: string, around: Surroundings): ReadPolicies {
  const notes = createNotes('policies.yaml')
  const reading: Reading = {
    env: around.base?.env() ?? {},
    notes,
    readFile: (_path, spot) => refuse(spot, reading, NO_FILES),
  }
  const done = (policies: readonly PolicySettings[]): ReadPolicies => {
    const mistakes = onceEach(notes.mistakes())
    return { policies: mistakes.length > 0 ? [] : policies, mistakes }
  }
  if (text.length > MAX_POLICY_TEXT) {
    notes.mistake(START, '', `this is longer than ${MAX_POLICY_TEXT} characters`)
    return done([])
  }
  findTooMuch(text, notes)
  if (notes.hasMistakes) return done([])
  const root = parseYaml(text, notes)
  const spot = root === undefined ? undefined : findList(root)
  if (spot === undefined) {
    if (!notes.hasMistakes) notes.mistake(root?.place ?? START, '', NO_LIST)
    return done([])
  }
  return done(toSettings(spot, text, { around, reading }))
}

const START = { line: 1, column: 1 }
const NO_FILES = 'no file can be named here: only a config on the machine itself can'
const NO_LIST =
  'there is no policy here: write a list of them, as in "- use: rules", or a config with "policies"'

/** A list, one entry alone, or a config of which all else is left aside. */
function findList(root: ConfigNode): Spot | undefined {
  const of = (node: ConfigNode): Spot => ({ node, path: 'policies', keyPlace: node.place })
  if (root.kind !== 'map') return of(root)
  const under = root.entries.find(({ key }) => key === 'policies')
  if (under !== undefined) return of(under.value)
  const { place, size } = root
  const isEntry = root.entries.some(({ key }) => key === 'use')
  return isEntry ? of({ kind: 'list', place, size: size + 1, items: [root] }) : undefined
}

interface Room {
  readonly around: Surroundings
  readonly reading: Reading
}

function toSettings(
  spot: Spot,
  text: string,
  { around, reading }: Room,
): readonly PolicySettings[] {
  const { notes } = reading
  refuseVariables(spot, around, reading)
  const list = policyList.read(spot, reading) ?? []
  if (around.only !== undefined) checkOnly(spot, list, { around, reading })
  const drafts = list.flatMap(({ value: raw }) => {
    if (raw.source.type === 'file') return refuse(raw.useSpot, reading, ONLY_STOCK) ?? []
    if (raw.use === 'judge' && around.isKnown !== true) checkJudge(raw, { around, reading })
    const source = { text, file: 'policies.yaml' }
    const parts = { folder: '/', toName: (name: string) => name, source, addFiles: () => {} }
    return draftPolicy(raw, parts, reading)
  })
  if (!notes.hasMistakes && around.isKnown !== true) noteUnmatched(around, drafts, reading)
  // Stock policies are there at once.
  const results = drafts.map((draft) => {
    const result = draft.start()
    return result instanceof Promise ? { type: 'wrong' as const, sentences: [ONLY_STOCK] } : result
  })
  return toPolicies(drafts, results, reading)
}

const ONLY_STOCK =
  'only stock policies can be written here: name a policy file in the config, on the machine where it is'

/** A text with a variable shows a piece of the environment: those that the config wrote may stay where they are. */
function refuseVariables({ node }: Spot, { base }: Surroundings, reading: Reading): void {
  const known = new Set(base?.variableTexts)
  const entries = node.kind === 'list' ? node.items : [node]
  for (const found of entries.flatMap((entry) => variableTextsIn(entry)))
    if (!known.has(toVariableText(found.path, found.value)))
      reading.notes.mistake(
        found.node.place,
        '',
        known.size === 0
          ? 'no variable can stand here: write what is meant, or write it in the config file'
          : 'a text with a variable can stay as the config has it, or go: write others in the config file',
      )
}

/** An edit takes the place of one policy. */
function checkOnly(
  spot: Spot,
  list: readonly Placed<RawPolicy>[],
  { around: { only }, reading }: Room,
): void {
  const count = spot.node.kind === 'list' ? spot.node.items.length : 1
  const [first, second] = list
  if (count !== 1) refuse(second?.spot ?? spot, reading, 'one policy alone can be written here')
  if (count !== 1 || first === undefined) return
  const { common, spots, source, useSpot } = first.value
  if (source.type === 'stock' && source.entry.makeShadows !== undefined)
    refuse(useSpot, reading, 'this stands for several policies: write it in the config file')
  if (only?.name === undefined && common.name === undefined)
    refuse(first.value.spot, reading, 'name is missing: what it is called in records and logs')
  if (only?.name !== undefined && spots.name !== undefined && common.name !== only.name)
    refuse(spots.name, reading, `it is called "${only.name}", and its name must stay`)
}

/** A judge asks a model that is there; another would deny everything. */
function checkJudge({ source }: RawPolicy, { around, reading }: Room): void {
  if (source.type !== 'stock') return
  const { values, spots } = source.own
  const upstream = values['upstream']
  if (typeof upstream === 'string' && spots['upstream'] !== undefined) {
    if (around.upstreams.includes(upstream)) return
    refuse(spots['upstream'], reading, noneOf('upstream', upstream, around.upstreams))
    return
  }
  for (const { value, spot } of (values['model'] ?? []) as readonly Placed<string>[])
    if (!around.routes.some(({ model }) => matches(model, value)))
      refuse(spot, reading, 'no route takes this model: name one that a client could ask for')
}

function noneOf(noun: string, name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return `there is no ${noun} of this name: there are ${names.slice(0, 20).join(', ')}${hint}`
}

/** Before anything is built of it: to read what is only brackets or quotes takes seconds. */
function findTooMuch(text: string, notes: Notes): void {
  let offset = 0
  let count = 0
  let open = 0
  for (const token of new Lexer().lex(text)) {
    count += 1
    if (token === '[' || token === '{') open += 1
    else if (token === ']' || token === '}') open -= 1
    if (open > MAX_OPEN) return notes.mistake(placeOf(text, offset), '', 'this is nested too deep')
    if (count > MAX_TOKENS)
      return notes.mistake(
        placeOf(text, offset),
        '',
        'these are too many values from here on: write them in the config file',
      )
    // Marks of the lexer itself, which do not stand in the text.
    if (!MARKS.has(token)) offset += token.length
  }
}

const MARKS: ReadonlySet<string> = new Set(['\u0002', '\u0018', '\u001F', '\uFEFF'])

function placeOf(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** One place has one mistake: what follows from it is not told. */
function onceEach(mistakes: readonly Mistaken[]): readonly Mistaken[] {
  const seen = new Set<string>()
  return mistakes.filter(({ place }) => {
    const key = `${place.line}:${place.column}`
    return seen.has(key) ? false : seen.add(key)
  })
}
