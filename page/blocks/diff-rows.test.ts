import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffTexts, foldSame, toPairs } from './diff-rows.ts'

test('shows lines with their numbers, and words within a line that was changed', () => {
  const { rows } = diffTexts('a\nthe old line here\nc', 'a\nthe new line here\nc')
  expect(rows.map(({ type, left, right }) => [type, left, right])).toEqual([
    ['same', 1, 1],
    ['removed', 2, undefined],
    ['added', undefined, 2],
    ['same', 3, 3],
  ])
  expect(rows[1]?.words?.filter(({ isChanged }) => isChanged)).toEqual([
    { text: 'old', isChanged: true },
  ])
})

test('gives up comparing what is too long, and shows both whole', () => {
  const { rows, isPlain } = diffTexts('a\n'.repeat(50), 'b\n'.repeat(60), { lines: 100 })
  expect(isPlain).toBe(true)
  expect(rows).toHaveLength(110)
})

test('gives up comparing what takes too long', () => {
  const noise = (seed: number): string =>
    Array.from({ length: 9000 }, (_, at) => String((at * seed) % 9973)).join('\n')
  const from = performance.now()
  expect(diffTexts(noise(7919), noise(104_729)).isPlain).toBe(true)
  expect(performance.now() - from).toBeLessThan(1000)
})

test('both texts can be read from the rows again', () => {
  const line = fc.constantFrom('a', 'b', 'c', 'd e', '')
  const text = fc.array(line, { minLength: 1 }).map((lines) => `${lines.join('\n')}\n`)
  const same = fc.property(text, text, (before, after) => {
    const { rows } = diffTexts(before, after)
    const side = (out: string): string =>
      rows
        .filter(({ type }) => type !== out)
        .map((row) => `${row.text}\n`)
        .join('')
    expect(side('added')).toBe(before)
    expect(side('removed')).toBe(after)
    const unfolded = foldSame(rows).flatMap((row) => (row.type === 'gap' ? row.rows : [row]))
    expect(unfolded).toEqual(rows)
    const pairs = toPairs(rows)
    expect(
      pairs.flatMap((pair) =>
        pair.type === 'pair' && pair.left !== undefined ? [pair.left.text] : [],
      ),
    ).toEqual(rows.filter(({ type }) => type !== 'added').map((row) => row.text))
    expect(
      pairs.flatMap((pair) =>
        pair.type === 'pair' && pair.right !== undefined ? [pair.right.text] : [],
      ),
    ).toEqual(rows.filter(({ type }) => type !== 'removed').map((row) => row.text))
  })
  fc.assert(same)
})

test('folds what is far from every change', () => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`)
  const changed = lines.with(20, 'other')
  const folded = foldSame(diffTexts(lines.join('\n'), changed.join('\n')).rows)
  expect(folded.map(({ type }) => type)).toEqual([
    'gap',
    'same',
    'same',
    'same',
    'removed',
    'added',
    'same',
    'same',
    'same',
    'gap',
  ])
})
