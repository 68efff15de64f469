import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patchJson } from './json-patch.ts'

test('one value becomes another, and every other character stays', () => {
  const text = '{ "a" : 1.0,\n"b": [ "x", {"c":12345678901234567890} , "\\u00e9" ], "d":null }'
  const before = JSON.parse(text) as { b: unknown[] }
  const after = { ...before, b: ['y', ...before.b.slice(1)] }
  expect(patchJson(text, before, after)).toBe(text.replace('"x"', '"y"'))
})

test('members go and come, each with its comma', () => {
  const text = '{"a":1.0, "b":2, "c":3.0}'
  const before = JSON.parse(text) as Record<string, number>
  expect(patchJson(text, before, { b: 2 })).toBe('{"b":2}')
  expect(patchJson(text, before, { a: 1, c: 3 })).toBe('{"a":1.0, "c":3.0}')
  expect(patchJson(text, before, { a: 1, b: undefined, d: 4 })).toBe('{"a":1.0,"d":4}')
  expect(patchJson(text, before, {})).toBe('{}')
  expect(patchJson('{}', {}, { d: 4 })).toBe('{"d":4}')
})

test('of a list that became shorter or longer, what is left stays as it came', () => {
  const text = '[ {"a":1.0}, {"b" : 2}, {"c":3e1} ]'
  const before = JSON.parse(text) as readonly unknown[]
  expect(patchJson(text, before, [before[2], 'new', before[0], before[1]])).toBe(
    '[{"c":3e1},"new",{"a":1.0},{"b" : 2}]',
  )
  expect(patchJson(text, before, [before[1], before[2], 'new'])).toBe('[{"b" : 2},{"c":3e1},"new"]')
})

test('what is named twice is written once, as it is to be', () => {
  const text = '{"m":[{"t":"secret","t":"secret"}],"x":{"y":1,"y":1.0}}'
  const before = JSON.parse(text) as Record<string, unknown>
  expect(patchJson(text, before, { ...before, m: [{ t: '*' }] })).toBe(
    '{"m":[{"t":"*"}],"x":{"y":1,"y":1.0}}',
  )
})

test('whatever is changed, it reads as it was meant', () => {
  const plain = fc.jsonValue({ maxDepth: 4 }).map((json) => JSON.parse(JSON.stringify(json)))
  fc.assert(
    fc.property(plain, plain, fc.integer({ min: 0, max: 3 }), (before, after, space) => {
      const mixed = [before, { a: before, b: after }]
      const changed = [before, { b: after, a: after, c: before }]
      const text = JSON.stringify(mixed, null, space)
      expect(JSON.parse(patchJson(text, JSON.parse(text), changed))).toEqual(changed)
      expect(patchJson(text, mixed, mixed)).toBe(text)
      expect(patchJson(text, mixed, structuredClone(mixed))).toBe(text)
    }),
    { seed: 5, numRuns: 300 },
  )
})
