/**
 * The test kit as an author uses it: what policies decide, what the client gets of it on each wire, and the world that
 * a test can set up.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { chain } from '../base/stage.ts'
import type { WireName } from '../event/event.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { definePolicy, type Policy } from '../policy/policy.ts'
import { ask, change, deny, halt, pass, replace, rewrite } from '../policy/verdict.ts'
import { judge } from '../stock/judge/judge.ts'
import { limit } from '../stock/limit.ts'
import { loopBreaker } from '../stock/loop-breaker.ts'
import { replaceText } from '../stock/replace-text.ts'
import { WIRE_NAMES, WIRES } from '../wire/wires.ts'
import type { TestResult } from './result.ts'
import { testPolicy } from './test-policy.ts'

const says = (verdict: ReturnType<NonNullable<Policy['judge']>>): Policy =>
  definePolicy({ name: 'says', judge: () => verdict })

/** Legal on every wire, whatever was decided. */
function expectLegal(result: TestResult): void {
  expect(result.findings()).toEqual([])
  for (const wire of WIRE_NAMES) expect(result.frames(wire)).toMatch(/^(event|data):/)
}

describe('a call', () => {
  test('that passes reaches the client as it came', async () => {
    const result = await testPolicy(says(pass())).onToolCall('Bash', { command: 'ls' })
    expect(result).toMatchObject({
      verdict: 'pass',
      isUntouched: true,
      isRefused: false,
      finish: 'tool-calls',
      calls: [{ name: 'Bash', args: { command: 'ls' } }],
    })
    expect(result.blocks).toEqual([{ type: 'tool-call', name: 'Bash', args: { command: 'ls' } }])
    expect(result.tookMs).toBeGreaterThanOrEqual(0)
    expectLegal(result)
  })

  test('that is denied becomes a text, and nothing of it is in any frame', async () => {
    const result = await testPolicy(says(deny('No.', { instead: 'Ask.' }))).onToolCall('Bash', {
      command: 'the-secret-command',
    })
    expect(result).toMatchObject({ verdict: 'deny', reason: 'No.', calls: [], finish: 'stop' })
    expect(result.text).toContain('No. Instead: Ask.')
    expectLegal(result)
    for (const wire of WIRE_NAMES) expect(result.frames(wire)).not.toContain('secret')
  })

  test('can be rewritten, replaced, and end the answer', async () => {
    const rewritten = await testPolicy(says(rewrite({ command: 'ls' }))).onToolCall('Bash')
    expect(rewritten).toMatchObject({
      verdict: 'rewrite',
      calls: [{ name: 'Bash', args: { command: 'ls' } }],
      isUntouched: false,
    })
    const replaced = await testPolicy(says(replace({ type: 'text', text: 'Hi.' }))).onToolCall('x')
    expect(replaced).toMatchObject({ verdict: 'replace', text: 'Hi.', calls: [] })
    const halted = await testPolicy(says(halt('Enough'))).onAnswer(['One.', { name: 'x' }, 'Two.'])
    expect(halted).toMatchObject({ verdict: 'halt', reason: 'Enough', error: undefined })
    expect(halted.text).toMatch(/^One\..*Enough\.$/)
    for (const result of [rewritten, replaced, halted]) expectLegal(result)
  })

  test('that is left beside a denied one stands behind its notice, where the wire wants that', async () => {
    const policy = definePolicy({
      name: 'second',
      judge: (block) => (block.name === 'second' ? deny('No.') : pass()),
    })
    const result = await testPolicy(policy).onAnswer([{ name: 'first' }, { name: 'second' }])
    expect(result).toMatchObject({ verdict: 'deny', finish: 'tool-calls' })
    expect(result.calls).toEqual([{ name: 'first', args: {} }])
    expectLegal(result)
    const frames = result.frames('anthropic-messages')
    expect(frames.indexOf('[Sluice]')).toBeLessThan(frames.indexOf('"first"'))
  })

  test('is checked against the schema that the client declared when it is rewritten', async () => {
    const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
    const tools = [{ name: 'read', schema }]
    const result = await testPolicy(says(rewrite({ path: 1 }))).onToolCall('read', {}, { tools })
    expect(result.calls).toEqual([])
    expect(result.text).toContain('do not fit the tool')
  })

  test('of a policy that throws, says nothing or never ends is an error, and does not pass', async () => {
    const throws = definePolicy({
      name: 'throws',
      judge() {
        throw new Error('Oh')
      },
    })
    const nothing = says(undefined as never)
    const never = definePolicy({ name: 'never', judge: () => new Promise<never>(() => {}) })
    for (const policy of [throws, nothing, never]) {
      const result = await testPolicy(policy, { timeoutMs: 20 }).onToolCall('x')
      expect(result).toMatchObject({ verdict: 'error', calls: [] })
      expect(result.reason).toContain('could not decide')
    }
    const open = await testPolicy(throws, { onError: 'pass' }).onToolCall('x')
    expect(open).toMatchObject({ verdict: 'error', calls: [{ name: 'x' }] })
  })

  test('may have arguments that are broken, or free text', async () => {
    const seen: unknown[] = []
    const policy = definePolicy({
      name: 'sees',
      judge(block) {
        seen.push([block.dialect, block.arguments, block.args()])
        return pass()
      },
    })
    const tested = testPolicy(policy)
    await tested.onToolCall('x', '{"a":')
    await tested.onToolCall('patch', '*** Begin', {
      tools: [{ type: 'custom', name: 'patch', grammar: undefined }],
    })
    expect(seen).toEqual([
      ['function', '{"a":', undefined],
      ['custom', '*** Begin', { input: '*** Begin' }],
    ])
  })
})

