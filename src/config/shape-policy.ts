/**
 * The shape of one policy: the keys that all have, and behind `use` either those of a stock policy or whatever a
 * file of the person's own takes. Neighbours: `shape.ts` has the rest, `stock.ts` the stock policies, `policies.ts`
 * builds settings from it.
 */
import { oneOrMany } from './collections.ts'
import {
  fill,
  HAS_VARIABLE,
  refuse,
  refuseKind,
  takes,
  type Field,
  type Reading,
  type Spot,
} from './field.ts'
import { time } from './number.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { noteMissing, section, toSpot, type Section, type Shape } from './section.ts'
import { checkName, HOUR } from './shape-upstream.ts'
import { STOCK } from './stock.ts'
import { choice, flag, isNo, isText, text } from './text.ts'

/** What `use` of a policy that is no stock one looks like. */
const FOREIGN = '/'
const STOCK_NAMES = Object.keys(STOCK)

const patterns = (noun: string) =>
  oneOrMany(text({ takes: `the name of a ${noun}`, maxLength: 256 }), {
    min: 1,
    max: 100,
    takes: `the name of a ${noun}, or a list`,
  })

const USE = 'A stock policy, or the path of a .ts, .js or .mjs file, as in ./policies/mine.ts'

const use: Field<string> = {
  ...text({ takes: 'the name of a stock policy or a path', maxLength: 1024 }),
  schema: {
    anyOf: [{ enum: STOCK_NAMES }, { type: 'string', pattern: `${FOREIGN}|${HAS_VARIABLE}` }],
  },
}

/** The keys of every policy. */
const COMMON = {
  use: { says: USE, field: use, isRequired: true },
  name: {
    says: 'What it is called in records and logs (default: the name that it has)',
    field: text({ takes: 'a name', maxLength: 64, check: checkName }),
  },
  models: {
    says: 'Only for these models, as clients say them; * stands for any characters (default: all)',
    field: patterns('model'),
  },
  keys: {
    says: 'Only for clients with these keys; * stands for any characters (default: all)',
    field: patterns('key'),
  },
  routes: {
    says: 'Only for these routes, by what their "model" says; * stands for any characters (default: all)',
    field: patterns('route'),
  },
  onError: {
    says: 'What happens to a block when the policy fails or is too slow (default deny)',
    field: choice(['deny', 'pass'], 'answer to an error'),
  },
  timeout: {
    says: 'How long it may take for one decision (default 30s; judge and approve have their own)',
    field: time({ min: 1, max: HOUR }),
  },
  shadow: {
    says: 'Whether it only watches: nothing is held or changed, and what it would have done is recorded (default false)',
    field: flag,
  },
} as const

const COMMON_NAMES: readonly string[] = Object.keys(COMMON)

type Common = Section<typeof COMMON>

/** A policy as it was read. */
export interface RawPolicy {
  readonly spot: Spot
  /** As it is written: the same, or a text that stands for a map with only `use`. */
  readonly given: Spot
  /** What is pointed at when it cannot be made. */
  readonly useSpot: Spot
  readonly use: string
  readonly common: Common['values']
  readonly spots: Common['spots']
  readonly source:
    | { readonly type: 'stock'; readonly entry: PolicyEntry; readonly own: Section<Shape> }
    /** A path or a package, and what its function is handed. */
    | { readonly type: 'file'; readonly options: Options | undefined }
}

/** What stands beside the keys of every policy. */
type Options = Readonly<Record<string, unknown>>

const asFile = section(COMMON)
const asStock = new Map(
  Object.entries(STOCK).map(([name, entry]) => [
    name,
    { entry, field: section<Shape>({ ...COMMON, ...entry.shape }) },
  ]),
)

const single: Field<RawPolicy> = {
  schema: { $ref: '#/definitions/policy' },
  read(given, reading) {
    const spot = toMap(given)
    if (spot.node.kind !== 'map')
      return refuseKind(spot, reading, 'the name of a stock policy, a path, or a map with use')
    const useEntry = spot.node.entries.find(({ key }) => key === 'use')
    if (useEntry === undefined) {
      noteMissing(spot, 'use', USE.charAt(0).toLowerCase() + USE.slice(1), reading)
      return undefined
    }
    const useSpot = isShort(given) ? given : toSpot(spot, useEntry)
    const name = use.read(useSpot, reading)
    if (name === undefined) return undefined
    const used = { spot, given, useSpot, use: name }
    const stock = asStock.get(name)
    if (stock !== undefined) return readStock(used, stock, reading)
    return name.includes(FOREIGN) ? readFile(used, reading) : refuseUse(used, reading)
  },
}

