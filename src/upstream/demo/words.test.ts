import { expect, test } from 'vitest'
import { toBareText } from './bare-text.ts'
import { readWords } from './words.ts'

test('takes off what stands in tags before and after the words', () => {
  const reminder = '<system-reminder>\nDo <b>not</b> say this\n</system-reminder>'
  expect(toBareText(`${reminder}\n${reminder}  Hello <b>you</b> \n${reminder}`)).toBe(
    'Hello <b>you</b>',
  )
  expect(toBareText('<environment_context a="1">x</environment_context>')).toBe('')
  expect(toBareText('<never-closed> Hello')).toBe('<never-closed> Hello')
  expect(toBareText('Hello </never-opened>')).toBe('Hello </never-opened>')
})

test('finds commands, calls, steps, a city and a path', () => {
  const words = readWords(
    'In 4 steps: run `ls -la`, then call a.b `{"x":1}` in San Juan and look at ./src/x.ts.',
  )
  expect(words).toMatchObject({
    commands: ['ls -la'],
    calls: [{ name: 'a.b', text: '{"x":1}' }],
    steps: 4,
    city: 'San Juan',
    path: './src/x.ts',
  })
  expect(words.has('run')).toBe(true)
  expect(words.has('ls')).toBe(false)
  expect(readWords('loop 900 times').steps).toBe(50)
  expect(readWords('how is the weather in oslo').city).toBe('Oslo')
  expect(readWords('see https://example.com/a.html')).toMatchObject({ path: undefined })
})

test.each([
  ['backticks', '`'],
  ['calls', 'call a `'],
  ['spaces', 'call  '],
  ['letters', 'a-'],
  ['open tags', '<a-b>'],
  ['closed tags', '</a-b>'],
  ['slashes', './a/'],
  ['words in a place', 'in Aa '],
])('a megabyte of %s is read at once', (_, piece) => {
  const text = piece.repeat(Math.ceil(1_000_000 / piece.length))
  const start = performance.now()
  readWords(toBareText(text))
  expect(performance.now() - start).toBeLessThan(2000)
})
