import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutAt, fromUtf8, toUtf8 } from '../../test/support/bytes.ts'
import { assemble, encode, lint, readEvents } from '../../test/support/pipeline.ts'
import { samplePiece, sampleRow, sampleVerdict } from '../../test/support/records.ts'
import { cuts, saltedText } from '../../test/support/secrets.ts'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import type { Body, BodyKind, ExchangeRow } from '../store/record.ts'
import { WIRE_NAMES } from '../wire/wires.ts'
import { redactAnswer, redactJsonBody } from './redact-answer.ts'
import { redactRecord, redactVerdicts } from './redact-record.ts'

const KEY = `sk-ant-api03-${'a1B2'.repeat(23)}`
const MAIL = 'bob.smith@example.com'
const CARD = '4111 1111 1111 1111'

const mark = (kind: string): string => `[redacted:${kind}]`
const wires = fc.constantFrom<WireName>(...WIRE_NAMES)

type Pieces = (text: string) => readonly string[]

/** An answer that says it in a text, thinks it, signs the thought, and puts it into a call. */
function answerOf(text: string, cut: Pieces): StreamEvent[] {
  const thought: BlockInfo = { type: 'thinking', id: 't', index: 0, redacted: false }
  const said: BlockInfo = { type: 'text', id: 's', index: 1 }
  const call: BlockInfo = {
    type: 'tool-call',
    id: 'call_1',
    index: 2,
    name: 'Bash',
    dialect: 'function',
  }
  const grow = (
    block: BlockInfo,
    type: 'text' | 'thinking' | 'arguments',
    whole: string,
  ): StreamEvent[] =>
    cut(whole).map((piece) => ({ type: 'block-delta', block, delta: { type, text: piece } }))
  return [
    { type: 'message-start', id: 'm', model: 'm' },
    { type: 'block-start', block: thought },
    ...grow(thought, 'thinking', text),
    { type: 'block-delta', block: thought, delta: { type: 'signature', signature: 'c2VhbA' } },
    { type: 'block-stop', block: thought },
    { type: 'block-start', block: said },
    ...grow(said, 'text', text),
    { type: 'block-stop', block: said },
    { type: 'block-start', block: call },
    ...grow(call, 'arguments', JSON.stringify({ command: text })),
    { type: 'block-stop', block: call },
    { type: 'finish', reason: 'tool-calls' },
    { type: 'message-stop' },
  ]
}

const stateOf = (wire: WireName, bytes: Uint8Array) => assemble(readEvents(wire, [bytes]))

