import { expect, test } from 'vitest'
import { COLUMNS, fitColumns, isTall, toTemplate, turn } from './columns.ts'
import { howFar, toAnchor } from './follow.ts'
import type { LiveRow } from './row.ts'

const idsAt = (width: number, choice: readonly string[] = []): readonly string[] =>
  fitColumns(width, choice).map(({ id }) => id)

test('all columns but those that must be asked for fit beside the sidebar of 1280 pixels', () => {
  expect(idsAt(1094)).toEqual(COLUMNS.filter(({ isExtra }) => isExtra !== true).map(({ id }) => id))
})

test('the less important columns go first, and the model and what was decided stay', () => {
  const narrow = idsAt(520)
  expect(narrow).toEqual(expect.arrayContaining(['state', 'model', 'verdicts', 'duration']))
  for (const gone of ['wires', 'firstByte', 'cost', 'upstream']) expect(narrow).not.toContain(gone)
  for (let width = 500; width < 1300; width += 20)
    expect(idsAt(width)).toEqual(idsAt(width + 20).filter((id) => idsAt(width).includes(id)))
  expect(isTall(390)).toBe(true)
})

test('a column is turned off and on again', () => {
  expect(idsAt(1094, turn([], 'cost'))).not.toContain('cost')
  expect(idsAt(2000, turn([], 'key'))).toContain('key')
  expect(turn(turn([], 'cost'), 'cost')).toEqual([])
  expect(toTemplate(fitColumns(0, []))).toBe('14px minmax(120px, 2.2fr)')
})

test('the first line in sight is found again below the new ones', () => {
  const rows = ['c', 'b', 'a'].map((id) => ({ id }) as LiveRow)
  const anchor = toAnchor(rows, 35, 30)
  expect(anchor).toEqual({ id: 'b', index: 1 })
  const more = [{ id: 'e' } as LiveRow, { id: 'd' } as LiveRow, ...rows]
  expect(howFar(more, { id: 'b', index: 1 })).toBe(2)
  expect(howFar(rows, { id: 'b', index: 1 })).toBe(0)
  expect(howFar([], { id: 'b', index: 1 })).toBe(0)
})
