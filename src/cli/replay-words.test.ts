/** What is typed behind `sluice replay`. */
import { expect, test } from 'vitest'
import { readWords } from './replay-words.ts'

test('a file that is there is a path, and anything else an exchange or a conversation', () => {
  expect(readWords([import.meta.filename]).from).toEqual({
    type: 'path',
    path: import.meta.filename,
  })
  expect(readWords(['rec-1']).from).toEqual({ type: 'store', id: 'rec-1' })
  expect(readWords(['conversation:a:b']).from).toEqual({ type: 'store', conversation: 'a:b' })
})

test('with --once a request that was not recorded is not guessed at', () => {
  expect(readWords(['x']).match).toBe('auto')
  expect(readWords(['x', '--once']).match).toBe('request')
  expect(readWords(['x', '--once', '--match', 'order']).match).toBe('order')
})

test.each([
  ['original', 1],
  ['instant', 0],
  ['10', 10],
  ['0.5', 0.5],
])('--speed %s', (typed, speed) => {
  expect(readWords(['x', '--speed', typed]).speed).toBe(speed)
})

test.each([
  [[], 'Say what to replay'],
  [['no-such-folder/x.sse'], 'there is no such file'],
  [['x', '--speed', 'fast'], '--speed fast is not possible'],
  [['x', '--speed', '0'], '--speed 0 is not possible'],
  [['x', '--match', 'reqest'], 'did you mean request?'],
  [['x', '--answers', 'none'], 'it takes delivered, upstream'],
  [['x', '--wire', 'chat'], 'is no wire'],
  [['x', '--port', '99999'], '--port 99999 is not possible'],
])('%j is refused', (argv, sentence) => {
  expect(() => readWords(argv)).toThrow(sentence)
})
