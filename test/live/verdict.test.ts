/** The live test calls a difference that the gateway makes by its name, and no other. */
import { describe, expect, test } from 'vitest'
import type { ExchangeReport } from '../../src/exchange/report.ts'
import type { Outcome, Said, Thrown } from '../support/sdk-flow.ts'
import type { Recorded } from './recorder.ts'
import { judge, type Seen, type Verdict } from './verdict.ts'

const said = (more: Partial<Said> = {}): Outcome => ({
  type: 'said',
  said: { text: 'Hello', thinking: '', calls: [], finish: 'stop', raw: [], ...more },
})
const thrown = (more: Partial<Thrown> = {}): Outcome => ({
  type: 'thrown',
  error: {
    name: 'AuthenticationError',
    status: 401,
    kind: 'invalid_api_key',
    retryAfter: undefined,
    message: 'No',
    ...more,
  },
})
const told = (value: unknown): Outcome => ({ type: 'told', told: value })
const report = (more: Partial<ExchangeReport>): ExchangeReport =>
  ({ outcome: 'done', bytesOut: 100, ...more }) as ExchangeReport
const recorded = (more: Partial<Recorded>): Recorded => ({ bytes: 100, ...more }) as Recorded

const look = (direct: Outcome | undefined, through: Outcome, more: Partial<Seen> = {}): Verdict =>
  judge({
    flow: 'text by stream',
    direct,
    through,
    reports: [report({})],
    recorded: [recorded({})],
    ...more,
  })

const call = { name: 'get_weather', arguments: {} }

describe('is bad', () => {
  test.each<[string, Verdict]>([
    ['an error where there was none', look(said(), thrown())],
    ['another finish', look(said(), said({ finish: 'length' }))],
    ['no text', look(said(), said({ text: '' }))],
    ['no call', look(said({ calls: [call] }), said())],
    [
      'an exchange that is not done',
      look(said(), said(), { reports: [report({ outcome: 'broken' })] }),
    ],
    ['bytes that were lost', look(said(), said(), { reports: [report({ bytesOut: 99 })] })],
    ['another status', look(thrown(), thrown({ status: 502 }), { flow: 'wrong key' })],
    ['another class', look(thrown(), thrown({ name: 'APIError' }), { flow: 'wrong key' })],
    ['a key that is let in', look(thrown(), said(), { flow: 'wrong key' })],
    ['another count', look(told({ n: 1 }), told({ n: 2 }), { flow: 'token count' })],
    ['a model that is not listed', look(told(['a', 'b']), told(['a']), { flow: 'models' })],
    ['an empty stream', look(told([{}]), told([]))],
  ])('%s', (_, verdict) => {
    expect(verdict.type).toBe('bad')
  })

  test('a provider that is left late, or a client that is not seen to leave', () => {
    const left: Outcome = { type: 'left', at: 1000, error: undefined }
    const at = new Date(500).toISOString()
    const leaves = (outcome: ExchangeReport['outcome'], durationMs: number): string =>
      look(undefined, left, {
        reports: [report({ outcome })],
        recorded: [recorded({ at, durationMs })],
      }).type
    expect(leaves('client-left', 520)).toBe('good')
    expect(leaves('client-left', 600)).toBe('bad')
    expect(leaves('done', 520)).toBe('bad')
  })
})

test('what two runs of a model may differ in is good, and noted', () => {
  expect(look(said(), said({ text: 'Hi' }))).toEqual({ type: 'good', notes: [] })
  const verdict = look(said({ calls: [call, call] }), said({ calls: [call] }), {
    reports: [report({ bytesOut: 120 })],
  })
  expect(verdict).toEqual({
    type: 'good',
    notes: ['1 calls instead of 2', '20 bytes of signs of life'],
  })
  expect(look(told(['a']), told(['a', 'b']), { flow: 'models' }).type).toBe('good')
  expect(look(thrown(), thrown(), { flow: 'wrong key' }).type).toBe('good')
})

test('what does not work without the gateway says nothing of it', () => {
  expect(look(thrown(), thrown()).type).toBe('unable')
  expect(look(undefined, thrown()).type).toBe('unable')
})
