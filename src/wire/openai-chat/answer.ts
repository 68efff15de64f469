/**
 * A JSON answer to events and back. Neighbours: `decode.ts` reads it as chunks that hold everything;
 * `block/assemble.ts` collects the blocks that are written here. On the same wire the fields that we
 * do not know stay.
 */
import { toCount, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import { hasCutCall, type Answer } from '../../event/answer.ts'
import { fullName, type BlockOf, type StreamBlock } from '../../event/block.ts'
import type { StreamEvent, WireName } from '../../event/event.ts'
import { cutReason, noteFinishLoss } from '../../event/finish.ts'
import { createLossList, noteBlockLoss, type Loss, type LossList } from '../../event/loss.ts'
import { toUrlCitation } from '../citation.ts'
import { ANY_ID, ToolIds, randomId, toAnswerId } from '../ids.ts'
import { readPayloads } from '../read-answer.ts'
import type { AnswerFacts, DecoderOptions, EncoderOptions } from '../wire.ts'
import { createDecoder } from './decode.ts'
import { NAME } from './json.ts'
import { toReasoningDetails } from './reasoning.ts'
import { readFinish, readUsage, writeFinish, writeUsage } from './terms.ts'

export const readAnswer = (
  body: JsonObject,
  options: DecoderOptions = {},
): readonly StreamEvent[] => readPayloads(createDecoder(options), [byPlace(body), '[DONE]'])

/** Of one choice that ended well; all else is for the decoder. */
export function readFacts(body: JsonObject): AnswerFacts | undefined {
  const choices = toList(body['choices'])
  const choice = toObject(choices[0])
  const word = toText(choice?.['finish_reason'])
  if (choice === undefined || word === undefined || choices.length > 1) return undefined
  if (body['error'] !== undefined || (choice['index'] ?? 0) !== 0) return undefined
  const finish = readFinish(word, choice)
  if (finish === 'broken') return undefined
  return {
    id: toText(body['id']) ?? '',
    model: toText(body['model']) ?? '',
    usage: readUsage(body['usage']) ?? readUsage(toObject(body['x_groq'])?.['usage']),
    finishReason: finish.reason,
  }
}

/** Of two choices of one number the second would be taken for more of the first. Clients go by their place. */
function byPlace(body: JsonObject): JsonObject {
  const choices = toList(body['choices'])
  const numbers = new Set(choices.map((one) => toObject(one)?.['index']))
  if (numbers.size === choices.length) return body
  return { ...body, choices: choices.map((one, index) => ({ ...toObject(one), index })) }
}

export function writeAnswer(
  answer: Answer,
  options: EncoderOptions = {},
): { body: JsonObject; losses: readonly Loss[] } {
  const losses = createLossList()
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  const isOwn = answer.wire === NAME
  const vendor = isOwn ? answer.vendor : undefined
  const numbers = new Set(answer.blocks.map((block) => block.choice ?? 0))
  if (!isOwn && numbers.size > 1) losses.add('dropped', 'choice')
  const kept = isOwn && numbers.size > 0 ? [...numbers].toSorted((a, b) => a - b) : [0]
  const choices = kept.map((number) => toChoice(answer, number, { losses, options }))
  const body = {
    ...vendor,
    id:
      isOwn && answer.id
        ? answer.id
        : toAnswerId(answer, {
            prefix: 'chatcmpl-',
            wire: NAME,
            createId: options.createId ?? randomId,
          }),
    object: 'chat.completion',
    created: toCount(answer.vendor?.[isOwn ? 'created' : 'created_at']) ?? now(),
    model: answer.model ?? '',
    choices,
    ...(answer.usage === undefined
      ? {}
      : { usage: toObject(vendor?.['usage']) ?? writeUsage(answer.usage) }),
  }
  return { body, losses: losses.list() }
}

interface ChoiceTools {
  readonly losses: LossList
  readonly options: EncoderOptions
}

function toChoice(answer: Answer, number: number, tools: ChoiceTools): JsonObject {
  const isOwn = answer.wire === NAME
  const blocks = answer.blocks.filter((block) => (block.choice ?? 0) === number)
  const original = isOwn ? toObject(toList(answer.vendor?.['choices'])[number]) : undefined
  const calls = blocks.filter((block) => block.type === 'tool-call')
  const thoughts = blocks.filter((block) => block.type === 'thinking')
  const said = blocks
    .filter((block) => block.type === 'refusal')
    .map((block) => block.text)
    .join('')
  const refusal = said === '' && !isOwn ? (answer.explanation ?? '') : said
  const reasoning = thoughts
    .map((block) => block.text)
    .filter((text) => text !== '')
    .join('\n\n')
  const details = thoughts
    .filter((block) => block.signature !== undefined)
    .flatMap((block) =>
      toReasoningDetails({
        seals: block.signature === undefined ? [] : [block.signature],
        text: block.text,
        source: answer.wire,
        issuer: tools.options.issuer,
        redacted: block.redacted,
        item: block.final,
      }),
    )
    .map((detail, index) => ({ ...detail, index }))
  if (!isOwn) {
    for (const { info } of blocks) noteBlockLoss(tools.losses, info)
    noteFinishLoss(tools.losses, answer.finishReason ?? 'stop', answer.vendorFinishReason)
  }
  const toolIds = new ToolIds(ANY_ID, 40, tools.options.usedIds)
  const { text, starts } = joinText(blocks, answer.wire)
  const annotations = blocks.flatMap((block) =>
    block.type === 'text' ? annotationsOf(block, starts.get(block) ?? 0, answer, tools.losses) : [],
  )
  const message = {
    ...withoutSaid(toObject(original?.['message'])),
    role: 'assistant',
    content: text === '' ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) =>
            toCall(call, toolIds.take(call.id), isOwn, tools.options),
          ),
        }),
  }
  const reason = cutReason(answer.finishReason ?? 'stop', !isOwn && hasCutCall(answer))
  const word = writeFinish(reason, calls.length > 0)
  const finish_reason =
    number > 0
      ? (original?.['finish_reason'] ?? 'stop')
      : isOwn && answer.finishReason === 'other'
        ? (answer.vendorFinishReason ?? word)
        : word
  const isAsSaid = message.content === (toObject(original?.['message'])?.['content'] ?? null)
  const logprobs = isAsSaid ? (original?.['logprobs'] ?? null) : null
  return { ...withoutDelta(original), logprobs, index: number, message, finish_reason }
}

