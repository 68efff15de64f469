/**
 * Random answers as events, for properties: any blocks in any order, any ends, any odd ids and texts.
 */
import fc from 'fast-check'
import type { BlockInfo, ToolDialect } from '../../src/event/block.ts'
import type { Delta, StreamEvent } from '../../src/event/event.ts'
import type { FinishReason } from '../../src/event/finish.ts'

const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
  fc.constantFrom('data: x\n\n', '\r\n', '\u2028', '😀', '[DONE]', '"', '\\', ' '),
)

const args = fc.oneof(
  fc.constant(''),
  fc
    .dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    .map((value) => JSON.stringify(value)),
)

interface DraftBlock {
  readonly info: (index: number) => BlockInfo
  readonly deltas: readonly Delta[]
}

const cutUp = (text: string, pieces: number): string[] => {
  const size = Math.max(1, Math.ceil(text.length / pieces))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  )
}

const textBlock = fc.array(word, { maxLength: 4 }).map((pieces): DraftBlock => ({
  info: (index) => ({ id: `block_${index}`, index, type: 'text' }),
  deltas: pieces.map((text) => ({ type: 'text', text })),
}))

const refusal = fc.array(word, { maxLength: 2 }).map((pieces): DraftBlock => ({
  info: (index) => ({ id: `block_${index}`, index, type: 'refusal' }),
  deltas: pieces.map((text) => ({ type: 'text', text })),
}))

const thinking = fc
  .tuple(fc.array(word, { maxLength: 3 }), fc.option(word, { nil: undefined }), fc.boolean())
  .map(([pieces, signature, redacted]): DraftBlock => ({
    info: (index) => ({ id: `block_${index}`, index, type: 'thinking', redacted }),
    deltas: [
      ...(redacted ? [] : pieces).map((text): Delta => ({ type: 'thinking', text })),
      ...(signature === undefined ? [] : [{ type: 'signature', signature } as const]),
    ],
  }))

const dialect = fc.constantFrom<ToolDialect>(
  'function',
  'function',
  'function',
  'custom',
  'shell',
  'unknown',
)

const id = fc.oneof(
  fc.stringMatching(/^call_[a-z0-9]{1,8}$/),
  fc.constantFrom('', 'call_1', 'functions.x:0', 'a'.repeat(80), 'ü'),
)

const toolCall = fc
  .tuple(id, dialect, args, fc.integer({ min: 1, max: 4 }))
  .map(([callId, kind, text, pieces]): DraftBlock => ({
    info: (index) => ({
      id: callId,
      index,
      type: 'tool-call',
      name: `tool_${index}`,
      dialect: kind,
    }),
    deltas: cutUp(text, pieces).map((piece) => ({ type: 'arguments', text: piece })),
  }))

const foreign = fc
  .constantFrom<(index: number) => BlockInfo>(
    (index) => ({ id: `s_${index}`, index, type: 'server-tool', name: 'web_search' }),
    (index) => ({
      id: `r_${index}`,
      index,
      type: 'tool-result',
      name: 'web_search',
      callId: 's_0',
    }),
    (index) => ({ id: `o_${index}`, index, type: 'opaque', vendorType: 'compaction' }),
  )
  .map((info): DraftBlock => ({ info, deltas: [] }))

const reason = fc.constantFrom<FinishReason>(
  'stop',
  'stop-sequence',
  'tool-calls',
  'length',
  'context-full',
  'refusal',
  'content-filter',
  'pause',
  'compaction',
  'other',
)

const count = fc.option(fc.nat(10_000), { nil: undefined })

const usage = fc
  .record({
    inputTokens: count,
    cacheReadTokens: count,
    outputTokens: count,
    reasoningTokens: count,
  })
  .map((fields) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
  )

/** Whole answers as events, made by nobody's wire. */
export const answerEvents: fc.Arbitrary<StreamEvent[]> = fc
  .record({
    id: fc.oneof(fc.constantFrom('', 'msg_1', 'chatcmpl-1', 'resp_1'), fc.string({ maxLength: 8 })),
    blocks: fc.array(
      fc.oneof(textBlock, textBlock, toolCall, toolCall, thinking, refusal, foreign),
      { maxLength: 6 },
    ),
    reason,
    usage: fc.option(usage, { nil: undefined }),
    pings: fc.boolean(),
    ending: fc.constantFrom('stop', 'stop', 'stop', 'error', 'cut'),
  })
  .map((draft) => {
    const events: StreamEvent[] = [{ type: 'message-start', id: draft.id, model: 'model' }]
    draft.blocks.forEach(({ info, deltas }, index) => {
      const block = info(index)
      events.push({ type: 'block-start', block })
      if (draft.pings) events.push({ type: 'ping' })
      for (const delta of deltas) events.push({ type: 'block-delta', block, delta })
      events.push({ type: 'block-stop', block })
    })
    if (draft.ending === 'error')
      events.push({ type: 'error', error: { kind: 'overloaded', message: 'Too much' } })
    if (draft.ending !== 'stop') return events
    events.push({ type: 'finish', reason: draft.reason })
    if (draft.usage !== undefined) events.push({ type: 'usage', usage: draft.usage })
    events.push({ type: 'message-stop' })
    return events
  })
