/**
 * The policy `rules` in `sluice.yaml`: lists of rules by what they do, or one list. Neighbours: `stock/rules` compiles
 * them and finds what is wrong, which is noted here at its place; `policy-entry.ts` has the contract.
 */
import { compileRules, type RuleMistake } from '../stock/rules/compile.ts'
import { toExcerptLines } from '../stock/rules/create-rules.ts'
import { RULE_ACTIONS, RULE_SUBJECTS, type RuleLists } from '../stock/rules/rule.ts'
import { compiledRules } from '../stock/rules/rules.ts'
import { listOf, mapOf, oneOrMany, type Named, type Placed } from './collections.ts'
import { refuseKind, type Field, type FilledText, type Reading, type Spot } from './field.ts'
import type { Span } from './notes.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { section, type Section, type Shape } from './section.ts'
import { choice, filledText, isText, text } from './text.ts'

const MAX_RULES = 500

/** Text of CEL. `true` alone is one too, which YAML takes for something else. */
const expression: Field<FilledText> = {
  schema: { type: ['string', 'boolean'] },
  read(spot, reading) {
    const { node } = spot
    if (node.kind === 'scalar' && typeof node.value === 'boolean')
      return { text: node.text, hasVariables: false }
    return filledText({ takes: 'a CEL expression' }).read(spot, reading)
  },
}

/** A text is an expression; anything else stands for itself. */
const setValue: Field<FilledText | number | boolean | null> = {
  schema: { type: ['string', 'number', 'boolean', 'null'] },
  read(spot, reading) {
    const { node } = spot
    if (node.kind !== 'scalar') return refuseKind(spot, reading, 'an expression or a number')
    return isText(spot) ? expression.read(spot, reading) : (node.value as number | boolean | null)
  },
}

const words = (takes: string) => oneOrMany(text({ maxLength: 2000 }), { min: 1, max: 100, takes })

const common = {
  when: { says: 'A CEL expression: the rule is for what makes it true', field: expression },
  name: { says: 'What it is called in records', field: text({ maxLength: 100 }) },
  reason: { says: 'Why, in words for model and person', field: text({ maxLength: 2000 }) },
  tools: {
    says: 'Only for tools of these names; * stands for any characters',
    field: words('the name of a tool, or a list'),
  },
  on: {
    says: 'What it is about: tool-call (default) or text',
    field: choice(RULE_SUBJECTS, 'kind of block'),
  },
  tags: { says: 'What is noted in the record', field: words('a tag, or a list') },
  count: {
    says: 'Counts its matches in a conversation: counters.NAME in expressions',
    field: text({ maxLength: 64 }),
  },
} as const

const instead = { says: 'What is allowed instead', field: text({ maxLength: 2000 }) }
const set = {
  says: 'From argument to its new value: a CEL expression, or a number, true, false or null',
  field: mapOf(setValue, { min: 1, max: 50, takes: 'a map from argument to expression' }),
}
const patterns = {
  says: 'What is masked in all texts of the arguments: RE2 patterns',
  field: words('a pattern, or a list'),
}
const stand = {
  says: 'What stands there instead of a match (default "[redacted]")',
  field: text({ isEmptyAllowed: true, maxLength: 200 }),
}

const list = <const S extends Shape>(shape: S) =>
  listOf(section(shape), { min: 1, max: MAX_RULES, takes: 'a list of rules' })

const shape = {
  deny: { says: 'The call does not happen', field: list({ ...common, instead }) },
  ask: { says: 'A person decides', field: list(common) },
  rewrite: { says: 'The call happens with other arguments', field: list({ ...common, set }) },
  redact: {
    says: 'What matches patterns is masked',
    field: list({ ...common, patterns, with: stand }),
  },
  tag: { says: 'Only noted: the rules below are asked too', field: list(common) },
  allow: { says: 'Passes, and no rule below is asked', field: list(common) },
  rules: {
    says: 'Rules of all kinds in one list',
    field: list({
      action: {
        says: 'What it does',
        field: choice(RULE_ACTIONS, 'action'),
        isRequired: true,
      },
      ...common,
      instead,
      set,
      patterns,
      with: stand,
    }),
  },
} as const

