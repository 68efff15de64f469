/** What makes two requests the same, and what does not. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { REQUESTS } from '../../test/support/requests.ts'
import type { WireName } from '../event/event.ts'
import { createTextDigests, LIKENESS, toMatchKeys } from './match-keys.ts'
import { withoutMoments, withoutPlaces } from './match-texts.ts'

const keysOf = (wire: WireName, body: object): ReturnType<typeof toMatchKeys> =>
  toMatchKeys(wire, Buffer.from(JSON.stringify(body)), createTextDigests())

/** The strictest likeness of two requests. */
function likeness(wire: WireName, one: object, other: object): string | undefined {
  const [a, b] = [keysOf(wire, one), keysOf(wire, other)]
  const at = a.keys.findIndex((key, place) => key === b.keys[place])
  return LIKENESS[at]
}

const call = (id: string, args: object) => ({ type: 'tool_use', id, name: 'Bash', input: args })
const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content })

/** A turn of Claude Code, as it is sent on a day and in a folder. */
const claude = (of: {
  readonly day?: string
  readonly session?: string
  readonly id?: string
  readonly result?: string
  readonly prompt?: string
  readonly model?: string
  readonly folder?: string
  readonly command?: string
}) => {
  const {
    day = '2026-11-15',
    session = 'a'.repeat(8),
    id = 'toolu_01AAAAAAAA',
    folder = '/home/a',
  } = of
  return {
    model: of.model ?? 'claude-opus-5',
    max_tokens: 100,
    stream: true,
    system: [
      { type: 'text', text: `x-anthropic-billing-header: cc_version=2; cch=${session};` },
      { type: 'text', text: `Today is ${day}.`, cache_control: { type: 'ephemeral' } },
    ],
    metadata: { user_id: `user_1_account__session_${session}` },
    tools: [{ name: 'Bash', input_schema: { type: 'object' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: `<system-reminder>\nYou are in ${folder}\n</system-reminder>` },
          { type: 'text', text: of.prompt ?? 'List the files' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: session },
          call(id, { command: of.command ?? 'ls' }),
        ],
      },
      { role: 'user', content: [result(id, of.result ?? 'a.txt')] },
    ],
  }
}

describe('two requests are', () => {
  test('the same when only ids, dates, nonces, cache marks and thinking differ', () => {
    const other = { day: '2027-01-02', session: 'b'.repeat(8), id: 'toolu_01BBBBBBBB' }
    expect(likeness('anthropic-messages', claude({}), claude(other))).toBe(LIKENESS[0])
  })

  test('the same conversation when what the agent put in around the words differs', () => {
    const other = { folder: '/home/b' }
    expect(likeness('anthropic-messages', claude({}), claude(other))).toBe(LIKENESS[1])
  })

  test('the same calls when a tool said something else', () => {
    const other = { result: 'a.txt b.txt' }
    expect(likeness('anthropic-messages', claude({}), claude(other))).toBe(LIKENESS[2])
  })

  test('at the same place when only the last words and the length are the same', () => {
    const other = { prompt: 'Show me what is here', command: 'ls -a' }
    expect(likeness('anthropic-messages', claude({}), claude(other))).toBe(LIKENESS[3])
  })

  test('the same conversation when another model is asked', () => {
    const other = { model: 'claude-haiku-5' }
    expect(likeness('anthropic-messages', claude({}), claude(other))).toBe(LIKENESS[4])
  })

  test('not alike when prompt and results differ', () => {
    const other = { prompt: 'Write a poem', result: 'roses' }
    expect(likeness('anthropic-messages', claude({}), claude(other))).toBeUndefined()
  })

  test('not alike when one is asked on the side, without tools', () => {
    const side = { ...claude({}), tools: [] }
    expect(likeness('anthropic-messages', claude({}), side)).toBeUndefined()
  })
})

test('arguments are the same with other white space', () => {
  const chat = (args: string) => ({
    model: 'm',
    messages: [
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: args } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
    ],
  })
  expect(likeness('openai-chat', chat('{"a":1}'), chat('{ "a": 1 }'))).toBe(LIKENESS[0])
})

test('requests of real clients are told apart, and each is the same as itself', () => {
  const seen = new Map<string, string>()
  for (const { name, wire, body } of REQUESTS) {
    const [key = ''] = keysOf(wire, body).keys
    expect(keysOf(wire, body).keys[0]).toBe(key)
    expect([name, seen.get(key)]).toEqual([name, undefined])
    seen.set(key, name)
  }
  expect(seen.size).toBeGreaterThan(15)
})

test('a body that is no request has one key, and it is that of its bytes', () => {
  const digests = createTextDigests()
  const body = Buffer.from('not json')
  const { keys } = toMatchKeys('openai-chat', body, digests)
  expect(keys).toHaveLength(1)
  expect(toMatchKeys('openai-chat', Buffer.from('not json!'), digests).keys).not.toEqual(keys)
})

test('moments and ids are taken out of texts, and words stay', () => {
  const texts = {
    'Sun Nov 15 2026 and 15 November 2026 and 11/15/2026': '# and # and #',
    'at 21:59:33.123 or 9:05 PM, 2026-11-15T21:59:33Z': 'at # or #, #',
    '3f2b8c1e-1111-4222-8333-123456789abc took 0.42s': '# took #',
    'Chunk ID: f59070\nWall time: 0.0000 seconds': '#\nWall time: #',
    'toolu_01AbCdEf and 1794780000000 and deadbeefdeadbeef': '# and # and #',
  }
  for (const [text, left] of Object.entries(texts)) expect(withoutMoments(text)).toBe(left)
  expect(withoutMoments('Delete 3 files in src/a1')).toBe('Delete 3 files in src/a1')
  expect(withoutPlaces('in /tmp/x.AbC/y  now')).toBe(withoutPlaces('in /tmp/z.DeF/q now'))
})

test('texts of any kind are read in one pass', () => {
  const piece = fc.constantFrom('1', '-', ':', 'a', 'T', ' ', '/tmp/', '2026-', 'Nov ', 'toolu_')
  const text = fc.array(piece, { maxLength: 200 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (one) => {
      const long = one.repeat(1000)
      const startedAt = performance.now()
      withoutPlaces(long)
      expect(performance.now() - startedAt).toBeLessThan(2000)
    }),
    { seed: 6, numRuns: 50 },
  )
})
