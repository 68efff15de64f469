/**
 * Random answers whose every letter can be traced: each block is written in a letter of its own, from an area of Unicode
 * that nobody else uses. If one of a block's letters is found anywhere, something of it has left. Neighbours: `gated.ts`.
 */
import fc from 'fast-check'
import type { BlockInfo } from '../../src/event/block.ts'
import type { Delta, StreamEvent, WireName } from '../../src/event/event.ts'
import type { FinishReason } from '../../src/event/finish.ts'
import { encode } from './pipeline.ts'

const FIRST_LETTER = 0xe000
const SEAL = 'c2VhbA=='

const letterOf = (mark: number): string => String.fromCharCode(FIRST_LETTER + mark)

/** Which blocks have something in there, whether written out or escaped, once or more often. */
export function marksIn(text: string): Set<number> {
  const found = new Set<number>()
  for (const [hit, escaped] of text.matchAll(/[\uE000-\uE0FF]|\\u(e0[0-9a-f]{2})/giu))
    found.add((escaped === undefined ? hit.charCodeAt(0) : parseInt(escaped, 16)) - FIRST_LETTER)
  return found
}

export interface MarkedAnswer {
  readonly events: readonly StreamEvent[]
  /** The marks of its texts, refusals and calls. */
  readonly marks: readonly number[]
  readonly reason: FinishReason
}

interface Draft {
  readonly kind: 'text' | 'refusal' | 'thinking' | 'call' | 'free' | 'server'
  readonly length: number
  readonly pieces: number
  readonly choice: number
}

const draft: fc.Arbitrary<Draft> = fc.record({
  kind: fc.constantFrom('text', 'call', 'call', 'call', 'thinking', 'text', 'free', 'server'),
  length: fc.integer({ min: 1, max: 9 }),
  pieces: fc.integer({ min: 1, max: 5 }),
  choice: fc.constant(0),
})

export interface MarkedOptions {
  /** Several answers in one, which one wire has. */
  readonly hasChoices?: boolean
}

export const markedAnswers = (options: MarkedOptions = {}): fc.Arbitrary<MarkedAnswer> =>
  fc
    .record({
      drafts: fc.array(
        options.hasChoices === true
          ? fc.tuple(draft, fc.nat(1)).map(([one, choice]) => ({ ...one, choice }))
          : draft,
        { minLength: 1, maxLength: 7 },
      ),
      isCut: fc.nat(7).map((value) => value === 0),
      hasPings: fc.boolean(),
    })
    .map(({ drafts, isCut, hasPings }) => toAnswer(drafts, isCut, hasPings))

function toAnswer(drafts: readonly Draft[], isCut: boolean, hasPings: boolean): MarkedAnswer {
  const marks: number[] = []
  const sorted = drafts.toSorted((a, b) => a.choice - b.choice)
  const events: StreamEvent[] = [{ type: 'message-start', id: 'answer_1', model: 'm' }]
  const choices = new Set(sorted.map(({ choice }) => choice))
  const reasons = new Map<number, FinishReason>()
  for (const [index, one] of sorted.entries()) {
    const isLast = index === sorted.length - 1
    const of = one.choice === 0 ? {} : { choice: one.choice }
    if (one.kind !== 'thinking' && one.kind !== 'server') marks.push(index)
    const block: BlockInfo = { ...toInfo(one, index), ...of }
    if (block.type === 'tool-call') reasons.set(one.choice, 'tool-calls')
    events.push({ type: 'block-start', block, ...of })
    if (hasPings) events.push({ type: 'ping' })
    for (const delta of toDeltas(one, index, isCut && isLast))
      events.push({ type: 'block-delta', block, delta, ...of })
    const isCutFree = isCut && isLast && one.kind === 'free'
    events.push({ type: 'block-stop', block, ...(isCutFree ? { isCut: true } : {}), ...of })
  }
  for (const choice of choices.size === 0 ? [0] : [...choices, ...(choices.has(0) ? [] : [0])]) {
    const reason = isCut ? 'length' : (reasons.get(choice) ?? 'stop')
    events.push({ type: 'finish', reason, ...(choice === 0 ? {} : { choice }) })
  }
  events.push({ type: 'usage', usage: { inputTokens: 5, outputTokens: 7 } })
  events.push({ type: 'message-stop' })
  return { events, marks, reason: isCut ? 'length' : (reasons.get(0) ?? 'stop') }
}

function toInfo({ kind }: Draft, index: number): BlockInfo {
  const base = { id: `block_${index}`, index }
  switch (kind) {
    case 'text':
    case 'refusal':
      return { ...base, type: kind }
    case 'thinking':
      return { ...base, type: 'thinking', redacted: false }
    case 'server':
      return { ...base, id: `srvtoolu_${index}`, type: 'server-tool', name: 'web_search' }
    case 'call':
    case 'free': {
      const dialect = kind === 'free' ? 'custom' : 'function'
      const name = kind === 'free' ? 'write' : 'run'
      return { ...base, id: `call_${index}`, type: 'tool-call', name, dialect }
    }
  }
}

function toDeltas(one: Draft, index: number, isCut: boolean): Delta[] {
  const letters = letterOf(index).repeat(one.length)
  switch (one.kind) {
    case 'text':
    case 'refusal':
      return cutUp(letters, one.pieces).map((text) => ({ type: 'text', text }))
    case 'thinking':
      return [
        { type: 'thinking', text: 'Hm. ' },
        { type: 'signature', signature: SEAL },
      ]
    case 'server':
      return [{ type: 'arguments', text: '{"query":"owls"}' }]
    case 'free':
      return cutUp(letters, one.pieces).map((text) => ({ type: 'arguments', text }))
    case 'call': {
      const args = JSON.stringify({ path: letters, [letters]: [`"${letters}\\`, { a: letters }] })
      const text = isCut ? args.slice(0, Math.max(3, args.length - 4)) : args
      return cutUp(text, one.pieces).map((piece) => ({ type: 'arguments', text: piece }))
    }
  }
}

function cutUp(text: string, pieces: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  )
}

/** As the upstream would send it, with what servers put between their frames. */
export function toUpstream(
  wire: WireName,
  { events }: MarkedAnswer,
  strangers: readonly number[],
): Uint8Array {
  const { text } = encode(wire, events)
  // Each vendor knows its own seals by their look, and has none of our envelopes.
  const seal = wire === 'openai-responses' ? 'gAAAAABseal' : SEAL
  const own = text.replaceAll(/sluice1\.[\w-]+/g, seal)
  const frames = own.split(/(?<=\n\n)/)
  for (const place of strangers) {
    // Not before the first frame, and not behind the end.
    const at = 1 + (place % Math.max(1, frames.length - 1))
    frames.splice(at, 0, STRANGERS[wire][place % STRANGERS[wire].length] ?? '')
  }
  return new TextEncoder().encode(frames.join(''))
}

const STRANGERS: Readonly<Record<WireName, readonly string[]>> = {
  'anthropic-messages': [
    'event: ping\ndata: {"type": "ping"}\n\n',
    ': still here\n\n',
    'event: hologram\ndata: {"type":"hologram"}\n\n',
  ],
  'openai-chat': [': OPENROUTER PROCESSING\n\n', ': still here\n\n'],
  'openai-responses': [
    ': still here\n\n',
    'event: response.hologram\ndata: {"type":"response.hologram"}\n\n',
    'event: keepalive\ndata: {"type":"keepalive"}\n\n',
  ],
}
