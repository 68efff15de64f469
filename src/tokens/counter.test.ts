import { expect, test } from 'vitest'
import { createCounter } from './counter.ts'

const toBody = (text: string) => ({ messages: [{ role: 'user', content: text }] })
const BODY = toBody('The quick brown fox jumps over the lazy dog. '.repeat(100))

test('a count says that it is an estimate', () => {
  const { tokens, estimated, isEstimate } = createCounter().count('gpt-5', BODY)
  expect(isEstimate).toBe(true)
  expect(estimated).toBeGreaterThan(900)
  expect(tokens / estimated).toBeCloseTo(1.03, 1)
})

test('counts come near to what an upstream counted, model by model', () => {
  const counter = createCounter()
  const { estimated, tokens: before } = counter.count('local', BODY)
  for (let i = 0; i < 30; i++) counter.observe({ model: 'local', estimated, actual: before * 1.4 })
  expect(counter.count('local', BODY).tokens / before).toBeCloseTo(1.4, 1)
  expect(counter.count('another', BODY).tokens).toBe(before)
})

test('observations that cannot be about the same text are passed over', () => {
  const counter = createCounter()
  const before = counter.count('m', BODY)
  for (const actual of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1, before.estimated * 10])
    counter.observe({ model: 'm', estimated: before.estimated, actual })
  for (const estimated of [0, -1, Number.NaN, 5])
    counter.observe({ model: 'm', estimated, actual: 9 })
  expect(counter.count('m', BODY)).toEqual(before)
})

test('no run of observations moves a count without bound', () => {
  const counter = createCounter()
  const { estimated } = counter.count('m', BODY)
  for (let i = 0; i < 500; i++) counter.observe({ model: 'm', estimated, actual: estimated * 2.4 })
  expect(counter.count('m', BODY).tokens).toBe(estimated * 2)
})

test('a count by key is remembered without its body, and corrected by what came since', () => {
  const counter = createCounter()
  const { tokens, estimated } = counter.count('m', BODY, 'k')
  expect(counter.count('m', {}, 'k').tokens).toBe(tokens)
  counter.observe({ model: 'm', estimated, actual: estimated * 2 })
  expect(counter.count('m', {}, 'k').tokens).toBeGreaterThan(tokens)
  expect(counter.count('m', {}, 'unknown').estimated).toBeLessThan(estimated)
})

test('what is remembered is bounded, and what was asked for lately stays', () => {
  const counter = createCounter({ maxRemembered: 3 })
  for (const key of ['a', 'b', 'c']) counter.count('m', BODY, key)
  counter.count('m', BODY, 'a')
  counter.count('m', BODY, 'd')
  const { estimated } = counter.count('m', BODY)
  // The one that is gone last: to ask for it puts out another.
  const isKept = (key: string): boolean => counter.count('m', {}, key).estimated === estimated
  expect(['a', 'c', 'd', 'b'].map(isKept)).toEqual([true, true, true, false])
})

test('models are bounded too: the one that was observed longest ago is forgotten', () => {
  const counter = createCounter({ maxModels: 2 })
  const { estimated, tokens } = counter.count('a', BODY)
  for (const model of ['a', 'b', 'c'])
    for (let i = 0; i < 20; i++) counter.observe({ model, estimated, actual: estimated * 1.5 })
  expect(counter.count('a', BODY).tokens).toBe(tokens)
  expect(counter.count('b', BODY).tokens).toBeGreaterThan(tokens * 1.3)
})

test('fifty times the same question costs little more than one', () => {
  const counter = createCounter()
  const body = toBody('x y z '.repeat(200_000))
  const time = (): number => {
    const from = performance.now()
    counter.count('m', body, 'k')
    return performance.now() - from
  }
  const first = time()
  let rest = 0
  for (let i = 0; i < 50; i++) rest += time()
  expect(rest).toBeLessThan(first * 5)
})