describe('the world', () => {
  test('has a request, a client and tools as the test says', async () => {
    const policy = definePolicy({
      name: 'facts',
      judge: (_block, { request, client }) =>
        deny(
          [
            client.key,
            request.model,
            request.route,
            request.system()[0]?.text,
            request.turns().length,
            request.tool('Bash')?.name,
            request.upstream,
          ].join(),
        ),
    })
    const result = await testPolicy(policy, { client: { key: 'team' } }).onToolCall(
      'Bash',
      {},
      {
        model: 'm',
        route: 'm*',
        system: 'Be good.',
        turns: ['Hello'],
        tools: ['Bash'],
        upstream: 'up',
      },
    )
    expect(result.reason).toBe('team,m,m*,Be good.,1,Bash,up')
  })

  test('has people who answer, and nobody unless the test says so', async () => {
    const policy = says(ask('May it?'))
    const nobody = await testPolicy(policy).onToolCall('x')
    expect(nobody).toMatchObject({ verdict: 'ask', reason: 'May it?', calls: [] })
    expect(nobody.text).toContain('nobody decided in time')
    const passed = await testPolicy(policy, { person: 'pass' }).onToolCall('x')
    expect(passed).toMatchObject({ verdict: 'ask', calls: [{ name: 'x' }] })
    expect(passed.verdicts[0]?.by).toBe('tester')
    const denied = await testPolicy(policy, {
      person: { type: 'deny', reason: 'Not today.' },
    }).onToolCall('x')
    expect(denied.text).toContain('Not today.')
    const tested = testPolicy(policy, { person: () => ({ type: 'edit', args: { a: 1 } }) })
    expect((await tested.onToolCall('x')).calls).toEqual([{ name: 'x', args: { a: 1 } }])
    expect(tested.questions.map(({ question }) => question)).toEqual(['May it?'])
  })

  test('has models that say what is scripted, and none without a script', async () => {
    const policy = definePolicy({
      name: 'asks',
      async judge(_block, ctx) {
        return deny((await ctx.callModel({ model: 'm', messages: [], maxTokens: 1 })).text)
      },
    })
    const none = await testPolicy(policy).onToolCall('x')
    expect(none).toMatchObject({ verdict: 'error', calls: [] })
    expect(none.reason).toContain('There is no model that answers in this test')
    const tested = testPolicy(policy, { replies: ['One.', { two: 2 }, new Error('Down')] })
    const reasons = []
    for (let at = 0; at < 3; at++) reasons.push((await tested.onToolCall('x')).reason)
    expect(reasons).toEqual([
      'One.',
      '{"two":2}',
      expect.stringContaining('could not decide') as string,
    ])
    expect(tested.modelCalls).toHaveLength(3)
  })

  test('lets a stock judge be tried', async () => {
    const tested = testPolicy(judge({ model: 'm', rules: 'Nothing that deletes.' }), {
      replies: ({ messages }) => {
        const text = messages.map((one) => one.text).join('')
        const [, id = ''] = /\b([0-9a-f]{16})\b/.exec(text) ?? []
        return text.includes('rm -rf')
          ? { id, reason: 'It deletes.', probability: 0.99, verdict: 'deny' }
          : { id, reason: 'It only looks.', probability: 0, verdict: 'allow' }
      },
    })
    expect((await tested.onToolCall('Bash', { command: 'rm -rf /' })).verdict).toBe('deny')
    expect((await tested.onToolCall('Bash', { command: 'ls' })).verdict).toBe('pass')
  })

  test('has a clock that only the test moves', async () => {
    const tested = testPolicy(limit({ calls: [{ perMinute: 1 }] }), {
      now: new Date('2026-05-01T10:00:00Z'),
    })
    const talk = tested.conversation()
    expect((await talk.onToolCall('x', { a: 1 })).verdict).toBe('pass')
    expect((await talk.onToolCall('x', { a: 2 })).verdict).toBe('deny')
    tested.clock.advance(60_001)
    expect((await talk.onToolCall('x', { a: 3 })).verdict).toBe('pass')
    expect(tested.clock.now()).toBe(Date.parse('2026-05-01T10:01:00.001Z'))
  })

  test('has the switch that stops every call', async () => {
    const tested = testPolicy(says(pass()))
    tested.halt('Fire drill.')
    const result = await tested.onToolCall('x')
    expect(result).toMatchObject({ verdict: 'deny', calls: [] })
    expect(result.text).toContain('Fire drill.')
    tested.resume()
    expect((await tested.onToolCall('x')).verdict).toBe('pass')
  })

  test('waits for those who only watch, and keeps what they log', async () => {
    const done: string[] = []
    const later = async (word: string): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      done.push(word)
    }
    const policy = definePolicy({
      name: 'watches',
      async onBlock(block, { log }) {
        log.info('Seen', { type: block.type })
        await later('block')
      },
      onFinish: () => later('finish'),
      close: () => void done.push('close'),
    })
    const tested = testPolicy(policy)
    expect((await tested.onText('Hello')).isUntouched).toBe(true)
    expect(done).toEqual(['block', 'finish', 'close'])
    expect(tested.logs).toEqual([
      { level: 'info', policy: 'watches', message: 'Seen', fields: { type: 'text' } },
    ])
  })

  test('shows what a policy in shadow would have done', async () => {
    const policy = definePolicy({
      name: 'shadow',
      async judge() {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return deny('Would not.')
      },
    })
    const result = await testPolicy(policy, { isShadow: true }).onToolCall('x')
    expect(result).toMatchObject({ verdict: 'deny', isUntouched: true, calls: [{ name: 'x' }] })
    expect(result.verdicts[0]?.isShadow).toBe(true)
  })
})

