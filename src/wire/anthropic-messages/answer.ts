/**
 * A JSON answer to events and back. Neighbours: `decode.ts` reads it as a message that opens full;
 * `block/assemble.ts` collects the blocks that are written here. On the same wire the fields that we
 * do not know stay.
 */
import { parseExactObject } from '../../base/json-exact.ts'
import { toText, type JsonObject } from '../../base/json.ts'
import { hasCutCall, type Answer } from '../../event/answer.ts'
import type { BlockOf, StreamBlock } from '../../event/block.ts'
import type { StreamEvent } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import { cutReason } from '../../event/finish.ts'
import { createLossList, type Loss, type LossList } from '../../event/loss.ts'
import { seal, unseal } from '../envelope.ts'
import { ToolIds, PLAIN_ID, randomId, toAnswerId } from '../ids.ts'
import { readPayloads } from '../read-answer.ts'
import type { AnswerFacts, DecoderOptions, EncoderOptions } from '../wire.ts'
import { toolsetOf } from './content.ts'
import { createDecoder } from './decode.ts'
import { NAME } from './json.ts'
import { readStopReason, readUsage, writeError, writeStopReason, writeUsage } from './terms.ts'

export const readAnswer = (
  body: JsonObject,
  options: DecoderOptions = {},
): readonly StreamEvent[] =>
  readPayloads(createDecoder(options), [
    { type: 'message_start', message: body },
    { type: 'message_stop' },
  ])

/** A body without a reason did not end, and what is said of that the decoder knows. */
export function readFacts(body: JsonObject): AnswerFacts | undefined {
  const word = toText(body['stop_reason'])
  if (word === undefined) return undefined
  return {
    id: toText(body['id']) ?? '',
    model: toText(body['model']) ?? '',
    usage: readUsage(body['usage']),
    finishReason: readStopReason(word),
  }
}

export function writeAnswer(
  answer: Answer,
  options: EncoderOptions = {},
): { body: JsonObject; losses: readonly Loss[] } {
  const broken = brokenCall(answer)
  if (broken !== undefined) return { body: writeError(broken), losses: [] }
  const losses = createLossList()
  const isOwn = answer.wire === NAME
  const toolIds = new ToolIds(PLAIN_ID, 128, options.usedIds)
  const content = answer.blocks.flatMap((block) => {
    if ((block.choice ?? 0) !== 0) {
      losses.add('dropped', 'choice')
      return []
    }
    return toContent(block, answer, {
      losses,
      issuer: options.issuer,
      takeToolId: (id) => toolIds.take(id),
    })
  })
  const hasToolCall = content.some((block) => block['type'] === 'tool_use')
  const refusal = answer.blocks.find((block) => block.type === 'refusal')
  const reason = isOwn
    ? (answer.finishReason ?? 'stop')
    : cutReason(answer.finishReason ?? 'stop', hasCutCall(answer))
  const word = writeStopReason(
    refusal !== undefined && reason === 'stop' ? 'refusal' : reason,
    hasToolCall,
  )
  const explanation = refusal?.type === 'refusal' ? refusal.text : (answer.explanation ?? null)
  const body = {
    id: toAnswerId(answer, {
      prefix: 'msg_',
      wire: NAME,
      createId: options.createId ?? randomId,
    }),
    type: 'message',
    role: 'assistant',
    model: answer.model ?? '',
    ...(isOwn ? answer.vendor : {}),
    content,
    stop_reason: isOwn && reason === 'other' ? (answer.vendorFinishReason ?? word) : word,
    stop_sequence: answer.stopSequence ?? null,
    ...(isOwn
      ? {}
      : {
          stop_details:
            word === 'refusal' ? { type: 'refusal', category: null, explanation } : null,
          container: null,
          diagnostics: null,
        }),
    usage: isOwn ? { ...usageOf(answer), ...writeUsage(answer.usage) } : writeUsage(answer.usage),
  }
  return { body, losses: losses.list() }
}

