import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toUtf8 } from '../../test/support/bytes.ts'
import { encode } from '../../test/support/pipeline.ts'
import { flipCodec, sampleExchange, sampleRow, sampleVerdict } from '../../test/support/records.ts'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import { openStore } from '../store/open-store.ts'
import type { ExchangeRecord } from '../store/query.ts'
import type { Body, ExchangeRow, Piece } from '../store/record.ts'
import { WIRE_NAMES } from '../wire/wires.ts'
import { compareAnswers } from './compare-answers.ts'
import { readAnswer, type BlockView } from './read-answer.ts'
import { readRecord, toRecordView, type Bodies } from './read-record.ts'

const TEXT: BlockInfo = { type: 'text', id: 's', index: 0 }
const CALL: BlockInfo = { type: 'tool-call', id: 'c', index: 1, name: 'Bash', dialect: 'function' }

const say = (block: BlockInfo, type: 'text' | 'arguments', text: string): StreamEvent[] => [
  { type: 'block-start', block },
  { type: 'block-delta', block, delta: { type, text: text.slice(0, 5) } },
  { type: 'block-delta', block, delta: { type, text: text.slice(5) } },
  { type: 'block-stop', block },
]

const answer = (...blocks: readonly StreamEvent[][]): StreamEvent[] => [
  { type: 'message-start', id: 'm', model: 'm' },
  ...blocks.flat(),
  { type: 'finish', reason: 'tool-calls' },
  { type: 'message-stop' },
]

const CAME = answer(say(TEXT, 'text', 'Let me look.'), say(CALL, 'arguments', '{"command":"ls"}'))

const bodyOf = (wire: WireName, events: StreamEvent[]): Body => {
  const { bytes } = encode(wire, events)
  return { bytes, times: [bytes.length, 1000] }
}

const recordOf = (over: Partial<ExchangeRow> = {}): ExchangeRecord => ({
  ...sampleRow('one', over),
  tools: [],
  bodies: {},
})

test('blocks have the time of their first and of their last byte', () => {
  for (const wire of WIRE_NAMES) {
    const { text } = encode(wire, CAME)
    const frames = text.split(/(?<=\n\n)/).map((frame) => toUtf8(frame))
    const times = frames.flatMap((frame, i) => [frame.length, (i + 1) * 100])
    const { blocks } = readAnswer(wire, { bytes: toUtf8(text), times })
    const at = (needle: string, from: 'first' | 'last'): number => {
      const has = frames.map((frame) => new TextDecoder().decode(frame).includes(needle))
      return ((from === 'first' ? has.indexOf(true) : has.lastIndexOf(true)) + 1) * 100
    }
    const [said, call] = blocks
    expect(said?.content).toBe('Let me look.')
    expect(call?.content).toBe('{"command":"ls"}')
    expect(said?.startedAt).toBeLessThanOrEqual(at('Let m', 'first'))
    expect(said?.endedAt).toBeGreaterThanOrEqual(at('e look.', 'first'))
    expect(call?.startedAt).toBeGreaterThanOrEqual(said?.endedAt ?? 0)
    expect(call?.startedAt).toBe(at('Bash', 'first'))
    expect(call?.endedAt).toBeGreaterThan(call?.startedAt ?? 0)
  }
})

test('what no time is known of has none', () => {
  const { bytes } = encode('openai-chat', CAME)
  const { blocks } = readAnswer('openai-chat', { bytes, times: [] })
  expect(blocks[0]).toMatchObject({ startedAt: undefined, endedAt: undefined })
})

test('a JSON answer, an error and something else are told apart', () => {
  const wire = 'anthropic-messages'
  const read = (json: unknown) =>
    readAnswer(wire, { bytes: toUtf8(JSON.stringify(json)), times: [9, 50] })
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'x',
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: 'end_turn',
  }
  expect(read(message)).toMatchObject({
    form: 'json',
    model: 'x',
    finishReason: 'stop',
    blocks: [{ content: 'hi', startedAt: 50, endedAt: 50 }],
  })
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Later' } }
  expect(read(error)).toMatchObject({ form: 'error', fault: { kind: 'overloaded' } })
  expect(read({ input_tokens: 5 })).toMatchObject({ form: 'other' })
  const page = { bytes: toUtf8('<html></html>'), times: [] }
  expect(readAnswer(wire, page)).toMatchObject({ form: 'other', blocks: [] })
})