/** A list of policies, or one stock policy or path. */
export const policyList = oneOrMany(single, {
  max: 200,
  takes: 'a list of policies',
})

const isShort = ({ node }: Spot): boolean =>
  node.kind === 'scalar' && typeof node.value === 'string'

/** A text stands for a map with only `use`. */
function toMap(spot: Spot): Spot {
  const { node } = spot
  if (!isShort(spot)) return spot
  const entries = [{ key: 'use', keyPlace: node.place, value: node }]
  return { ...spot, node: { kind: 'map', place: node.place, size: 2, entries } }
}

interface Used {
  readonly spot: Spot
  readonly given: Spot
  readonly useSpot: Spot
  readonly use: string
}

function readStock(
  used: Used,
  { entry, field }: { readonly entry: PolicyEntry; readonly field: Field<Section<Shape>> },
  reading: Reading,
): RawPolicy | undefined {
  const read = field.read(used.spot, reading)
  if (read === undefined) return undefined
  const own = pick(read, (name) => !COMMON_NAMES.includes(name))
  const common = pick(read, (name) => COMMON_NAMES.includes(name)) as Common
  return {
    ...used,
    common: common.values,
    spots: common.spots,
    source: { type: 'stock', entry, own },
  }
}

/** A stock policy is handed its own keys and no others. */
function pick({ spot, values, spots }: Section<Shape>, is: (name: string) => boolean) {
  const only = <T>(all: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => is(name)))
  return { spot, values: only(values), spots: only(spots) as Section<Shape>['spots'] }
}

function readFile(used: Used, reading: Reading): RawPolicy | undefined {
  const { node } = used.spot
  if (node.kind !== 'map') return undefined
  const isCommon = ({ key }: { readonly key: string }): boolean => COMMON_NAMES.includes(key)
  const own = node.entries.filter((entry) => !isCommon(entry))
  const spot = { ...used.spot, node: { ...node, entries: node.entries.filter(isCommon) } }
  const common = asFile.read(spot, reading)
  const options = toPlain({ ...used.spot, node: { ...node, entries: own } }, reading)
  if (common === undefined) return undefined
  return {
    ...used,
    common: common.values,
    spots: common.spots,
    source: { type: 'file', options: own.length === 0 ? undefined : (options as Options) },
  }
}

/** The value of a node, with the variables of its texts filled in. */
function toPlain(spot: Spot, reading: Reading): unknown {
  const { node } = spot
  switch (node.kind) {
    case 'scalar':
      return isText(spot) ? fill(spot, reading)?.text : node.value
    case 'list':
      return node.items.map((item, index) =>
        toPlain({ node: item, path: `${spot.path}[${index}]`, keyPlace: item.place }, reading),
      )
    case 'map':
      return Object.fromEntries(
        node.entries.map((entry) => [entry.key, toPlain(toSpot(spot, entry), reading)]),
      )
  }
}

function refuseUse({ useSpot: spot, use: name }: Used, reading: Reading): undefined {
  const { node } = spot
  if (node.kind !== 'scalar') return undefined
  const typed = node.value === name ? name : undefined
  const hint = `${takes(STOCK_NAMES, typed)}, or the path of a file, which begins with ./`
  return refuse(spot, reading, () => isNo(node, 'stock policy', hint))
}

/** For editors: what a policy is, told once for all places where one may stand. */
export function policyDefinition(): Readonly<Record<string, unknown>> {
  const own = [...asStock].map(([name, { entry, field }]) => ({
    // Said the wrong way round, because an object with a "then" of its own is taken for a promise.
    if: { not: { properties: { use: { const: name } } } },
    else: { description: entry.says, ...field.schema },
  }))
  return {
    anyOf: [
      { enum: STOCK_NAMES },
      { type: 'string', pattern: FOREIGN },
      {
        type: 'object',
        ...asFile.schema,
        additionalProperties: true,
        allOf: own,
      },
    ],
  }
}
