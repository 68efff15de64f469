/**
 * Reading and writing a request costs as much as the request is long, and not its square: a body of a few
 * megabytes that took seconds would hold up everybody's streams. Times are compared with each other in one run.
 */
import { expect, test } from 'vitest'
import type { JsonObject } from '../src/base/json.ts'
import type { WireName } from '../src/event/event.ts'
import { toProfile, type Vendor } from '../src/request/profile.ts'
import { translateRequest } from '../src/translate/translate.ts'
import { WIRES } from '../src/wire/wires.ts'

const [A, B, C] = ['anthropic-messages', 'openai-chat', 'openai-responses'] as const

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

const chat = (messages: readonly unknown[], rest: JsonObject = {}): JsonObject => ({
  model: 'm',
  messages,
  ...rest,
})
const messages = (list: readonly unknown[], rest: JsonObject = {}): JsonObject => ({
  model: 'm',
  max_tokens: 9,
  messages: list,
  ...rest,
})
const responses = (input: unknown, rest: JsonObject = {}): JsonObject => ({
  model: 'm',
  input,
  ...rest,
})

const HI = { role: 'user', content: 'hi' }
const say = (role: string) => (i: number) => ({ role, content: `word ${i}` })
const chatCall = (i: number, id: string | undefined = `c${i}`): JsonObject => ({
  ...(id === '' ? {} : { id }),
  type: 'function',
  function: { name: `run${i}`, arguments: '{}' },
})
const use = (i: number): JsonObject => ({ type: 'tool_use', id: `c${i}`, name: 'run', input: {} })
const result = (i: number): JsonObject => ({
  type: 'tool_result',
  tool_use_id: `c${i}`,
  content: 'done',
})
const flat = (i: number): JsonObject => ({ type: 'function', name: `tool${i}`, parameters: null })
const nested = (i: number): JsonObject => ({ type: 'function', function: { name: `tool${i}` } })
const allowed = (tools: readonly unknown[]): JsonObject => ({
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools, allowed_tools: { tools } },
})

interface Case {
  readonly name: string
  readonly from: WireName
  readonly to: readonly WireName[]
  readonly count: number
  readonly vendor?: Vendor
  make(count: number): JsonObject
}

