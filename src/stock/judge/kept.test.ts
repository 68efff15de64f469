import { describe, expect, test } from 'vitest'
import { createKept, createTogether } from './kept.ts'

describe('what is kept', () => {
  test('is found until its time is over', () => {
    const kept = createKept<string>({ entries: 10, ttl: 100 })
    kept.keep('a', 'one', 1000)
    expect(kept.find('a', 1099)).toBe('one')
    expect(kept.find('a', 1100)).toBeUndefined()
    expect(kept.find('a', 1000)).toBeUndefined()
  })

  test('is bounded: what was not asked for the longest goes', () => {
    const kept = createKept<number>({ entries: 2, ttl: 100 })
    kept.keep('a', 1, 0)
    kept.keep('b', 2, 0)
    kept.find('a', 1)
    kept.keep('c', 3, 2)
    expect([kept.find('a', 3), kept.find('b', 3), kept.find('c', 3)]).toEqual([1, undefined, 3])
  })

  test('is nothing where nothing may be kept', () => {
    const kept = createKept<number>({ entries: 0, ttl: 100 })
    kept.keep('a', 1, 0)
    expect(kept.find('a', 0)).toBeUndefined()
  })
})

describe('those who ask the same at once', () => {
  const signal = new AbortController().signal

  test('share one question, and the next one asks anew', async () => {
    const together = createTogether<number>()
    let asked = 0
    const ask = () => Promise.resolve(++asked)
    const both = await Promise.all([together.run('k', signal, ask), together.run('k', signal, ask)])
    expect(both).toEqual([
      { value: 1, isShared: false },
      { value: 1, isShared: true },
    ])
    expect(await together.run('k', signal, ask)).toEqual({ value: 2, isShared: false })
  })

  test('do not fall with the one who asked', async () => {
    const together = createTogether<string>()
    const left = new AbortController()
    let answer: (value: string) => void = () => {}
    const first = together.run('k', left.signal, () => new Promise((resolve) => (answer = resolve)))
    const others = [1, 2].map((one) =>
      together.run('k', signal, () => Promise.resolve(`asked by ${one}`)),
    )
    left.abort()
    answer('nothing')
    expect(await first).toEqual({ value: 'nothing', isShared: false })
    expect(await Promise.all(others)).toEqual([
      { value: 'asked by 1', isShared: false },
      { value: 'asked by 1', isShared: true },
    ])
  })

  test('leave nothing behind when the question throws', async () => {
    const together = createTogether<string>()
    await expect(together.run('k', signal, () => Promise.reject(new Error('no')))).rejects.toThrow(
      'no',
    )
    expect((await together.run('k', signal, () => Promise.resolve('yes'))).value).toBe('yes')
  })
})
