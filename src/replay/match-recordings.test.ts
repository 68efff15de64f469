/** Which recording is chosen: by request, in turn, in order, and for several conversations at once. */
import { describe, expect, test } from 'vitest'
import { createTextDigests, toMatchKeys, type MatchKeys } from './match-keys.ts'
import { createMatcher, type Match, type Matcher, type MatchMode } from './match-recordings.ts'
import type { Recording } from './replay-recording.ts'

const WIRE = 'openai-chat'
const PATH = '/chat/completions'

const record = (name: string, conversation?: string): Recording => ({
  name,
  wire: WIRE,
  path: PATH,
  conversation,
  model: 'm',
  answerId: undefined,
  load: () => Promise.reject(new Error('Nobody plays it')),
})

const keys = (...said: readonly string[]): MatchKeys => {
  const messages = said.map((content, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
  }))
  const body = Buffer.from(JSON.stringify({ model: 'm', messages }))
  return toMatchKeys(WIRE, body, createTextDigests())
}

const ask = (matcher: Matcher, conversation: string, asked: MatchKeys): Match =>
  matcher.match({ wire: WIRE, path: PATH, conversation, keys: asked })

const nameOf = (match: Match): string => (match.type === 'match' ? match.recording.name : '-')

interface Row {
  readonly name: string
  readonly keys?: MatchKeys
  readonly conversation?: string
}

function matcherOf(mode: MatchMode, rows: readonly Row[], isOnce = false): Matcher {
  const matcher = createMatcher({ mode, isOnce })
  for (const row of rows) matcher.add(record(row.name, row.conversation), row.keys)
  return matcher
}

const SESSION = [
  { name: 'one', keys: keys('Hi'), conversation: 's' },
  { name: 'two', keys: keys('Hi', 'Hello', 'Go on'), conversation: 's' },
  { name: 'three', keys: keys('Hi', 'Hello', 'Go on', 'Yes', 'And now?'), conversation: 's' },
]

describe('by request', () => {
  test('each request gets its own answer, in whatever order they come', () => {
    const matcher = matcherOf('request', SESSION)
    for (const row of SESSION.toReversed())
      expect(nameOf(ask(matcher, 'live', row.keys))).toBe(row.name)
  })

  test('a request that was answered twice gets the answers in turn, each conversation anew', () => {
    const again = { name: 'again', keys: keys('Hi'), conversation: 's' }
    const matcher = matcherOf('request', [...SESSION, again])
    const hi = keys('Hi')
    expect([1, 2, 3].map(() => nameOf(ask(matcher, 'a', hi)))).toEqual(['one', 'again', 'one'])
    expect(nameOf(ask(matcher, 'b', hi))).toBe('one')
  })

  test('what was never asked is refused with what was nearest, in no words of it', () => {
    const match = ask(matcherOf('request', SESSION), 'live', keys('Hi', 'Hello', 'Stop'))
    expect(match).toMatchObject({ type: 'none' })
    const said = JSON.stringify(match)
    expect(said).toContain('the same first 2 of')
    expect(said).not.toContain('Stop')
  })

  test('of two sessions that begin alike, one stays in its own', () => {
    const other = SESSION.map((row) => ({
      ...row,
      name: `other ${row.name}`,
      conversation: 'other',
    }))
    const first = { name: 'other first', keys: keys('Only here'), conversation: 'other' }
    const matcher = matcherOf('request', [...SESSION, first, ...other])
    expect(nameOf(ask(matcher, 'live', first.keys))).toBe('other first')
    for (const row of SESSION)
      expect(nameOf(ask(matcher, 'live', row.keys))).toBe(`other ${row.name}`)
  })

  test('once: an answer is given once, and then it is said that there is none', () => {
    const matcher = matcherOf('request', SESSION, true)
    const hi = keys('Hi')
    expect([1, 2].map(() => nameOf(ask(matcher, 'live', hi)))).toEqual(['one', '-'])
  })
})

describe('in order', () => {
  test('the n-th request gets the n-th answer, and then it begins again', () => {
    const matcher = matcherOf('order', SESSION)
    const names = ['x', 'y', 'z', 'again'].map((said) => nameOf(ask(matcher, 'live', keys(said))))
    expect(names).toEqual(['one', 'two', 'three', 'one'])
  })

  test('each conversation is at its own place, and gets a session of its own', () => {
    const other = { name: 'other', keys: keys('X'), conversation: 'other' }
    const matcher = matcherOf('order', [...SESSION, other])
    const asked = ['a', 'b', 'a', 'a'].map((live) => nameOf(ask(matcher, live, keys('?'))))
    expect(asked).toEqual(['one', 'other', 'two', 'three'])
  })

  test('answers of no session are one row for everybody', () => {
    const matcher = matcherOf('order', [{ name: 'a' }, { name: 'b' }])
    const asked = ['x', 'y', 'z'].map((live) => nameOf(ask(matcher, live, keys(live))))
    expect(asked).toEqual(['a', 'b', 'a'])
  })

  test('once: nothing is told twice', () => {
    const matcher = matcherOf('order', [{ name: 'a' }, { name: 'b' }], true)
    const asked = ['x', 'y', 'z'].map((live) => nameOf(ask(matcher, live, keys(live))))
    expect(asked).toEqual(['a', 'b', '-'])
  })
})

describe('by request, then in order', () => {
  test('what was never asked gets the next that was not given', () => {
    const matcher = matcherOf('auto', SESSION)
    const first = SESSION[0]?.keys ?? keys('')
    expect(nameOf(ask(matcher, 'live', first))).toBe('one')
    expect(ask(matcher, 'live', keys('Something else'))).toMatchObject({
      how: 'the next in order',
      recording: { name: 'two' },
    })
  })

  test('an agent that asks for more than was recorded is not led in circles', () => {
    const matcher = matcherOf('auto', SESSION)
    const asked = ['1', '2', '3', '4'].map((said) => nameOf(ask(matcher, 'live', keys(said, said))))
    expect(asked).toEqual(['one', 'two', 'three', '-'])
  })

  test('answers without requests begin again', () => {
    const matcher = matcherOf('auto', [{ name: 'only' }])
    expect(nameOf(ask(matcher, 'x', keys('1')))).toBe('only')
    expect(nameOf(ask(matcher, 'x', keys('2')))).toBe('only')
  })
})

test('many recordings of one request are no burden', () => {
  const same = keys('Hi')
  const others = Array.from({ length: 100 }, (_, at) => keys(`${at} is new`, 'x'))
  const rows = Array.from({ length: 20_000 }, (_, at) => ({ name: `${at}`, keys: same }))
  const matcher = matcherOf('auto', rows)
  const startedAt = performance.now()
  for (let asked = 0; asked < 50; asked++)
    for (const other of others) {
      ask(matcher, 'live', same)
      ask(matcher, 'live', other)
    }
  expect(performance.now() - startedAt).toBeLessThan(5000)
})