describe('a text', () => {
  test('comes in pieces, so that a filter is tried where it is hard', async () => {
    const policy = replaceText({ replace: [{ words: ['password'], with: 'word' }] })
    for (const pieces of [1, 2, 3, 5, 100]) {
      const result = await testPolicy(policy).onText('My password is a password.', { pieces })
      expect(result.text).toBe('My word is a word.')
      expectLegal(result)
    }
  })

  test('is cut between characters', async () => {
    const result = await testPolicy([]).onText('🌊🌊🌊', { pieces: 1 })
    expect(result.text).toBe('🌊🌊🌊')
  })
})

describe('a request', () => {
  const policy = definePolicy({
    name: 'no-secrets',
    onRequest(request) {
      const text = JSON.stringify(request.turns)
      if (text.includes('refuse me')) return deny('No such thing.')
      if (!text.includes('change me')) return undefined
      return change({ ...request, system: [{ type: 'text', text: 'Changed.' }] })
    },
  })
  const bodies = (text: string) => [
    { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: text }] },
    { model: 'm', messages: [{ role: 'user', content: text }] },
    { model: 'm', input: text },
  ]

  test('is read on every wire', async () => {
    const tested = testPolicy(policy)
    for (const [at, body] of bodies('Hello').entries()) {
      const result = await tested.onRequest(body)
      expect(result).toMatchObject({ verdict: 'pass', isRefused: false, isChanged: false })
      expect(result.request.source.wire).toBe(WIRE_NAMES[at])
    }
    for (const body of bodies('refuse me'))
      expect(await tested.onRequest(body)).toMatchObject({
        verdict: 'deny',
        reason: 'No such thing.',
        isRefused: true,
      })
    for (const body of bodies('change me')) {
      const result = await tested.onRequest(body)
      expect(result).toMatchObject({ verdict: 'change', isChanged: true })
      expect(result.request.system[0]?.text).toBe('Changed.')
    }
  })

  test('that is refused has no answer', async () => {
    const result = await testPolicy(policy).onToolCall('x', {}, { turns: ['refuse me'] })
    expect(result).toMatchObject({ verdict: 'deny', isRefused: true, blocks: [] })
    expect(result.findings()).toEqual([])
  })

  test('is the end of an exchange too: every policy is closed once', async () => {
    const closed: string[] = []
    const close = definePolicy({
      name: 'closes',
      judge: () => pass(),
      close: () => void closed.push('x'),
    })
    const tested = testPolicy([close, policy])
    await tested.onRequest(bodies('Hello')[0] ?? {})
    await tested.onToolCall('x', {}, { turns: ['refuse me'] })
    await tested.onToolCall('x')
    expect(closed).toHaveLength(3)
  })

  test('that a policy changed is what those behind it and the answer see', async () => {
    const sees = definePolicy({
      name: 'sees',
      judge: (_block, { request }) => deny(request.system()[0]?.text ?? ''),
    })
    const tested = testPolicy([policy, sees])
    const result = await tested.onToolCall('x', {}, { turns: ['change me'] })
    expect(result.reason).toBe('Changed.')
  })

  test('that is none is refused with the place', async () => {
    await expect(testPolicy(policy).onRequest({ model: 'm', messages: 7 })).rejects.toThrow(
      /This is no request of openai-chat: messages/,
    )
  })
})

