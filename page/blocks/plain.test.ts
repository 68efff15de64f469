import { expect, test } from 'vitest'
import { firstLine, isAside, lastLine, showHidden, showName } from './plain.ts'

test('a name that reads backwards shows why', () => {
  expect(showName('invoice\u202Efdp.exe')).toBe('invoice⟨U+202E⟩fdp.exe')
  expect(showName('a\nb\u200Bc')).toBe('a⟨U+000A⟩b⟨U+200B⟩c')
})

test('a text keeps its lines and tabs, and hides nothing', () => {
  expect(showHidden('a\r\n\tb\u001b[31m\u0000')).toBe('a\n\tb⟨U+001B⟩[31m⟨U+0000⟩')
  expect(showHidden('x\u{E0041}\u2066y')).toBe('x⟨U+E0041⟩⟨U+2066⟩y')
  expect(showHidden('שלום, 👩‍💻')).toBe('שלום, 👩‍💻')
})

test('the first line that says something, and the last one', () => {
  expect(firstLine('\n\n  Hello\nworld')).toBe('Hello')
  expect(firstLine('x'.repeat(300), 10)).toBe(`${'x'.repeat(10)}…`)
  expect(lastLine('a\nb\n')).toBe('b')
  expect(firstLine('')).toBe('')
})

test('what an agent says of itself is told from what a person says', () => {
  expect(isAside('<system-reminder>\nToday is')).toBe(true)
  expect(isAside('<environment_context>')).toBe(true)
  expect(isAside('Fix <b>this</b>')).toBe(false)
})