function withoutDelta(choice: JsonObject | undefined): JsonObject {
  const { delta: _delta, ...rest } = choice ?? {}
  return rest
}

/** What a message is about comes from the blocks: a block that was taken out must not be told by its vendor. */
function withoutSaid(message: JsonObject | undefined): JsonObject {
  const {
    tool_calls: _calls,
    function_call: _call,
    reasoning: _reasoning,
    reasoning_content: _content,
    reasoning_details: _details,
    reasoning_text: _text,
    thinking: _thinking,
    annotations: _annotations,
    ...rest
  } = message ?? {}
  return rest
}

/** Text that something stood between, or of another message, is another paragraph. Own text came as one. */
function joinText(
  blocks: readonly StreamBlock[],
  wire: WireName | undefined,
): { text: string; starts: Map<StreamBlock, number> } {
  const starts = new Map<StreamBlock, number>()
  let text = ''
  let item: JsonObject | undefined
  let isAdjacent = true
  let isAfterNotice = false
  for (const block of blocks) {
    if (block.type !== 'text') {
      isAdjacent = false
      continue
    }
    if (block.text === '') continue
    const isOther = wire === 'openai-responses' && item !== block.vendor
    const isNotice = block.info.type === 'text' && block.info.isNotice === true
    const isApart = isNotice || isAfterNotice || ((!isAdjacent || isOther) && wire !== NAME)
    if (text !== '' && isApart) text += '\n\n'
    isAfterNotice = isNotice
    starts.set(block, text.length)
    text += block.text
    isAdjacent = true
    item = block.vendor
  }
  return { text, starts }
}

function toCall(
  call: Extract<StreamBlock, { type: 'tool-call' }>,
  id: string,
  isOwn: boolean,
  options: EncoderOptions,
): JsonObject {
  const {
    index: _index,
    function: _function,
    custom: _custom,
    ...vendor
  } = isOwn ? (call.vendor ?? {}) : {}
  const name = fullName(call)
  if (call.dialect === 'custom') {
    return isOwn || options.customTools === true
      ? { ...vendor, id, type: 'custom', custom: { name, input: call.arguments } }
      : {
          id,
          type: 'function',
          function: { name, arguments: wrap(call) },
        }
  }
  const text = call.arguments === '' ? '{}' : call.arguments
  return { ...vendor, id, type: 'function', function: { name, arguments: text } }
}

/** Free text as the one string of an object; half a text stays open, so that nobody takes it for a whole one. */
function wrap({ arguments: input, isCut }: BlockOf<'tool-call'>): string {
  const whole = JSON.stringify({ input })
  return isCut ? whole.slice(0, -2) : whole
}

/** The sources of a text, with their places in the whole content, where the text begins at `start`. */
function annotationsOf(
  block: Extract<StreamBlock, { type: 'text' }>,
  start: number,
  answer: Answer,
  losses: LossList,
): JsonObject[] {
  if (answer.wire === NAME) return [...block.citations]
  return block.citations.flatMap((citation) => {
    const own = toUrlCitation(citation, answer.wire, { start, end: start + block.text.length })
    if (own === undefined) losses.add('dropped', 'citation')
    return own === undefined ? [] : [own]
  })
}
