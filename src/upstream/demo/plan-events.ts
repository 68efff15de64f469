/**
 * A plan in canonical events: the same for all wires, their encoders say the rest. Neighbours: `plan.ts`,
 * `reply.ts`. Deterministic: ids come from the key of the request.
 */
import type { JsonObject } from '../../base/json.ts'
import type { BlockInfo, ToolDialect } from '../../event/block.ts'
import type { Delta, StreamEvent, WireName } from '../../event/event.ts'
import type { Usage } from '../../event/usage.ts'
import { toTokens, type Asked } from './asked.ts'
import { toBreak } from './faults.ts'
import type { AnswerPlan, PlannedCall } from './plan.ts'

export interface EventsOptions {
  /** What all ids of the answer are made of. */
  readonly key: string
  /** Seconds since 1970. */
  readonly created: number
}

const MESSAGE_PREFIX: Readonly<Record<WireName, string>> = {
  'anthropic-messages': 'msg_demo',
  'openai-chat': 'chatcmpl-demo',
  'openai-responses': 'resp_demo',
}

export function* toEvents(
  plan: AnswerPlan,
  asked: Asked,
  { key, created }: EventsOptions,
): Generator<StreamEvent> {
  const { wire, model, inputTokens } = asked
  const id = MESSAGE_PREFIX[wire] + key
  yield { type: 'message-start', id, model, created, wire, usage: { inputTokens } }
  yield { type: 'ping' }
  const blocks = toBlocks(plan, asked, key)
  if (plan.ending !== 'finish') {
    yield* toBrokenOff(plan, blocks, wire)
    return
  }
  for (const block of blocks) yield* block
  yield { type: 'finish', reason: plan.finish }
  yield { type: 'usage', usage: usageOf(plan, inputTokens) }
  yield { type: 'message-stop' }
}

/** The first half of the first block, and then what the plan says. */
function* toBrokenOff(
  plan: AnswerPlan,
  blocks: readonly (readonly StreamEvent[])[],
  wire: WireName,
): Generator<StreamEvent> {
  const first = blocks[0] ?? []
  yield* first.slice(0, Math.ceil(first.length / 2))
  if (plan.ending === 'error') yield { type: 'error', error: toBreak(wire) }
}

function toBlocks(
  plan: AnswerPlan,
  { wire, wantsSeal }: Asked,
  key: string,
): readonly (readonly StreamEvent[])[] {
  const blocks: (readonly StreamEvent[])[] = []
  const add = (block: BlockInfo, deltas: readonly Delta[], vendor?: JsonObject): void => {
    blocks.push([
      { type: 'block-start', block },
      ...deltas.map((delta): StreamEvent => ({ type: 'block-delta', block, delta })),
      { type: 'block-stop', block, ...(vendor === undefined ? {} : { vendor }) },
    ])
  }
  const base = (): { id: string; index: number } => ({
    id: `block_${blocks.length}`,
    index: blocks.length,
  })
  if (plan.thinking !== undefined) {
    const words = toWords(plan.thinking).map((text): Delta => ({ type: 'thinking', text }))
    const seal = `demo${key}`.repeat(3)
    // Each wire has a place of its own for the seal, and Chat has none.
    const signature: Delta[] =
      wire === 'anthropic-messages' ? [{ type: 'signature', signature: seal }] : []
    const isItem = wire === 'openai-responses' && wantsSeal
    const info: BlockInfo = { ...base(), type: 'thinking', redacted: false }
    add(info, [...words, ...signature], isItem ? { encrypted_content: seal } : undefined)
  }
  for (const type of ['text', 'refusal'] as const) {
    const said = plan[type]
    if (said === undefined) continue
    add(
      { ...base(), type },
      toWords(said).map((text) => ({ type: 'text', text })),
    )
  }
  for (const [place, call] of plan.calls.entries())
    add(
      toCallInfo(call, { index: blocks.length, id: callId(wire, key, place) }),
      toPieces(call.text).map((text) => ({ type: 'arguments', text })),
    )
  return blocks
}

const callId = (wire: WireName, key: string, place: number): string =>
  `${wire === 'anthropic-messages' ? 'toolu' : 'call'}_demo${key}_${place}`

const DIALECTS: Readonly<Record<PlannedCall['tool']['kind'], ToolDialect>> = {
  function: 'function',
  custom: 'custom',
  'local-shell': 'local-shell',
  shell: 'shell',
}

function toCallInfo({ tool }: PlannedCall, base: { index: number; id: string }): BlockInfo {
  const vendor = vendorOf(tool)
  return {
    ...base,
    type: 'tool-call',
    name: tool.name,
    dialect: DIALECTS[tool.kind],
    ...(vendor === undefined ? {} : { vendor }),
  }
}

/** Fields that only Responses has. */
function vendorOf({ kind, namespace }: PlannedCall['tool']): JsonObject | undefined {
  if (kind === 'local-shell') return { type: 'local_shell_call', action: {} }
  if (kind === 'shell') return { type: 'shell_call', action: {} }
  return namespace === undefined ? undefined : { namespace }
}

/** Word by word, as a model would. */
const toWords = (text: string): readonly string[] => text.match(/\S+\s*|\s+/g) ?? []

/** Pieces of a few characters, or more where there would be too many of them. */
function toPieces(text: string): readonly string[] {
  const chars = Array.from(text)
  const size = Math.max(12, Math.ceil(chars.length / 200))
  const pieces: string[] = []
  for (let at = 0; at < chars.length; at += size) pieces.push(chars.slice(at, at + size).join(''))
  return pieces
}

function usageOf(plan: AnswerPlan, inputTokens: number): Usage {
  const { thinking = '', text = '', refusal = '', calls } = plan
  const said = text.length + refusal.length + calls.reduce((sum, call) => sum + call.text.length, 0)
  const reasoningTokens = toTokens(thinking.length)
  return {
    inputTokens,
    outputTokens: Math.max(1, toTokens(said) + reasoningTokens),
    ...(reasoningTokens === 0 ? {} : { reasoningTokens }),
  }
}
