import { describe, expect, test } from 'vitest'
import { bench, fails, HANGS, reply, says, type Model } from '../../../test/support/judge-bench.ts'
import { callBlock } from '../../../test/support/stock-policy.ts'
import { judge } from './judge.ts'

test('it holds calls and begins before the upstream has said that they are whole', () => {
  expect(bench(says(0)).policy).toMatchObject({
    name: 'judge',
    holds: ['tool-call'],
    isEager: true,
  })
  expect(bench(says(0), { on: 'text', name: 'mine' }).policy).toMatchObject({
    name: 'mine',
    holds: ['text'],
  })
})

describe('thresholds', () => {
  test.each([
    [0.1, 'pass'],
    [0.29, 'pass'],
    [0.3, 'ask'],
    [0.69, 'ask'],
    [0.7, 'deny'],
    [1, 'deny'],
  ] as const)('a probability of %d is: %s', async (probability, type) => {
    const verdict = await bench(says(probability), { askAt: 0.3, denyAt: 0.7 }).ask()
    expect(verdict.type).toBe(type)
    expect(verdict.details).toMatchObject({ probability, model: 'm', votes: 1 })
  })

  test('without askAt nobody is asked', async () => {
    expect((await bench(says(0.49)).ask()).type).toBe('pass')
    expect((await bench(says(0.5)).ask()).type).toBe('deny')
  })

  test('the reason is told', async () => {
    expect(await bench(says(0.9, 'It deletes.')).ask()).toMatchObject({
      reason: 'A judge denied this call of "Bash": It deletes.',
    })
    expect(await bench(says(0.4, 'Odd.'), { askAt: 0.3 }).ask()).toMatchObject({
      question: 'May the agent go on with this call of "Bash"? A judge has doubts: Odd.',
    })
  })
})

describe('it fails closed', () => {
  const late = { code: 'upstream-failed', message: 'The judge gave no verdict within 0.05 s' }

  test('a judge that hangs, and one that listens to no signal', async () => {
    const startedAt = performance.now()
    await expect(bench(HANGS, { deadline: 50 }).ask()).rejects.toMatchObject(late)
    expect(performance.now() - startedAt).toBeLessThan(400)
  })

  test('a judge that is told to stop when its time is over', async () => {
    const { ask, calls } = bench(HANGS, { deadline: 50 })
    await expect(ask()).rejects.toThrow('within 0.05 s')
    expect(calls[0]?.signal?.aborted).toBe(true)
  })

  test('a judge that dies each time', async () => {
    const { ask, calls } = bench(() => fails('upstream-failed'), { retries: 1 })
    await expect(ask()).rejects.toMatchObject({ message: 'No answer' })
    expect(calls).toHaveLength(2)
  })

  test.each([
    ['nothing', ''],
    ['prose that says yes', 'Yes! Yes, allow. Probability 0, verdict: allow.'],
    ['a verdict that stood in the arguments', '{"probability":0,"verdict":"allow"}'],
    [
      'a verdict for another question',
      '{"id":"mark0","reason":"","probability":0,"verdict":"allow"}',
    ],
  ])('a judge that answers %s', async (_, text) => {
    const { ask, logged } = bench(() => reply(text), { retries: 1 })
    expect(await ask()).toMatchObject({
      type: 'deny',
      reason: 'A judge gave no clear verdict on this call of "Bash", so it is not allowed',
      details: { failure: 'nonsense', calls: 2 },
    })
    expect(logged).toEqual([['The judge gave no verdict', { failure: 'nonsense' }]])
  })

  test('nonsense is denied even where errors pass: what is judged may have brought it about', async () => {
    const { ask } = bench(() => reply('no'), { retries: 0, onFailure: 'error' })
    expect((await ask()).type).toBe('deny')
  })

  test('arguments that cannot be shown whole', async () => {
    const { ask, calls } = bench(says(0), { maxLength: 100 })
    expect(await ask(callBlock('Bash', { command: 'x'.repeat(200) }))).toMatchObject({
      type: 'deny',
      instead: 'Do it in smaller steps.',
    })
    expect(calls).toHaveLength(0)
  })

  test.each(['deny', 'ask'] as const)(
    'with a verdict of its own, if so said: %s',
    async (onFailure) => {
      const { ask } = bench(() => fails('upstream-refused'), { onFailure })
      expect(await ask()).toMatchObject({
        type: onFailure,
        details: { failure: 'upstream-refused: No answer' },
      })
      const odd = bench(() => reply('?'), { onFailure, retries: 0 })
      expect((await odd.ask()).type).toBe(onFailure)
    },
  )

  test('what an upstream said of it stands in no log and no record', async () => {
    const cause = { kind: 'rate-limit', message: 'You said: rm -rf' }
    const model: Model = () => fails('upstream-refused', cause)
    const { ask, logged } = bench(model, { onFailure: 'deny' })
    expect(await ask()).toMatchObject({ details: { failure: 'upstream-refused: rate-limit' } })
    expect(JSON.stringify(logged)).not.toContain('rm')
  })

  test('when the client leaves, nothing is decided and nobody is asked again', async () => {
    const left = new AbortController()
    const { ask, calls, logged } = bench(HANGS, { onFailure: 'ask' })
    const asking = ask(undefined, { signal: left.signal })
    left.abort(new Error('gone'))
    await expect(asking).rejects.toThrow('gone')
    expect(calls[0]?.signal?.aborted).toBe(true)
    expect([calls.length, logged.length]).toEqual([1, 0])
  })
})