const CASES: readonly Case[] = [
  {
    name: 'messages of the user in a row',
    from: B,
    to: [A],
    count: 3000,
    make: (n) => chat(times(n, say('user'))),
  },
  {
    name: 'messages of the assistant in a row',
    from: B,
    to: [A],
    count: 3000,
    make: (n) => chat([HI, ...times(n, say('assistant')), HI]),
  },
  {
    name: 'messages of the assistant in a row, from Messages',
    from: A,
    to: [B],
    count: 1000,
    make: (n) => messages([HI, ...times(n, say('assistant')), HI]),
  },
  {
    name: 'calls without an id that are answered from the last to the first',
    from: B,
    to: [A],
    count: 4000,
    make: (n) =>
      chat([
        HI,
        { role: 'assistant', content: null, tool_calls: times(n, (i) => chatCall(i, '')) },
        ...times(n, (i) => ({ role: 'tool', name: `run${n - 1 - i}`, content: 'x' })),
      ]),
  },
  {
    name: 'allowed tools',
    from: C,
    to: [A, B],
    count: 1000,
    make: (n) => responses('hi', { tools: times(n, flat), ...allowed(times(n, flat)) }),
  },
  {
    name: 'allowed tools of many namespaces',
    from: C,
    to: [A],
    count: 2000,
    make: (n) =>
      responses('hi', {
        tools: times(n, (i) => ({ type: 'namespace', name: `space${i}`, tools: [flat(i)] })),
        ...allowed(times(n, (i) => ({ type: 'namespace', name: `space${i}` }))),
      }),
  },
  {
    name: 'allowed tools, from Chat',
    from: B,
    to: [A, C],
    count: 2000,
    make: (n) => chat([HI], { tools: times(n, nested), ...allowed(times(n, nested)) }),
  },
  {
    name: 'sealed pieces of thinking beside a long text',
    from: B,
    to: [A],
    count: 3000,
    make: (n) =>
      chat([
        HI,
        {
          role: 'assistant',
          content: 'x',
          reasoning_content: 'abcd'.repeat(n * 10),
          reasoning_details: times(n, (i) => ({ type: 'reasoning.text', text: `thought ${i}` })),
        },
        HI,
      ]),
  },
  {
    name: 'sealed pieces of thinking that stand in a long text',
    from: B,
    to: [A],
    count: 3000,
    make: (n) =>
      chat([
        HI,
        {
          role: 'assistant',
          content: 'x',
          reasoning_content: `first, ${times(n, (i) => `thought ${i}`).join(' and ')}`,
          reasoning_details: times(n, (i) => ({ type: 'reasoning.text', text: `thought ${i}` })),
        },
        HI,
      ]),
  },
  {
    name: 'thinking that is almost the sealed one, all of one letter',
    from: B,
    to: [A],
    count: 500,
    make: (n) =>
      chat([
        HI,
        {
          role: 'assistant',
          content: 'x',
          reasoning_content: `${'a'.repeat(n * 10)}b${'a'.repeat(n * 10)}`,
          reasoning_details: [{ type: 'reasoning.text', text: 'a'.repeat(n * 40) }],
        },
        HI,
      ]),
  },
  {
    name: 'many calls, and many messages behind their results',
    from: A,
    to: [B],
    count: 1000,
    make: (n) =>
      messages([
        HI,
        { role: 'assistant', content: times(n, use) },
        { role: 'user', content: times(n, result) },
        ...times(n, say('user')),
      ]),
  },
  {
    name: 'calls of one id',
    from: A,
    to: [B, C],
    count: 1000,
    make: (n) =>
      messages([
        HI,
        { role: 'assistant', content: times(n, () => use(0)) },
        { role: 'user', content: times(n, () => result(0)) },
      ]),
  },
  {
    name: 'results whose calls are gone',
    from: C,
    to: [A],
    count: 2000,
    make: (n) =>
      responses([
        HI,
        ...times(n, (i) => ({ type: 'function_call_output', call_id: `c${i}`, output: 'x' })),
      ]),
  },
  {
    name: 'instructions in the middle',
    from: C,
    to: [A],
    count: 2000,
    make: (n) => responses([HI, ...times(n, say('developer'))]),
  },
  {
    name: 'fields that nobody knows',
    from: A,
    to: [B],
    count: 2000,
    make: (n) => messages([HI], Object.fromEntries(times(n, (i) => [`field${i}`, 1]))),
  },
]

function time({ from, to, vendor }: Case, target: WireName, body: JsonObject): number {
  expect(to).toContain(target)
  const started = performance.now()
  const written = translateRequest({
    from: WIRES[from],
    to: WIRES[target],
    body,
    model: 'm',
    isStream: true,
    profile: toProfile({ wire: target, vendor, model: 'm' }),
  })
  const took = performance.now() - started
  expect(written).toMatchObject({ ok: true })
  return took
}

const RUNS = CASES.flatMap((one) =>
  one.to.map((target) => ({ ...one, target, title: `${one.name}: ${one.from} to ${target}` })),
)

/** Linear is 10, quadratic 100; a machine that was busy elsewhere for a moment gets another try. */
test.each(RUNS)(
  'takes about ten times as long for ten times as much: $title',
  { retry: 2 },
  (run) => {
    const small = run.make(run.count)
    const large = run.make(run.count * 10)
    time(run, run.target, small) // warm
    const short = Math.min(...times(3, () => time(run, run.target, small)))
    const long = time(run, run.target, large)
    // A time of a few milliseconds is mostly noise.
    expect(long / Math.max(short, 5)).toBeLessThan(40)
  },
)

test('a turn of more results than a call takes arguments is written', () => {
  const count = 150_000
  const body = messages([
    HI,
    { role: 'assistant', content: times(count, use) },
    { role: 'user', content: times(count, result) },
  ])
  const [run] = RUNS
  expect(run === undefined ? 0 : time({ ...run, from: A, to: [B] }, B, body)).toBeGreaterThan(0)
  const parts = times(count, (i) => ({ type: 'text', text: `part ${i}` }))
  const system = chat([{ role: 'system', content: parts }, HI])
  expect(run === undefined ? 0 : time({ ...run, from: B, to: [A] }, A, system)).toBeGreaterThan(0)
})
