import { expect, test } from 'vitest'
import { toLines, toPieces, toTokens } from './yaml-tokens.ts'

const read = (text: string): readonly string[] =>
  toLines(text).map((line) =>
    toTokens(line)
      .filter(({ kind }) => kind !== 'plain')
      .map(({ kind, text: words }) => `${kind} ${words.trim()}`)
      .join(' | '),
  )

test('nothing of a text is lost or moved, whatever it is', () => {
  const texts = [
    '- use: rules # ours\n  deny:\n    - { when: \'tool.name == "x"\', reason: "No # note" }',
    'a: |\n  one\n\n  two\nb: 3',
    '"open\n\'open\n#\n\t- : :: }{ ][ \u202E é 漢字 👍',
    `when: ${'"'.repeat(99)}`,
  ]
  for (const text of texts)
    expect(
      toLines(text)
        .map((line) =>
          toTokens(line)
            .map((token) => token.text)
            .join(''),
        )
        .join('\n'),
    ).toBe(text)
})

test('keys, texts, values and notes are told apart, and a # in a word is no note', () => {
  expect(read('- use: rules # ours\n  timeout: 30s\n  name: a#b\n  tools: [Bash, "x"]')).toEqual([
    'key use | note # ours',
    'key timeout | value 30s',
    'key name',
    'key tools | text "x"',
  ])
})

test('what stands behind when is an expression: bare, quoted, and as a block', () => {
  const cel = 'call exists | value in | text "-r"'
  expect(read('when: c.exists(c, "-r" in c)')).toEqual([
    'key when | call exists | text "-r" | value in',
  ])
  expect(read('- { when: \'c.exists(c in "-r")\', reason: No }')).toEqual([
    `key when | ${cel} | key reason`,
  ])
  expect(read('  when: >-\n    c.exists(c in "-r")\n  reason: No')).toEqual([
    'key when',
    cel,
    'key reason',
  ])
})

test('marks cut tokens where they begin and end', () => {
  const [line] = toLines('when: tool.nam == 1')
  const pieces = toPieces(toTokens(line ?? { text: '', deeper: -1, isCel: false }), [
    { from: 12, to: 14 },
  ])
  expect(pieces.filter(({ isMarked }) => isMarked).map(({ text }) => text)).toEqual([
    'am'.slice(0, 2),
  ])
})
