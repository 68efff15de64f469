/**
 * Instructions and turns to the messages of a Chat body: the instructions first, one assistant message per
 * step of the model, its results right behind it in the order of the calls. Neighbours: `request-write.ts`;
 * `request-write-parts.ts` writes contents, `request-write-calls.ts` calls, `request-thinking.ts` thinking.
 */
import type { JsonObject } from '../../base/json.ts'
import { isNoticeText } from '../../event/notice.ts'
import { withoutBilling } from '../../request/billing.ts'
import { pairCalls } from '../../request/pairing.ts'
import type { Part, TextPart, ToolCallPart } from '../../request/part.ts'
import type { Turn } from '../../request/request.ts'
import { NOTHING_SAID } from '../../request/write.ts'
import { toCalls } from './request-write-calls.ts'
import { toWords, writeInstructions, writeResult, writeUserContent } from './request-write-parts.ts'
import { writeThinking } from './request-thinking.ts'
import type { Writing } from './request-writing.ts'

export interface WrittenMessages {
  readonly messages: readonly JsonObject[]
  /** What the body says of them. */
  readonly fields: JsonObject
}

export function writeMessages(writing: Writing, instruction: string | undefined): WrittenMessages {
  const { request, losses, profile, problems, spelling } = writing
  const system = [...withoutBilling(request.system)]
  if (instruction !== undefined) system.push({ type: 'text', text: instruction })
  const messages = writeSystem(system, writing)
  /** Where each call of the last step stands. */
  let order: ReadonlyMap<string, number> = new Map()
  function writeStep(step: Step): readonly JsonObject[] {
    if (step.role === 'system') return writeSystem(toTexts(step.parts, writing), writing)
    if (step.role === 'user') return writeUser(step, order, writing)
    const calls = step.parts.filter((part) => part.type === 'tool-call')
    order = new Map(calls.map((call, at) => [call.id, at]))
    return writeAssistant(step, calls, writing)
  }
  // One by one: a call takes no hundred thousand arguments, and a turn may have as many results.
  for (const step of toSteps(pairCalls(request.turns, losses)))
    for (const message of writeStep(step)) messages.push(message)
  const last = messages.at(-1)
  if (last === undefined) problems.add(spelling.messages, NOTHING_SAID)
  const isBegun = last?.['role'] === 'assistant' && request.source.wire === 'anthropic-messages'
  if (last === undefined || !isBegun) return { messages, fields: {} }
  const { message, fields } = PREFILLS[profile.vendor] ?? refusePrefill(writing)
  return { messages: messages.with(-1, { ...last, ...message }), fields }
}

interface Prefill {
  readonly message: JsonObject
  readonly fields: JsonObject
}

/** The answer's beginning at the end of a conversation: who is told, and how, that it is to be gone on with. */
const PREFILLS: Readonly<Partial<Record<string, Prefill>>> = {
  mistral: { message: { prefix: true }, fields: {} },
  moonshot: { message: { partial: true }, fields: {} },
  qwen: { message: { partial: true }, fields: {} },
  openrouter: { message: {}, fields: {} },
  vllm: { message: {}, fields: { continue_final_message: true, add_generation_prompt: false } },
}

function refusePrefill({ problems, spelling }: Writing): Prefill {
  problems.add(
    spelling.messages,
    'End with a message of the user: this upstream cannot go on with the beginning of an answer',
    'unsupported',
  )
  return { message: {}, fields: {} }
}

/** A turn, and where in it another one began: text of two turns is two paragraphs. */
interface Step {
  readonly role: Turn['role']
  readonly parts: Part[]
  readonly breaks: Set<Part>
}

