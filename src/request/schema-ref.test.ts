import { expect, test } from 'vitest'
import { resolveRef } from './schema-ref.ts'

const root = {
  $defs: { Pet: { type: 'string' }, 'a/b': 1, 'c~d': 2, 'e f': 3 },
  anyOf: [{ type: 'object' }],
}

test.each<[string, unknown]>([
  ['#', root],
  ['#/$defs/Pet', root.$defs.Pet],
  ['#/$defs/a~1b', 1],
  ['#/$defs/c~0d', 2],
  ['#/$defs/e%20f', 3],
  ['#/anyOf/0', root.anyOf[0]],
])('%s leads to its place', (ref, place) => {
  expect(resolveRef(root, ref)).toBe(place)
})

test.each([
  '#/$defs/Gone',
  '#/constructor',
  '#/$defs/Pet/type/length',
  '#/anyOf/x',
  '#/%E0%A4%A',
  'Pet',
  'https://x.test/schema.json',
])('%s leads nowhere', (ref) => {
  expect(resolveRef(root, ref)).toBeUndefined()
})
