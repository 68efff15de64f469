import { DatabaseSync } from '@photostructure/sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toGlob, toLike, toPattern } from './pattern.ts'

const sign = fc.constantFrom('a', 'b', 'A', '*', '?', '[', ']', '^', '%', '_', '\\', '-')
const text = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join(''))

test('a star stands for any characters, and nothing else for anything but itself', () => {
  const file = new DatabaseSync(':memory:')
  const glob = file.prepare('select ? glob ? as yes')
  fc.assert(
    fc.property(text, text, (name, asked) => {
      const pattern = toPattern(asked)
      fc.pre(pattern !== undefined)
      const parts = asked.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&'))
      const isLike = new RegExp(`^${parts.join('.*')}$`, 's').test(name)
      expect((glob.get(name, toGlob(pattern ?? [])) as { yes: number }).yes === 1).toBe(isLike)
    }),
  )
  file.close()
})

test('what Postgres takes for signs of its own is marked', () => {
  expect(toLike(toPattern('100%_\\**x') ?? [])).toBe('100\\%\\_\\\\%x')
  expect(toPattern('plain')).toBeUndefined()
})
