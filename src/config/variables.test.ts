import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expand, isOneVariable } from './variables.ts'

const env = { HOST: 'example', EMPTY: '', NESTED: '${HOST}' }

test.each([
  ['a variable', '${HOST}', 'example'],
  ['one in the middle of a text', 'https://api.${HOST}/v1', 'https://api.example/v1'],
  ['several', '${HOST}-${HOST}', 'example-example'],
  ['a default that is not needed', '${HOST:-other}', 'example'],
  ['a default that is', '${NONE:-other}', 'other'],
  ['an empty default', '${NONE:-}', ''],
  ['a default for one that is set to nothing, as in a shell', '${EMPTY:-other}', 'other'],
  ['one that is set to nothing', 'a${EMPTY}b', 'ab'],
  ['two dollars for the characters themselves', '$${HOST}', '${HOST}'],
  ['a value that looks like a variable, once', '${NESTED}', '${HOST}'],
  ['a dollar alone', 'costs $5, $HOST and {HOST}', 'costs $5, $HOST and {HOST}'],
])('fills in %s', (_, source, text) => {
  expect(expand(source, env)).toMatchObject({ text, missing: [], isBroken: false })
})

test('names each variable that is missing, once', () => {
  expect(expand('${A}${B}${A}${HOST}', env).missing).toEqual(['A', 'B'])
})

test('knows no variable that every object has', () => {
  expect(expand('${constructor}', env).missing).toEqual(['constructor'])
  expect(expand('${__proto__}', env).missing).toEqual(['__proto__'])
})

test.each(['${', '${}', '${1A}', '${A B}', '${A:=x}', '${A', '${A:-x'])(
  'sees that %s begins no variable',
  (source) => {
    expect(expand(source, env).isBroken).toBe(true)
  },
)

describe('a text that may stand for a number', () => {
  test.each(['${PORT}', '${PORT:-4141}', '${_a1}'])('is %s', (source) => {
    expect(isOneVariable(source)).toBe(true)
  })

  test.each(['1${PORT}', '${A}${B}', '$${PORT}', 'PORT', ' ${PORT}'])('is not %s', (source) => {
    expect(isOneVariable(source)).toBe(false)
  })
})

test('a text without ${ stays as it is, and escaping brings any text through', () => {
  fc.assert(
    fc.property(fc.string(), (source) => {
      const plain = source.replaceAll('${', '')
      expect(expand(plain, env).text).toBe(plain)
      expect(expand(source.replaceAll('${', '$${'), env).text).toBe(source)
    }),
  )
})
