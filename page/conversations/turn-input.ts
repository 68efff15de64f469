/**
 * The body of one request of a conversation → what it brought that was not there before: what a person said, what tools
 * gave back; and whether it is a request on the side. Agents send the whole conversation each time, so only its end is
 * read. Neighbours: `turn-data.ts` fetches the bodies, `blocks/request-view.ts` reads them. Knows no component.
 */
import { isObject, toList, toText, type JsonObject } from '../../src/base/json.ts'
import type { WireName } from '../../src/event/event.ts'
import { isAside } from '../blocks/plain.ts'
import { readRequestBody, type PartView } from '../blocks/request-view.ts'

export type Result = Extract<PartView, { type: 'tool-result' }>

export interface TurnInput {
  /** Since the model spoke last, without what tools gave back. */
  readonly said: readonly PartView[]
  /** What tools gave back. */
  readonly results: readonly Result[]
  /** What kind of request on the side it is, where it is one. */
  readonly side: string | undefined
  readonly fault: string | undefined
}

const NOTHING = { said: [], results: [], side: undefined }
/** Calls and what they gave may alternate: so far back results are looked for. */
const MAX_BACK = 400

/** Never throws. */
export function readTurnInput(wire: WireName, text: string): TurnInput {
  const body = parse(text)
  if (body === undefined)
    return { ...NOTHING, fault: text === '' ? undefined : 'The request cannot be read' }
  const { tail, before } = cut(wire, body)
  const view = readRequestBody(wire, tail)
  const parts = view.turns.filter(({ role }) => role !== 'assistant').flatMap((turn) => turn.parts)
  const said = parts.filter(({ type }) => type !== 'tool-result')
  const earlier = before === undefined ? [] : readRequestBody(wire, before).turns
  const results = [...earlier.flatMap((turn) => turn.parts), ...parts].filter(isResult)
  return { said, results, side: toSide(body, said, results), fault: view.fault }
}

const isResult = (part: PartView): part is Result => part.type === 'tool-result'

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What follows the model's last word; and before it results that stand between its calls. */
function cut(
  wire: WireName,
  body: JsonObject,
): { readonly tail: JsonObject; readonly before: JsonObject | undefined } {
  const key = wire === 'openai-responses' ? 'input' : 'messages'
  const all = body[key]
  const rest = { ...body, tools: undefined, system: undefined, instructions: undefined }
  if (!Array.isArray(all)) return { tail: rest, before: undefined }
  const list: readonly unknown[] = all
  const last = list.findLastIndex(isOfModel)
  const tail = { ...rest, [key]: list.slice(last + 1) }
  if (wire !== 'openai-responses') return { tail, before: undefined }
  const between = list.slice(Math.max(0, last - MAX_BACK), last + 1)
  const from = between.findLastIndex((item) => !isCallOrOutput(item)) + 1
  const outputs = between.slice(from).filter((item) => !isOfModel(item))
  return { tail, before: outputs.length === 0 ? undefined : { ...rest, [key]: outputs } }
}

/** A message of the model, or an item of Responses that is one: a call, what it thought. */
function isOfModel(one: unknown): boolean {
  if (!isObject(one)) return false
  if (one['role'] !== undefined) return one['role'] === 'assistant'
  const type = toText(one['type']) ?? ''
  return type === 'reasoning' || type.endsWith('_call')
}

function isCallOrOutput(one: unknown): boolean {
  const type = isObject(one) ? (toText(one['type']) ?? '') : ''
  return /(?:_call|_output|reasoning)$/.test(type)
}

/** What agents ask beside the conversation, by the words that they ask it with. */
const SIDES: readonly (readonly [string, RegExp])[] = [
  ['Compaction', /create a detailed summary of the conversation|CONTEXT CHECKPOINT COMPACTION/i],
  ['Warm-up', /^\s*warmup\s*$/i],
  ['Quota check', /^\s*quota\s*$/i],
]
/** These only where no tools are declared: a person may say the same words. */
const TOOLLESS: readonly (readonly [string, RegExp])[] = [
  ['Title', /\btitle\b|\bnew topic\b/i],
  ['Summary', /\bsummari[sz]e\b|\bsummary\b/i],
]

function toSide(
  body: JsonObject,
  said: readonly PartView[],
  results: readonly Result[],
): string | undefined {
  const words = toWords(said)
  const found = SIDES.find(([, pattern]) => pattern.test(words))?.[0]
  if (found !== undefined || results.length > 0 || toList(body['tools']).length > 0) return found
  const system = toSystem(body)
  return system === '' ? undefined : TOOLLESS.find(([, pattern]) => pattern.test(system))?.[0]
}

const toWords = (said: readonly PartView[]): string =>
  said
    .map((part) => ('text' in part && !isAside(part.text) ? part.text.slice(0, 4000) : ''))
    .join('\n')

function toSystem(body: JsonObject): string {
  const { system, instructions, messages } = body
  const first: unknown = toList(messages)[0]
  const ofChat = isObject(first) && first['role'] === 'system' ? first['content'] : undefined
  const texts = [system, instructions, ofChat].flatMap((one) =>
    typeof one === 'string'
      ? [one]
      : toList(one).map((part) => (isObject(part) ? (toText(part['text']) ?? '') : '')),
  )
  return texts.join('\n').slice(0, 4000)
}

/** By its address alone, before anything of it is loaded. */
export function toSideByEndpoint(endpoint: string): string | undefined {
  if (/count_tokens|input_tokens/.test(endpoint)) return 'Token count'
  return endpoint.endsWith('/compact') ? 'Compaction' : undefined
}

/** What a person said first, in one line. */
export function toFirstWords({ said }: TurnInput): string | undefined {
  const texts = said.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.find((text) => text.trim() !== '' && !isAside(text)) ?? texts[0]
}