export const rulesEntry: PolicyEntry<typeof shape> = {
  says: 'Decides on calls and texts by rules in CEL; the first match wins, in the order of the file',
  shape,
  make(read, reading) {
    const lists = toLists(read)
    if (Object.keys(read.spots).length === 0) {
      reading.notes.mistake(read.spot.keyPlace, read.spot.path, NO_RULES)
      return undefined
    }
    const compiled = compileRules(lists)
    const { mistakes } = compiled
    for (const mistake of mistakes) note(mistake, read, reading)
    return mistakes.length > 0 || reading.notes.hasMistakes
      ? undefined
      : compiledRules(lists, compiled)
  },
}

const NO_RULES = `there is no rule in it: it takes ${RULE_ACTIONS.join(', ')} or rules, each a list`

type Lists = Section<typeof shape>
type RuleSection = Section<Shape>

/** The rules of one list that could be read, in order. */
const rulesOf = (read: Lists, name: keyof RuleLists): readonly Placed<RuleSection>[] =>
  read.values[name] ?? []

/** The keys in the order of the file: it is the order in which the rules are asked. */
const toLists = (read: Lists): RuleLists =>
  Object.fromEntries(
    Object.keys(read.spots).map((name) => [
      name,
      rulesOf(read, name as keyof RuleLists).map(({ value }) => toRule(value)),
    ]),
  )

const toRule = ({ values }: RuleSection): object =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, toPlain(key, value)]],
    ),
  )

function toPlain(key: string, value: unknown): unknown {
  if (key === 'when') return (value as FilledText).text
  if (key === 'set')
    return Object.fromEntries(
      (value as readonly Named<FilledText | number | boolean | null>[]).map(
        ({ name, value: inner }) => [
          name,
          typeof inner === 'object' && inner !== null ? inner.text : inner,
        ],
      ),
    )
  return Array.isArray(value) ? (value as readonly Placed<string>[]).map((one) => one.value) : value
}

/** At the place that it is about. What came from a variable is shown nowhere. */
function note(mistake: RuleMistake, read: Lists, reading: Reading): void {
  const rule = rulesOf(read, mistake.list)[mistake.at]
  // What is missing because it was not right is told already.
  if (mistake.path.length === 0 && rule !== undefined && !isWhole(rule.value)) return
  const { spot, hasVariables } = find(mistake.path, rule) ?? { spot: read.spot }
  const below = hasVariables === true ? '' : toExcerptLines(mistake.excerpt)
  const exact = hasVariables === true ? undefined : toSpan(spot, mistake.range)
  reading.notes.mistake(spot.node.place, spot.path, `${mistake.message}${below}`, exact)
}

/** A key that is there without a value was not right. */
const isWhole = ({ spots, values }: RuleSection): boolean =>
  Object.keys(spots).every((key) => values[key] !== undefined)

/** Where in the file that part of an expression stands. */
function toSpan({ node }: Spot, range: RuleMistake['range']): Span | undefined {
  if (node.kind !== 'scalar' || range === undefined) return undefined
  const start = node.placeAt?.(range.start)
  const end = node.placeAt?.(range.end)
  return start && { ...start, endColumn: end?.line === start.line ? end.column : undefined }
}

interface Found {
  readonly spot: Spot
  readonly hasVariables?: boolean
}

function find(path: RuleMistake['path'], rule: Placed<RuleSection> | undefined): Found | undefined {
  const [key, inner] = path
  if (rule === undefined || typeof key !== 'string') return rule
  const value: unknown = rule.value.values[key]
  const spot = rule.value.spots[key]
  if (spot === undefined) return rule
  if (inner === undefined || !Array.isArray(value)) return { spot, ...variablesOf(value) }
  const parts = value as readonly (Placed<unknown> & { readonly name?: string })[]
  const part = parts.find((one, at) => at === inner || one.name === inner)
  return part === undefined ? { spot } : { spot: part.spot, ...variablesOf(part.value) }
}

const variablesOf = (value: unknown): { readonly hasVariables: boolean } => ({
  hasVariables:
    typeof value === 'object' && value !== null && (value as FilledText).hasVariables === true,
})
