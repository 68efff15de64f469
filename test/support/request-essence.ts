/**
 * What of a request must survive a journey to another wire and back, in a form that can be compared. What a
 * pair of wires cannot carry is left out here, each with its reason. Neighbour:
 * `test/conformance/requests-round-trip.test.ts`.
 */
import type { CallNames, ToolRef } from '../../src/request/call-names.ts'
import type { Part } from '../../src/request/part.ts'
import type { ModelRequest, Turn } from '../../src/request/request.ts'
import { anthropicSchema, openAiSchema } from './api-rules-schema.ts'
import { collect } from './api-rules.ts'

/** From the name that a tool has now to the one that it began with. */
export type Rename = (ref: ToolRef) => ToolRef & { readonly isCustom?: boolean }

const asItIs: Rename = (ref) => ref

/** Back through the names of each journey, the last one first. */
export function backThrough(...journeys: readonly CallNames[]): Rename {
  return (ref) => {
    let found: ReturnType<Rename> = ref
    for (const names of journeys) {
      const source = names.toSource(found.name)
      if (source === undefined) continue
      const { name, namespace, dialect } = source
      const isCustom = dialect === 'custom' || found.isCustom === true
      found = { name, ...(namespace !== undefined && { namespace }), isCustom }
    }
    return found
  }
}

export interface Essence {
  readonly system: string
  readonly said: readonly unknown[]
  readonly tools: readonly unknown[]
  readonly choice: unknown
  readonly isParallel: boolean
}

export function essenceOf(request: ModelRequest, rename: Rename = asItIs): Essence {
  return {
    // One text or several is a matter of the wire: they are put together with a blank line.
    system: request.system.map(({ text }) => text).join('\n\n'),
    said: sayings(request.turns, rename),
    tools: request.tools.flatMap((tool): unknown[] => {
      if (tool.type !== 'function' && tool.type !== 'custom') return []
      const { isCustom: wasCustom, ...ref } = rename(refOf(tool))
      // A custom tool travels as a function with one string, and its grammar in the description.
      if (tool.type === 'custom' || wasCustom === true) return [{ ...ref, type: 'custom' }]
      const { description, schema, isStrict } = tool
      return [{ ...ref, description, schema: comparable(schema), isStrict: isStrict ?? false }]
    }),
    choice: choiceOf(request, rename),
    // `true` is what all three do where nothing is said.
    isParallel: request.isParallel ?? true,
  }
}

const refOf = ({ name, namespace }: ToolRef): ToolRef => ({
  name,
  ...(namespace !== undefined && { namespace }),
})

/** Schemas that some target does not take as they are come back cleaned: they are not compared. */
function comparable(schema: ModelRequest['source']['body'] | undefined): unknown {
  const findings = collect((report) => {
    anthropicSchema(schema, '', report)
    openAiSchema(schema, '', report)
  })
  const text = JSON.stringify(schema)
  const isOdd = findings.length > 0 || /"(?:\$schema|\$ref|oneOf)"/.test(text)
  // A schema that says nothing of properties becomes one that has none.
  const isEmpty = Object.keys(schema?.['properties'] ?? {}).length === 0
  return isOdd || isEmpty ? 'cleaned' : schema
}

function choiceOf({ toolChoice, tools }: ModelRequest, rename: Rename): unknown {
  // To choose freely is what happens where nothing is said, and without tools there is no choice.
  if (toolChoice === undefined || toolChoice.type === 'auto' || tools.length === 0) return 'auto'
  if (toolChoice.type !== 'tool') return toolChoice.type
  const { isCustom: _, ...ref } = rename(refOf(toolChoice))
  return ref
}

type Saying = readonly [who: string, what: unknown]

/** One after the other, whoever's turn they stand in: wires cut turns differently. */
function sayings(turns: readonly Turn[], rename: Rename): readonly unknown[] {
  const calls: string[] = []
  const all = turns.flatMap(({ role, parts }) =>
    parts.flatMap((part) => sayingOf(role, part, { calls, rename })),
  )
  const joined: Saying[] = []
  for (const [who, what] of all) {
    const last = joined.at(-1)
    // Texts side by side are pieces of one.
    if (last !== undefined && last[0] === who && isText(last[1]) && isText(what))
      joined[joined.length - 1] = [who, { text: last[1].text + what.text }]
    else joined.push([who, what])
  }
  return joined.map((saying, i) => inOrder(joined, i) ?? saying)
}

/** Results that stand side by side are in the order of their calls on some wires, as they came on others. */
function inOrder(all: readonly Saying[], at: number): Saying | undefined {
  if (!isResult(all[at]?.[1])) return undefined
  const start = all.findLastIndex(([, what], i) => i < at && !isResult(what)) + 1
  const rest = all.slice(start)
  const end = rest.findIndex(([, what]) => !isResult(what))
  const run = rest.slice(0, end === -1 ? undefined : end)
  const order = ([, what]: Saying): number => (isResult(what) ? what.of : 0)
  return run.toSorted((a, b) => order(a) - order(b))[at - start]
}

const isResult = (what: unknown): what is { of: number } =>
  typeof what === 'object' && what !== null && 'of' in what

const isText = (what: unknown): what is { text: string } =>
  typeof what === 'object' && what !== null && 'text' in what

interface Context {
  readonly calls: string[]
  readonly rename: Rename
}

function sayingOf(role: string, part: Part, { calls, rename }: Context): Saying[] {
  if (part.type === 'text') return [[role, { text: part.text }]]
  if (part.type === 'image') return [[role, { image: part.source }]]
  if (part.type === 'document') return [[role, { document: part.source }]]
  if (part.type === 'tool-call') {
    calls.push(part.id)
    const { isCustom, ...ref } = rename(refOf(part))
    const isFree = part.dialect === 'custom'
    const value: unknown = isFree ? part.arguments : JSON.parse(part.arguments || '{}')
    // Ids of another form are made anew; that a call and its result still agree is what counts.
    const id = calls.length - 1
    return [[role, { call: ref, id, with: isCustom === true && !isFree ? unwrap(value) : value }]]
  }
  if (part.type !== 'tool-result') return []
  const of = calls.indexOf(part.callId)
  // Only Messages has a flag: on the other wires the text of a failed tool begins so, and keeps it from there on.
  const texts = part.parts.flatMap((inner) => (inner.type === 'text' ? inner.text : []))
  const images = part.parts.flatMap((inner) => (inner.type === 'image' ? inner.source : []))
  const said = texts.join('')
  const words = part.isError ? said.replace(/^Error: /, '') : said
  return [[role, { of, texts: words, images, isError: part.isError }]]
}

const unwrap = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'input' in value ? value.input : value

/** The ids of calls, in order, that are legal everywhere: nobody has a reason to change them. */
export const idsOf = ({ turns }: ModelRequest): (string | undefined)[] =>
  turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])),
  )

export const isPlainId = (id: string | undefined): boolean =>
  id !== undefined && /^[a-zA-Z0-9_-]{1,40}$/.test(id)