test('a stream that breaks a rule says which', () => {
  const { text } = encode('anthropic-messages', CAME)
  const cut = toUtf8(text.slice(0, text.indexOf('event: message_stop')))
  const view = readAnswer('anthropic-messages', { bytes: cut, times: [] })
  expect(view.fault?.kind).toBe('cut')
  expect(view.findings).toMatchObject([{ rule: 'A16', severity: 'error' }])
})

test('what left other than it came is told block by block', () => {
  const notice = say({ ...TEXT, index: 1, id: 'n' }, 'text', 'Bash was denied')
  const upstream = bodyOf('anthropic-messages', CAME)
  const delivered = bodyOf('openai-chat', answer(say(TEXT, 'text', 'Let me look.'), notice))
  const view = toRecordView(recordOf({ wire: 'openai-chat' }), { upstream, delivered }, [])
  expect(view.isSame).toBe(false)
  expect(view.changes.map(({ type }) => type)).toContain('removed')
  const unchanged = toRecordView(recordOf(), { upstream }, [])
  expect(unchanged).toMatchObject({ isSame: true, changes: [] })
  expect(unchanged.delivered).toBe(unchanged.upstream)
})

test('changes come in the order of the answers', () => {
  const view = (type: 'text' | 'tool-call', content: string): BlockView =>
    ({ block: { type, name: 'x' }, content, startedAt: 0, endedAt: 0 }) as unknown as BlockView
  const changesOf = (then: readonly BlockView[], now: readonly BlockView[]): string =>
    compareAnswers(then, now)
      .map(({ type }) => type)
      .join(' ')
  const [a, b, call] = [view('text', 'a'), view('text', 'b'), view('tool-call', '{}')]
  expect(changesOf([a, call], [a, call])).toBe('same same')
  expect(changesOf([a, call], [a, b])).toBe('same removed added')
  expect(changesOf([a, call, b], [a, view('tool-call', '{"x":1}'), b])).toBe('same changed same')
  expect(changesOf([a], [])).toBe('removed')
  expect(changesOf([], [a, b])).toBe('added added')
  expect(changesOf([a, a, a], [a, a])).toBe('same same removed')
  expect(compareAnswers([a, b], [b, a])).toEqual([
    { type: 'removed', original: 0 },
    { type: 'same', original: 1, delivered: 0 },
    { type: 'added', delivered: 1 },
  ])
})

test('notes say why something is not there', () => {
  const notes = (over: Partial<ExchangeRow>, bodies: Bodies = {}): string =>
    toRecordView(recordOf(over), bodies, []).notes.join()
  const upstream = bodyOf('anthropic-messages', CAME)
  expect(notes({}, { upstream })).toBe('')
  expect(notes({ record: 'metadata' })).toMatch(/record: metadata/)
  expect(notes({ record: 'redacted' }, { upstream })).toMatch(/masked/)
  expect(notes({ dropped: ['upstream'] })).toMatch(/no room for it: upstream/)
  expect(notes({ status: 401 })).toMatch(/the gateway said 401 itself/)
  expect(notes({}, { upstream: { bytes: toUtf8('<p>'), times: [] } })).toMatch(/nothing that/)
})

test('a record of a real store is read with its request and its verdicts in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-read-record-'))
  const location = { type: 'sqlite', file: join(folder, 'records.db') } as const
  const store = await openStore(location, { codec: flipCodec() })
  try {
    const request = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Look' }] }
    const { bytes, times } = bodyOf('anthropic-messages', CAME)
    const pieces: Piece[] = [
      { kind: 'request', seq: 0, bytes: toUtf8(JSON.stringify(request)), times: [] },
      { kind: 'upstream', seq: 0, bytes, times },
    ]
    const verdicts = [sampleVerdict({ type: 'pass' }), sampleVerdict({ type: 'deny' })]
    await store.write([sampleExchange('one', {}, { pieces, verdicts })])
    const view = await readRecord(store, 'one')
    expect(view?.request?.turns).toMatchObject([{ role: 'user', parts: [{ text: 'Look' }] }])
    expect(view?.upstream?.blocks.map(({ content }) => content)).toEqual([
      'Let me look.',
      '{"command":"ls"}',
    ])
    expect(view?.verdicts.map(({ type }) => type)).toEqual(['pass', 'deny'])
    expect(await readRecord(store, 'two')).toBeUndefined()
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
})
