import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Answer } from '../event/answer.ts'
import type { BlockInfo, StreamBlock } from '../event/block.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import { seal, unseal, type Sealed } from './envelope.ts'
import { WIRES } from './wires.ts'

const NAMES: readonly WireName[] = ['anthropic-messages', 'openai-chat', 'openai-responses']
const PAIRS = NAMES.flatMap((from) => NAMES.filter((to) => to !== from).map((to) => ({ from, to })))

test('what was sealed is opened again, with the upstream that sealed it', () => {
  const sealed = fc.record(
    {
      wire: fc.constantFrom(...NAMES),
      issuer: fc.string({ minLength: 1 }),
      text: fc.string({ unit: 'grapheme' }),
      signature: fc.string({ minLength: 1 }),
      redacted: fc.constant(true),
      item: fc
        .dictionary(fc.string(), fc.jsonValue())
        .map((item) => JSON.parse(JSON.stringify(item))),
    },
    { requiredKeys: ['wire', 'text'] },
  )
  fc.assert(
    fc.property(sealed, (thinking: Sealed) => {
      expect(unseal(seal(thinking))).toEqual(thinking)
    }),
    { numRuns: 50 },
  )
})

test('an envelope without an issuer is opened without one', () => {
  expect(unseal(seal({ wire: 'openai-chat', issuer: undefined, text: 'a' }))).toEqual({
    wire: 'openai-chat',
    text: 'a',
  })
})

test('an issuer that is no name is nobody', () => {
  const made = `sluice1.${btoa('{"wire":"openai-chat","issuer":{"a":1},"text":"a"}')}`
  expect(unseal(made)).toEqual({ wire: 'openai-chat', text: 'a' })
})

test('an envelope over four million characters stays closed', () => {
  const thinking = { wire: 'openai-chat', text: 'a'.repeat(3_000_000) } as const
  expect(unseal(seal(thinking))?.text).toHaveLength(3_000_000)
  expect(unseal(seal({ ...thinking, text: 'a'.repeat(3_200_000) }))).toBeUndefined()
})

test('an envelope that could not be written again stays closed', () => {
  const item = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const json = `{"wire":"openai-responses","text":"a","signature":"s","item":${item}}`
  expect(unseal(`sluice1.${btoa(json)}`)).toBeUndefined()
})

test('nothing that a client makes up throws', () => {
  const rest = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
  )
  fc.assert(
    fc.property(rest, (text) => {
      expect(() => unseal(`sluice1.${text}`)).not.toThrow()
    }),
    { numRuns: 100 },
  )
})

const info: BlockInfo = { type: 'thinking', id: 'rs_1', index: 0, redacted: false }

test.each(PAIRS)('a stream from $from to $to says which upstream sealed it', ({ from, to }) => {
  const encoder = WIRES[to].createEncoder({ now: () => 1, issuer: 'east' })
  const events: readonly StreamEvent[] = [
    { type: 'message-start', id: 'm', model: 'm', wire: from },
    { type: 'block-start', block: info },
    { type: 'block-delta', block: info, delta: { type: 'thinking', text: 'hm' } },
    { type: 'block-delta', block: info, delta: { type: 'signature', signature: 'sig' } },
    { type: 'block-stop', block: info },
    { type: 'finish', reason: 'stop' },
    { type: 'message-stop' },
  ]
  const text = events.flatMap((event) => encoder.push(event)).join('')
  expect(unseal(envelopeIn(text))).toMatchObject({ wire: from, issuer: 'east', signature: 'sig' })
})

test.each(PAIRS)('a JSON answer from $from to $to says so too', ({ from, to }) => {
  const block = { ...info, info, isComplete: true, text: 'hm', signature: 'sig' } as StreamBlock
  const answer: Answer = {
    id: 'm',
    model: 'm',
    wire: from,
    blocks: [block],
    finishReason: 'stop',
    vendorFinishReason: undefined,
    stopSequence: undefined,
    explanation: undefined,
    usage: undefined,
    error: undefined,
    isStopped: true,
  }
  const { body } = WIRES[to].writeAnswer(answer, { now: () => 1, issuer: 'east' })
  const envelope = envelopeIn(JSON.stringify(body))
  expect(unseal(envelope)).toMatchObject({ wire: from, issuer: 'east', signature: 'sig' })
})

const envelopeIn = (text: string): string | undefined => /sluice1\.[\w-]+/.exec(text)?.[0]