describe('a stream', () => {
  test('leaves no secret, however it was spread over frames, and is legal', () => {
    const property = fc.property(wires, saltedText(3, mark), cuts, (wire, salted, cut) => {
      const { bytes } = encode(wire, answerOf(salted.text, cut))
      const redacted = redactAnswer(wire, { bytes, times: [bytes.length, 5] })
      expect(redacted).toBeDefined()
      if (redacted === undefined) return
      const { blocks } = stateOf(wire, redacted.bytes)
      const said = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      expect(said.join('')).toBe(salted.hidden)
      const call = blocks.find((block) => block.type === 'tool-call')
      expect(call?.type === 'tool-call' && call.args()).toEqual({ command: salted.hidden })
      const thought = blocks.find((block) => block.type === 'thinking')
      if (thought?.type === 'thinking') expect(thought.text).toBe(salted.hidden)
      expect(lint(wire, redacted.bytes).filter(({ severity }) => severity === 'error')).toEqual([])
    })
    fc.assert(property, { numRuns: 80 })
  })

  test('says the same in every fixture that has nothing to hide, and breaks no rule that was kept', () => {
    const folder = join(import.meta.dirname, '../../test/fixtures')
    let count = 0
    for (const wire of WIRE_NAMES)
      for (const name of readdirSync(join(folder, wire)).filter((one) => one.endsWith('.sse'))) {
        const bytes = readFileSync(join(folder, wire, name))
        const redacted = redactAnswer(wire, { bytes, times: [] })
        if (redacted === undefined) continue
        count += 1
        expect(essenceOf(wire, redacted.bytes), `${wire}/${name}`).toBe(essenceOf(wire, bytes))
        const before = new Set(lint(wire, bytes).map(({ rule }) => rule))
        const broken = lint(wire, redacted.bytes).filter(({ rule }) => !before.has(rule))
        expect(broken, `${wire}/${name}`).toEqual([])
      }
    expect(count).toBeGreaterThan(140)
  })

  /** Text, calls and their arguments, where they say something. */
  function essenceOf(wire: WireName, bytes: Uint8Array): string {
    const { blocks } = stateOf(wire, bytes)
    return blocks
      .map((block) => {
        if (block.type === 'tool-call') return `${block.name} ${block.arguments || '{}'}\n`
        return block.type === 'text' || block.type === 'refusal' ? block.text : ''
      })
      .join('')
  }

  test('has its times where its bytes came', () => {
    const { bytes } = encode(
      'anthropic-messages',
      answerOf('hello you', (text) => [...text]),
    )
    const half = Math.floor(bytes.length / 2)
    const times = [half, 1000, bytes.length - half, 9000]
    const redacted = redactAnswer('anthropic-messages', { bytes, times })
    const [first, at, second, end] = redacted?.times ?? []
    expect([at, end]).toEqual([1000, 9000])
    expect((first ?? 0) + (second ?? 0)).toBe(redacted?.bytes.length)
  })

  test('that broke off stays broken off, and loses the half frame at its end', () => {
    const { bytes } = encode(
      'openai-chat',
      answerOf(`mail ${MAIL} now`, (text) => [text]),
    )
    const at = fromUtf8(bytes).indexOf('"tool_calls"')
    const redacted = redactAnswer('openai-chat', { bytes: bytes.subarray(0, at), times: [] })
    const { blocks, error } = stateOf('openai-chat', redacted?.bytes ?? new Uint8Array())
    expect(error?.kind).toBe('cut')
    expect(blocks.at(-1)).toMatchObject({ type: 'text', text: 'mail [redacted:email] now' })
  })

  test('keeps nothing of what stands behind its end, or of what it does not know', () => {
    const { text } = encode(
      'anthropic-messages',
      answerOf('hi', (one) => [one]),
    )
    const late = `event: note\ndata: {"type":"note","text":"${KEY}"}\n\n: ${MAIL}\n\n`
    const redacted = redactAnswer('anthropic-messages', {
      bytes: toUtf8(`${late}${text}${late}`),
      times: [],
    })
    expect(redacted).toBeDefined()
    expect(fromUtf8(redacted?.bytes ?? new Uint8Array())).not.toMatch(/sk-ant|bob/)
  })

  test('hides what a vendor repeats of the request, and the tokens of a text', () => {
    const response = { id: 'r', object: 'response', model: 'm', instructions: `Key: ${KEY}` }
    const frames = [
      { type: 'response.created', sequence_number: 0, response: { ...response, output: [] } },
      {
        type: 'response.output_text.delta',
        output_index: 0,
        content_index: 0,
        item_id: 'i',
        delta: MAIL,
        logprobs: [{ token: 'bob', logprob: -1 }],
      },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [] } },
    ]
    const bytes = toUtf8(
      frames.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join(''),
    )
    const redacted = redactAnswer('openai-responses', { bytes, times: [] })
    expect(fromUtf8(redacted?.bytes ?? new Uint8Array())).not.toMatch(/sk-ant|bob/)
    expect(fromUtf8(redacted?.bytes ?? new Uint8Array())).toContain('Key: [redacted:anthropic-key]')
  })

  test('hides what stands beside each piece', () => {
    const chunk = { id: KEY, object: 'chat.completion.chunk', created: 1, model: `of ${MAIL}` }
    const frames = ['a', 'b'].map((content) => ({
      ...chunk,
      choices: [{ index: 0, delta: { content } }],
    }))
    const text = frames.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
    const redacted = redactAnswer('openai-chat', { bytes: toUtf8(text), times: [] })
    expect(fromUtf8(redacted?.bytes ?? toUtf8(text))).not.toMatch(/sk-ant|bob/)
    expect(stateOf('openai-chat', redacted?.bytes ?? toUtf8(text)).blocks).toMatchObject([
      { type: 'text', text: 'ab' },
    ])
  })

  test.each([
    ['a page of a proxy', `<html>${KEY}</html>`],
    ['frames that are no JSON', `data: ${KEY}\n\ndata: {"type":"ping"}\n\n`],
    ['half a JSON body', `{"key":"${KEY}`],
  ])('is not kept if it is %s', (_, text) => {
    expect(redactAnswer('anthropic-messages', { bytes: toUtf8(text), times: [] })).toBeUndefined()
  })
})