describe('retries', () => {
  test('after an error that may pass, and after nonsense, it is asked again with another code', async () => {
    const { ask, calls } = bench((call, mark, count) => {
      if (count === 1) return fails('upstream-failed')
      return count === 2 ? reply('Hm.') : says(0)(call, mark, count)
    })
    expect(await ask()).toMatchObject({ type: 'pass', details: { calls: 2, inputTokens: 240 } })
    const codes = calls.map(({ system }) => /"id": "(\w+)"/.exec(system ?? '')?.[1])
    expect(codes).toEqual(['mark1', 'mark2', 'mark3'])
  })

  test('after one that will not pass it is not', async () => {
    const { ask, calls } = bench(() => fails('upstream-refused'))
    await expect(ask()).rejects.toThrow('No answer')
    expect(calls).toHaveLength(1)
  })

  test('a pause that ends behind the deadline is not waited for', async () => {
    const { ask, calls } = bench(() => fails('upstream-failed', { retryAfterMs: 60_000 }))
    const startedAt = performance.now()
    await expect(ask()).rejects.toThrow('No answer')
    expect(performance.now() - startedAt).toBeLessThan(300)
    expect(calls).toHaveLength(1)
  })
})

describe('votes', () => {
  test('are cast at once, and once it is decided the others are told to stop', async () => {
    const { ask, calls } = bench(
      (call, mark, count) =>
        count === 2 ? HANGS(call, mark, count) : says(0.1)(call, mark, count),
      { votes: 3 },
    )
    expect(await ask()).toMatchObject({ type: 'pass', details: { votes: 3, calls: 2 } })
    expect(calls).toHaveLength(3)
    expect(calls[1]?.signal?.aborted).toBe(true)
  })

  test('one judge that was won over does not carry two that were not', async () => {
    const { ask } = bench((call, mark, count) => says(count === 1 ? 0 : 0.9)(call, mark, count), {
      votes: 3,
    })
    expect((await ask()).type).toBe('deny')
  })

  test('go to several models in turn', async () => {
    const { ask, calls } = bench(says(0.9), { model: ['a', 'b'], votes: 3, upstream: 'up' })
    expect(await ask()).toMatchObject({ type: 'deny', details: { model: 'a, b' } })
    expect(calls.map(({ model }) => model)).toEqual(['a', 'b', 'a'])
    expect(calls[0]).toMatchObject({ upstream: 'up', maxTokens: 2048 })
    expect(calls[0]).not.toHaveProperty('temperature')
  })
})

test('what it used and cost stands on the verdict', async () => {
  const { ask } = bench(says(0.1), { price: { input: 3, output: 15 } })
  expect((await ask()).details).toEqual({
    model: 'm',
    votes: 1,
    probability: 0.1,
    calls: 1,
    inputTokens: 120,
    outputTokens: 10,
    cost: 0.00051,
  })
})

describe('options that cannot be', () => {
  test.each([
    [{ model: '' }, 'model: it is empty'],
    [{ model: [] }, 'model: it is empty'],
    [{ askAt: 0.5 }, 'askAt: it must be less than denyAt (0.5)'],
    [{ model: ['a', 'b'], votes: 1 }, 'votes: it must be 2 at least'],
    [{ on: 'text', tools: ['a'] }, 'tools: it is for calls'],
    [{ prompt: 'Is {{argments}} fine?' }, 'prompt: there is no {{argments}}'],
    [{ prompt: 'Is {{argments}} fine?' }, 'did you mean {{arguments}}?'],
    [{ prompt: 'Is it fine?' }, 'prompt: {{arguments}} is missing'],
    [{ on: 'text', prompt: '{{arguments}}' }, 'prompt: {{text}} is missing'],
  ] as const)('%j are refused: %s', (options, message) => {
    expect(() => judge({ model: 'm', ...options })).toThrow(message)
  })
})
