import { expect, test } from 'vitest'
import type { ConfigNode } from './node.ts'
import { createNotes } from './notes.ts'
import { parseYaml } from './parse.ts'

/** The place of the mark in the text, by the value alone: the mark is a sign that stands nowhere else. */
function placeOf(text: string): string {
  const root = parseYaml(text, createNotes('x.yaml')) as Extract<ConfigNode, { kind: 'map' }>
  const node = root.entries[0]?.value
  if (node?.kind !== 'scalar') throw new Error('It is no scalar')
  const place = node.placeAt?.(String(node.value).indexOf('@'))
  return `${place?.line}:${place?.column}`
}

const expected = (text: string): string => {
  const lines = text.slice(0, text.indexOf('@')).split('\n')
  return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`
}

test.each([
  ['plain', 'a: one @ two'],
  ['plain with a remark behind it', 'a: one @ # two'],
  ['plain over lines', 'a: one\n  two\n\n  three @'],
  ['single quotes', "a: 'it''s '' @'"],
  ['single quotes over lines', "a: 'it''s\n   a\n\n   b @'"],
  ['double quotes', 'a: "\\"\\t\\x41\\u0041\\U0001F600\\\\ @"'],
  ['double quotes with a line that goes on', 'a: "one \\\n    two\n    @"'],
  ['literal', 'a: |\n    one\n      two\n\n    three @\n'],
  ['literal with its first line indented', 'a: |-\n\n  one @\n'],
  ['literal with a remark', 'a: | # why\n  one\n  @\n'],
  ['folded', 'a: >-\n    one\n    two\n\n    three\n      more\n    @\n'],
])('a sign is found in a text that is written %s', (_name, text) => {
  expect(placeOf(text)).toBe(expected(text))
})
