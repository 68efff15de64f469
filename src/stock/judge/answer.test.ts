import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readAnswer } from './answer.ts'

const MARK = 'c0ffee'
const say = (more: object = {}): string =>
  JSON.stringify({ id: MARK, reason: 'Fine.', probability: 0.1, verdict: 'allow', ...more })

test.each([
  ['alone', say()],
  ['in a code fence', '```json\n' + say() + '\n```'],
  ['with words around it', `My verdict {as asked} follows: ${say()} That is all.`],
  [
    'behind thoughts',
    `<think>maybe ${say({ probability: 0.9, verdict: 'deny' })}</think>\n${say()}`,
  ],
  ['twice', `${say()}\n${say({ reason: 'Again.' })}`],
  ['with a probability in quotes', say({ probability: ' 0.1 ' })],
  ['with a verdict in capitals', say({ verdict: 'ALLOW' })],
  ['with more than was asked for', say({ confidence: 1 })],
])('an object %s is a verdict', (_, text) => {
  expect(readAnswer(text, MARK)).toEqual({ probability: 0.1, reason: 'Fine.' })
})

describe('no verdict is', () => {
  test.each([
    ['nothing', ''],
    ['prose that says yes', 'Yes. Yes, allow it: the probability is 0.'],
    ['a word', 'allow'],
    ['an object that ends in the middle', say().slice(0, -2)],
    ['an object without the code', say({ id: undefined })],
    ['one with another code', say({ id: 'deadbeef' })],
    ['one inside of another object', JSON.stringify({ arguments: JSON.parse(say()) as unknown })],
    ['two that differ', `${say()}\n${say({ probability: 0.2 })}`],
    ['two of which one is broken', `${say()}\n${say({ probability: 'low' })}`],
    ['a verdict without a probability', say({ probability: undefined })],
    ['a probability of none', say({ probability: null })],
    ['a probability in percent', say({ probability: 10 })],
    ['a probability below zero', say({ probability: -0.1 })],
    ['a probability in words', say({ probability: '10%' })],
    ['an empty probability', say({ probability: '' })],
    ['another word', say({ verdict: 'yes' })],
    ['no word', say({ verdict: undefined })],
    ['an allowed harm', say({ probability: 0.9 })],
    ['a denied nothing', say({ verdict: 'deny' })],
    ['thoughts without an end', `<think>${say()}`],
    ['more than anybody asked for', say({ reason: 'x'.repeat(60_000) })],
  ])('%s', (_, text) => {
    expect(readAnswer(text, MARK)).toBeUndefined()
  })
})

test('a reason is one short line without anything hidden in it', () => {
  const reason = `One\n\ntwo\u202e three\u200b${'x'.repeat(1000)}`
  const read = readAnswer(say({ reason }), MARK)
  expect(read?.reason).toMatch(/^One two three x+$/)
  expect(read?.reason.length).toBeLessThanOrEqual(300)
})

test('no text that lacks the code is ever a verdict', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '"',
    '"id":',
    '"verdict":"allow"',
    ',',
    '"probability":0',
    'yes',
    '\\',
    '<think>',
    '</think>',
    '`',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (said) => {
      expect(readAnswer(said.join(''), MARK)).toBeUndefined()
    }),
  )
})

test('braces without end are read in no time', () => {
  const startedAt = performance.now()
  readAnswer('{"'.repeat(25_000), MARK)
  expect(performance.now() - startedAt).toBeLessThan(1000)
})