/** Arguments that went wrong have no form here, and no others may be made up: a client would run them. */
function brokenCall(answer: Answer): StreamFault | undefined {
  for (const block of answer.blocks) {
    if (block.type !== 'tool-call' || (block.choice ?? 0) !== 0) continue
    const parsed = block.parseArguments()
    if (parsed.ok || parsed.reason === 'cut') continue
    return {
      kind: 'bad-stream',
      message: `The arguments of the call "${block.name}" are no JSON object`,
    }
  }
  return undefined
}

const usageOf = (answer: Answer): object => {
  const usage = answer.vendor?.['usage']
  return typeof usage === 'object' && usage !== null ? usage : {}
}

interface ContentTools {
  readonly losses: LossList
  readonly issuer: string | undefined
  takeToolId(id: string): string
}

function toContent(block: StreamBlock, answer: Answer, tools: ContentTools): JsonObject[] {
  const isOwn = answer.wire === NAME && block.vendor !== undefined
  const vendor = isOwn ? block.vendor : {}
  switch (block.type) {
    case 'text':
      if (block.text === '') return []
      if (!isOwn && block.citations.length > 0) tools.losses.add('dropped', 'citation')
      return [
        {
          ...vendor,
          type: 'text',
          text: block.text,
          ...(isOwn && block.citations.length > 0 ? { citations: block.citations } : {}),
        },
      ]
    case 'refusal':
      return block.text === '' ? [] : [{ type: 'text', text: block.text }]
    case 'thinking':
      return toThinking(block, answer, tools.issuer)
    case 'tool-call': {
      const parsed = block.parseArguments()
      if (!parsed.ok) tools.losses.add('dropped', `arguments of ${block.name}`)
      const input = parsed.ok ? (exactInput(block) ?? parsed.value) : {}
      return [
        {
          type: 'tool_use',
          ...vendor,
          id: tools.takeToolId(block.id),
          name: block.name,
          ...toolsetOf(block),
          input,
        },
      ]
    }
    case 'server-tool':
      if (isOwn) return [{ ...vendor, input: block.args() ?? {} }]
      tools.losses.add('dropped', `server-tool ${block.name}`)
      return []
    case 'tool-result':
      if (isOwn) return [{ ...vendor }]
      tools.losses.add('dropped', `tool-result ${block.name}`)
      return []
    case 'opaque':
      if (isOwn)
        return [
          block.raw.reduce((whole, piece) => ({ ...whole, ...piece, type: block.vendorType }), {}),
        ]
      tools.losses.add('dropped', `block ${block.vendorType}`)
      return []
  }
}

/** What a client runs must have the same digits that the model said, also in numbers that we could not hold. */
const exactInput = (block: BlockOf<'tool-call'>): JsonObject | undefined =>
  block.dialect === 'custom' ? undefined : parseExactObject(block.arguments)

function toThinking(
  block: Extract<StreamBlock, { type: 'thinking' }>,
  answer: Answer,
  issuer: string | undefined,
): JsonObject[] {
  if (answer.wire === NAME) {
    if (block.redacted) return [{ ...block.vendor }]
    return [
      { ...block.vendor, type: 'thinking', thinking: block.text, signature: block.signature ?? '' },
    ]
  }
  if (block.text === '' && block.signature === undefined) return []
  const native = unseal(block.signature)
  if (native?.wire === NAME && native.redacted === true)
    return [{ type: 'redacted_thinking', data: native.signature ?? '' }]
  const signature =
    native?.wire === NAME && native.signature !== undefined
      ? native.signature
      : seal({
          wire: answer.wire ?? NAME,
          issuer,
          text: block.text,
          ...(block.signature === undefined ? {} : { signature: block.signature }),
          ...(block.final === undefined ? {} : { item: block.final }),
        })
  return [{ type: 'thinking', thinking: block.text, signature }]
}