describe('a JSON body', () => {
  const redact = (json: unknown): unknown => {
    const bytes = toUtf8(JSON.stringify(json))
    const body = redactJsonBody({ bytes, times: [bytes.length, 7] })
    return body === undefined ? undefined : JSON.parse(fromUtf8(body.bytes))
  }

  test('is looked over wherever something may stand: in keys, in numbers, in JSON within a text', () => {
    expect(
      redact({
        system: `Use ${KEY}`,
        [`of ${MAIL}`]: 1,
        card: 4_111_111_111_111_111,
        time: 1_731_612_345_678,
        messages: [{ content: [{ type: 'text', text: `pay ${CARD}` }] }],
        tools: [{ description: `ask ${MAIL}` }],
        arguments: `{"to":"bob\\u0040example.com"}`,
        input: { data: KEY, nested: [[KEY]] },
        choices: [{ logprobs: { content: [{ token: 'bob' }] } }, { logprobs: [{ token: 'bob' }] }],
      }),
    ).toEqual({
      system: 'Use [redacted:anthropic-key]',
      'of [redacted:email]': 1,
      card: '[redacted:card]',
      time: 1_731_612_345_678,
      messages: [{ content: [{ type: 'text', text: 'pay [redacted:card]' }] }],
      tools: [{ description: 'ask [redacted:email]' }],
      arguments: '{"to":"[redacted:email]"}',
      input: { data: '[redacted:anthropic-key]', nested: [['[redacted:anthropic-key]']] },
      choices: [{ logprobs: null }, { logprobs: [] }],
    })
  })

  test('keeps pictures, seals and large numbers as they are, and its bytes where nothing is found', () => {
    const kept = {
      source: { type: 'base64', media_type: 'image/png', data: KEY },
      url: 'data:image/png;base64,AAAA',
      signature: KEY,
    }
    expect(redact(kept)).toEqual(kept)
    const exact: Body = { bytes: toUtf8('{ "id" : 12345678901234567890 }'), times: [1, 2] }
    expect(redactJsonBody(exact)).toBe(exact)
    const changed = toUtf8(`{"id":12345678901234567890,"to":"${MAIL}"}`)
    expect(fromUtf8(redactJsonBody({ bytes: changed, times: [] })?.bytes ?? changed)).toBe(
      '{"id":12345678901234567890,"to":"[redacted:email]"}',
    )
  })

  test('is looked over where something only is called as pictures and seals are', () => {
    const said = `by ${KEY}`
    const like = {
      input: { format: 'text', data: KEY },
      audio: { format: 'wav', data: said },
      source: { type: 'base64', data: said },
      url: `data:text/plain;base64,AAAA ${said}`,
      signature: said,
      encrypted_content: { said },
      logprobs: said,
    }
    expect(JSON.stringify(redact(like))).not.toContain('sk-ant')
  })

  test('that says a name twice keeps nothing of the first time, which nobody has read', () => {
    const bytes = toUtf8(`{ "a\\"": "${KEY}", "b": { "c": 1 }, "a\\"": "x" }`)
    const redacted = redactJsonBody({ bytes, times: [bytes.length, 7] })
    expect(fromUtf8(redacted?.bytes ?? bytes)).toBe('{"a\\"":"x","b":{"c":1}}')
  })

  test('that is nested beyond reason keeps nothing down there', () => {
    let deep: unknown = KEY
    for (let i = 0; i < 3000; i++) deep = [deep]
    expect(JSON.stringify(redact({ deep }))).not.toContain('sk-ant')
  })

  test('that is no object is not kept', () => {
    expect(redact(KEY)).toBeUndefined()
  })
})

describe('an exchange', () => {
  const row = (over: Partial<ExchangeRow> = {}): ExchangeRow =>
    sampleRow('one', { record: 'redacted', ...over })
  const piece = (kind: BodyKind, text: string, seq = 0) => samplePiece(text, { kind, seq })

  test('is masked in its bodies, its verdicts and its row, and says what it could not keep', () => {
    const { bytes } = encode(
      'anthropic-messages',
      answerOf(`to ${MAIL}`, (text) => [text]),
    )
    const [first = new Uint8Array(), second = new Uint8Array()] = cutAt(bytes, [700])
    const exchange = {
      row: row({
        fault: { kind: 'internal', message: `No ${KEY}` },
        requestHeaders: { 'x-note': MAIL },
        query: `?user=${MAIL}`,
        model: KEY,
        upstreamModel: KEY,
        answerModel: KEY,
        client: MAIL,
        dropped: ['sent'],
      }),
      pieces: [
        piece('request', JSON.stringify({ messages: [{ role: 'user', content: KEY }] })),
        { kind: 'upstream' as const, seq: 1, bytes: second, times: [second.length, 20] },
        { kind: 'upstream' as const, seq: 0, bytes: first, times: [first.length, 10] },
        piece('delivered', 'no stream at all'),
      ],
      verdicts: [sampleVerdict({ original: `{"to":"${MAIL}"}`, reason: `It has ${KEY}` })],
      tools: undefined,
    }
    const redacted = redactRecord(exchange)
    expect(JSON.stringify([redacted.row, redacted.verdicts])).not.toMatch(/sk-ant|bob/)
    expect(redacted.row.dropped).toEqual(['sent', 'delivered'])
    expect(redacted.pieces.map(({ kind }) => kind)).toEqual(['request', 'upstream'])
    for (const one of redacted.pieces) expect(fromUtf8(one.bytes)).not.toMatch(/sk-ant|bob/)
    expect(redacted.pieces[1]?.times.at(-1)).toBe(20)
  })

  test('of another wire is read on the upstream side as that', () => {
    const { bytes } = encode(
      'openai-chat',
      answerOf(MAIL, (text) => [text]),
    )
    const redacted = redactRecord({
      row: row({ upstreamWire: 'openai-chat' }),
      pieces: [{ kind: 'upstream', seq: 0, bytes, times: [bytes.length, 1] }],
      verdicts: [],
    })
    expect(redacted.row.dropped).toEqual([])
    expect(stateOf('openai-chat', redacted.pieces[0]?.bytes ?? bytes).blocks).toHaveLength(3)
  })

  test('verdicts keep all that is no content', () => {
    const verdict = sampleVerdict()
    expect(redactVerdicts([verdict])).toEqual([verdict])
  })
})