describe('a conversation', () => {
  test('has one memory, and none is shared with another', async () => {
    const policy = definePolicy({
      name: 'counts',
      memory: () => ({ calls: 0 }),
      judge: (_block, { memory }) => deny(String(++memory.calls)),
    })
    const tested = testPolicy(policy)
    const [one, other] = [tested.conversation(), tested.conversation()]
    const reasons = []
    for (const talk of [one, one, other, one, tested, tested])
      reasons.push((await talk.onToolCall('x')).reason)
    expect(reasons).toEqual(['1', '2', '1', '3', '1', '1'])
  })

  test('grows by what the client got, with results for its calls', async () => {
    const talk = testPolicy(says(pass())).conversation({ turns: ['Begin.'] })
    await talk.onAnswer(['I look.', { name: 'read', args: { path: 'a' } }])
    talk.result('nothing there', { isError: true })
    await talk.onToolCall('list')
    talk.user('Go on.')
    expect(talk.turns.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
      ['user', 'text'],
      ['assistant', 'text', 'tool-call'],
      ['user', 'tool-result'],
      ['assistant', 'tool-call'],
      ['user', 'tool-result'],
      ['user', 'text'],
    ])
  })

  test('lets a loop be seen', async () => {
    const talk = testPolicy(loopBreaker()).conversation()
    const verdicts = []
    for (let at = 0; at < 8; at++)
      verdicts.push((await talk.onToolCall('read', { path: 'same' })).verdict)
    expect(verdicts.slice(0, 2)).toEqual(['pass', 'pass'])
    expect(verdicts).toContain('deny')
  })
})

describe.each(WIRE_NAMES)('a recording of %s', (wire) => {
  const folder = new URL(`../../test/fixtures/${wire}/`, import.meta.url)
  const names = readdirSync(folder).filter((name) => name.endsWith('.sse'))
  const fixture = (name: string): Uint8Array => readFileSync(new URL(name, folder))

  test('leaves as it came where nothing is decided, every one that is right', async () => {
    const tested = testPolicy(definePolicy({ name: 'watches', onBlock() {} }))
    for (const name of names) {
      const bytes = fixture(name)
      const result = await tested.onStream(bytes, { wire })
      if (result.error !== undefined || isOdd(wire, bytes)) continue
      expect([name, result.frames(wire)]).toEqual([name, new TextDecoder().decode(bytes)])
    }
  })

  test('is recognised as bytes, text, pieces and a stream', async () => {
    const bytes = fixture('text-then-two-calls.sse')
    const tested = testPolicy(says(deny('No.')))
    async function* flow(): AsyncGenerator<Uint8Array> {
      yield* [bytes.subarray(0, 10), bytes.subarray(10)]
    }
    for (const stream of [bytes, new TextDecoder().decode(bytes), [bytes], flow()]) {
      const result = await tested.onStream(stream)
      expect(result).toMatchObject({ verdict: 'deny', calls: [], finish: 'stop' })
      expect(result.verdicts.map(({ block }) => block?.name)).toEqual(['read_file', 'delete_files'])
      expectLegal(result)
    }
  })

  test('may be a JSON answer', async () => {
    const made = await testPolicy([]).onToolCall('x', { a: 1 })
    const { body } = WIRES[wire].writeAnswer(made.state)
    for (const stream of [body, JSON.stringify(body)]) {
      const result = await testPolicy(says(deny('No.'))).onStream(stream)
      expect(result).toMatchObject({ verdict: 'deny', calls: [] })
      expectLegal(result)
    }
  })
})

function isOdd(wire: WireName, bytes: Uint8Array): boolean {
  const stage = chain(createFrameDecoder(), WIRES[wire].createGrammar())
  return [...stage.push(bytes), ...stage.end()].length > 0
}

test('a stream of no wire is refused with words', async () => {
  await expect(testPolicy([]).onStream('data: {"a":1}\n\n')).rejects.toThrow(
    'Nothing in this stream tells its wire',
  )
  await expect(testPolicy([]).onStream({ a: 1 })).rejects.toThrow('no answer of any wire')
})
