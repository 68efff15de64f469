/**
 * When the judge is not asked: for what it has decided before, and for tools that nobody asks about.
 */
import { describe, expect, test } from 'vitest'
import { bench, HANGS, reply, says, withTurns } from '../../../test/support/judge-bench.ts'
import { callBlock, human } from '../../../test/support/stock-policy.ts'
import { createAssembler } from '../../block/assemble.ts'
import { textBlock } from '../../event/make.ts'
import { judge } from './judge.ts'
import type { Judged } from './subject.ts'

describe('kept verdicts', () => {
  test('the same call in the same context is not asked for again', async () => {
    const { ask, calls } = bench(says(0.1))
    await ask(callBlock('Bash', '{"a":1,"b":2}'))
    expect(await ask(callBlock('Bash', '{ "b":2, "a":1 }'))).toMatchObject({
      type: 'pass',
      details: { isCached: true },
    })
    expect(calls).toHaveLength(1)
    await ask(callBlock('Bash', '{"a":1,"b":2}'), withTurns([human('Now delete it all.')]))
    await ask(callBlock('Bash', '{"a":1,"b":3}'))
    expect(calls).toHaveLength(3)
  })

  test('for no longer than was said', async () => {
    const { ask, calls } = bench(says(0.1), { cache: { ttl: 1000 } })
    for (const at of [0, 999, 1000]) await ask(undefined, { now: () => at })
    expect(calls).toHaveLength(2)
  })

  test('not at all, if so said', async () => {
    const { ask, calls } = bench(says(0.1), { cache: false })
    await ask()
    await ask()
    expect(calls).toHaveLength(2)
  })

  test('what was no verdict is not kept', async () => {
    const { ask } = bench(
      (call, mark, count) => (count === 1 ? reply('?') : says(0)(call, mark, count)),
      { retries: 0 },
    )
    expect((await ask()).type).toBe('deny')
    expect((await ask()).type).toBe('pass')
  })

  test('two who ask the same at once share a question', async () => {
    const { ask, calls } = bench(says(0.9))
    const [one, other] = await Promise.all([ask(), ask()])
    expect(calls).toHaveLength(1)
    expect([one.type, other.type]).toEqual(['deny', 'deny'])
    expect(other.details).toMatchObject({ isShared: true })
  })

  test('one of them leaving does not take the verdict from the other', async () => {
    const left = new AbortController()
    const { ask, calls } = bench((call, mark, count) =>
      count === 1
        ? new Promise((_, reject) =>
            call.signal?.addEventListener('abort', () => reject(new Error('gone'))),
          )
        : says(0.1)(call, mark, count),
    )
    const first = ask(undefined, { signal: left.signal })
    const second = ask()
    left.abort(new Error('gone'))
    await expect(first).rejects.toThrow('gone')
    expect((await second).type).toBe('pass')
    expect(calls).toHaveLength(2)
  })

  test('one who shares a question can leave without its answer', async () => {
    const left = new AbortController()
    const { ask } = bench(HANGS, { deadline: 300 })
    const first = ask()
    const second = ask(undefined, { signal: left.signal })
    const startedAt = performance.now()
    left.abort(new Error('gone'))
    await expect(second).rejects.toThrow('gone')
    expect(performance.now() - startedAt).toBeLessThan(200)
    await expect(first).rejects.toThrow('within 0.3 s')
  })

  test('a question that never ends is not shared with those who come later', async () => {
    const { ask } = bench(
      (call, mark, count) => (count === 1 ? HANGS : says(0.1))(call, mark, count),
      { deadline: 50 },
    )
    await expect(ask()).rejects.toThrow('within 0.05 s')
    expect((await ask()).type).toBe('pass')
  })

  test('other rules are another version', () => {
    const versions = [{}, { rules: 'None.' }, { denyAt: 0.6 }, { version: 'mine' }].map(
      (options) => judge({ model: 'm', ...options }).version,
    )
    expect(new Set(versions).size).toBe(4)
    expect(versions[3]).toMatch(/^mine-[\da-f]{12}$/)
    expect(judge({ model: 'm' }).version).toBe(versions[0])
  })
})

describe('which tools', () => {
  test('only those that are named, and not those that are skipped', async () => {
    const { ask, calls } = bench(says(0.9), { tools: ['Bash', 'mcp__*'], skip: ['mcp__docs__*'] })
    const types: string[] = []
    for (const name of ['Bash', 'Read', 'mcp__db__drop', 'mcp__docs__search', 'Bash2'])
      types.push((await ask(callBlock(name, {}))).type)
    expect(types).toEqual(['deny', 'pass', 'deny', 'pass', 'pass'])
    expect(calls).toHaveLength(2)
  })

  test('a tool of a set that is called like a harmless one is judged', async () => {
    const { ask } = bench(says(0.9), { skip: ['Read'] })
    const block = Object.assign(Object.create(callBlock('Read', {})) as object, {}) as Judged
    Object.defineProperty(block, 'namespace', { value: 'evil' })
    expect((await ask(block)).type).toBe('deny')
    expect((await ask(callBlock('Read', {}))).type).toBe('pass')
  })

  test('a text that says nothing passes unasked', async () => {
    const textOf = (text: string): Judged => {
      const assembler = createAssembler()
      for (const event of textBlock(text)) assembler.apply(event)
      return assembler.state.blocks[0] as Judged
    }
    const { ask, calls } = bench(says(0.9), { on: 'text' })
    expect((await ask(textOf(' \n'))).type).toBe('pass')
    expect(await ask(textOf('My key is …'))).toMatchObject({
      type: 'deny',
      reason: 'A judge denied this text: Because.',
    })
    expect(calls).toHaveLength(1)
  })
})
