import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findCommand, readEdited, toPretty, withCommand, writeArguments } from './arguments.ts'

const schema = {
  type: 'object',
  properties: {
    command: { type: 'string' },
    version: { type: 'string', pattern: '^\\d+\\.\\d+$' },
    evil: { type: 'string', pattern: '^(a+)+$' },
  },
  additionalProperties: false,
}
const json = { isFreeText: false, schema }

describe('what somebody wrote', () => {
  test('is right when the schema takes it', () => {
    expect(readEdited('{ "command": "ls" }', json)).toEqual({
      type: 'right',
      args: { command: 'ls' },
    })
  })

  test.each([
    ['{ "command": ', /no JSON/],
    ['[1]', /object/],
    ['{ "command": 7 }', /command: expected string/],
    ['{ "version": "x" }', /version/],
    ['{ "speed": 1 }', /speed/],
    ['{ "id": 12345678901234567890 }', /digits/],
  ])('is wrong, and says why: %s', (text, why) => {
    const read = readEdited(text, json)
    expect(read.type === 'wrong' ? read.faults.join() : '').toMatch(why)
  })

  test('does not run a pattern that may never end: that is for the gateway', () => {
    const read = readEdited(JSON.stringify({ evil: `${'a'.repeat(60)}b` }), json)
    expect(read.type).toBe('right')
  })

  test('is text where the tool takes text, and never nothing', () => {
    expect(readEdited('ls', { isFreeText: true })).toEqual({ type: 'right', args: 'ls' })
    expect(readEdited(' ', { isFreeText: true }).type).toBe('wrong')
  })

  test('keeps every character, also those that are written as numbers to be seen', () => {
    const same = fc.property(
      fc.string({ unit: fc.constantFrom(...'a"\\/\n\t\0é', '\u202E', '\u200B', '\u{E0041}') }),
      (text) => {
        const args = { text }
        const written = writeArguments(args)
        expect(JSON.parse(written)).toEqual(args)
        expect(written).not.toMatch(/[\u202E\u200B\u{E0041}]/u)
      },
    )
    fc.assert(same)
    expect(writeArguments({ a: '\u202Eexe\u{E0041}' })).toBe(
      '{\n  "a": "\\u202eexe\\udb40\\udc41"\n}',
    )
  })

  test('is left as it came where it is no JSON, or a number would be rounded', () => {
    expect(toPretty('{"a":')).toBe('{"a":')
    expect(toPretty('{"a":12345678901234567890}')).toBe('{"a":12345678901234567890}')
    expect(toPretty('{"a":1}')).toBe('{\n  "a": 1\n}')
  })
})

describe('the command of a shell', () => {
  test('is found as text and behind bash -lc, and put back where it was', () => {
    const plain = '{"command":"ls","timeout":5}'
    const found = findCommand(plain)
    expect(found?.text).toBe('ls')
    expect(found && JSON.parse(withCommand(plain, found, 'pwd'))).toEqual({
      command: 'pwd',
      timeout: 5,
    })
    const words = '{"command":["bash","-lc","ls"]}'
    const last = findCommand(words)
    expect(last && JSON.parse(withCommand(words, last, 'pwd'))).toEqual({
      command: ['bash', '-lc', 'pwd'],
    })
  })

  test('is not offered where something is hidden in it, nor where there is none', () => {
    expect(findCommand('{"command":"ls \\u202e"}')).toBeUndefined()
    expect(findCommand('{"city":"Oslo"}')).toBeUndefined()
    expect(findCommand('{"command":["ls"]}')).toBeUndefined()
  })
})