/** Assistant turns in a row are one message here, which grows: copied for each it would be quadratic. */
function toSteps(turns: readonly Turn[]): readonly Step[] {
  const steps: Step[] = []
  for (const { role, parts } of turns) {
    const before = steps.at(-1)
    if (role !== 'assistant' || before?.role !== 'assistant') {
      steps.push({ role, parts: [...parts], breaks: new Set() })
      continue
    }
    const [first] = parts
    if (first !== undefined) before.breaks.add(first)
    for (const part of parts) before.parts.push(part)
  }
  return steps
}

function writeSystem(parts: readonly TextPart[], writing: Writing): JsonObject[] {
  const said = parts.filter((part) => part.text !== '')
  if (said.length === 0) return []
  return [{ role: writing.profile.systemRole, content: writeInstructions(said, writing) }]
}

/**
 * Results directly behind their calls, then one user message with the rest and with what the results showed:
 * a `tool` message holds text only, and nothing may stand between two of them.
 */
function writeUser(
  turn: Pick<Turn, 'parts'>,
  order: ReadonlyMap<string, number>,
  writing: Writing,
): JsonObject[] {
  const results = turn.parts
    .filter((part) => part.type === 'tool-result')
    .toSorted((a, b) => (order.get(a.callId) ?? 0) - (order.get(b.callId) ?? 0))
    .map((result) => writeResult(result, writing))
  const shown = results.flatMap(({ media }) => media)
  const content = writeUserContent([...turn.parts, ...shown], writing)
  return [
    ...results.map(({ message }) => message),
    ...(content === undefined ? [] : [{ role: 'user', content }]),
  ]
}

function writeAssistant(
  step: Step,
  calls: readonly ToolCallPart[],
  writing: Writing,
): JsonObject[] {
  const { profile, options } = writing
  const isOpenAi = profile.vendor === 'openai' || profile.vendor === 'azure'
  const refusal = isOpenAi ? refusalOf(step) : ''
  const text = joinText(step, writing, isOpenAi)
  if (text === '' && refusal === '' && calls.length === 0) return []
  const thinking = writeThinking(
    step.parts.filter((part) => part.type === 'thinking'),
    calls.map((call) => call.id),
    options,
  )
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(refusal === '' ? {} : { refusal }),
      ...thinking,
      ...(calls.length === 0 ? {} : { tool_calls: toCalls(calls, writing) }),
    },
  ]
}

const refusalOf = ({ parts }: Step): string =>
  parts
    .filter((part) => part.type === 'refusal')
    .map((part) => part.text)
    .join('\n\n')

/**
 * Adjacent texts are pieces of one: a vendor's citations split sentences. Where something stood between them,
 * or another turn began, they are paragraphs; and so are words of ours.
 */
function joinText({ parts, breaks }: Step, writing: Writing, hasRefusal: boolean): string {
  let text = ''
  let isAdjacent = false
  for (const part of parts) {
    const said = wordsOf(part, writing, hasRefusal)
    const isOurs = said !== undefined && isNoticeText(said)
    if (said !== undefined && said !== '') {
      const isOne = isAdjacent && part.type === 'text' && !breaks.has(part) && !isOurs
      text += text === '' || isOne ? said : `\n\n${said}`
    }
    isAdjacent = part.type === 'text' && !isOurs
  }
  return text
}

function wordsOf(part: Part, writing: Writing, hasRefusal: boolean): string | undefined {
  switch (part.type) {
    case 'text':
      return part.text
    case 'refusal':
      return hasRefusal ? undefined : part.text
    case 'opaque':
      return toWords(part, writing)
    case 'image':
    case 'document':
    case 'audio':
      writing.losses.add('dropped', `${part.type} outside a user's message`)
      return undefined
    case 'thinking':
    case 'tool-call':
    case 'tool-result':
      return undefined
  }
}

/** An instruction holds text only. */
const toTexts = (parts: readonly Part[], writing: Writing): readonly TextPart[] =>
  parts.flatMap((part): readonly TextPart[] => {
    if (part.type === 'text') return [part]
    const text = wordsOf(part, writing, false)
    return text === undefined ? [] : [{ type: 'text', text }]
  })
