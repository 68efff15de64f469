/**
 * A policy changes a request: what its upstream gets is what the client sent, to the byte, but for the change; on its own
 * wire and on another, answers and counts. And a policy that refuses one, in the client's own words.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import { definePolicy, type Policy } from '../../src/policy/policy.ts'
import { change, deny } from '../../src/policy/verdict.ts'
import type { Part } from '../../src/request/part.ts'
import type { ModelRequest } from '../../src/request/request.ts'
import { redact } from '../../src/stock/redact/redact.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { allTo, ask, httpUpstream, PATHS, startTestGateway } from '../support/gateway.ts'
import type { TestGateway } from '../support/gateway.ts'
import { fetchRaw, type RawAnswer } from '../support/raw-client.ts'
import { JSON_TYPE, reply } from '../support/spoken.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

let upstream: TestUpstream
let gateway: TestGateway
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(async () => {
  await gateway.close(0)
  await upstream.close()
})

async function start(policy: Policy, wire?: WireName): Promise<void> {
  const up = httpUpstream(upstream.url, wire === undefined ? {} : { wires: [wire] })
  gateway = await startTestGateway(allTo(up), { policies: [install(policy)] })
  upstream.answer((request) =>
    request.path.endsWith('tokens')
      ? { body: '{"input_tokens":7}', headers: JSON_TYPE }
      : reply(wireOf(request.path), { pieces: [{ text: 'Yes.' }] }, request),
  )
}

const wireOf = (path: string): WireName =>
  path.endsWith('/messages')
    ? 'anthropic-messages'
    : path.endsWith('/responses')
      ? 'openai-responses'
      : 'openai-chat'

const changing = (become: (request: ModelRequest) => ModelRequest): Policy =>
  definePolicy({
    name: 'changing',
    holds: [],
    onRequest: (request) => change(become(request)),
  })

/** Every text that is said, in every kind of part. */
const withWords = (become: (text: string) => string): Policy => {
  const toPart = (part: Part): Part => {
    switch (part.type) {
      case 'text':
        return { ...part, text: become(part.text) }
      case 'tool-call':
        return { ...part, arguments: become(part.arguments) }
      case 'tool-result':
        return { ...part, parts: part.parts.map((one) => toPart(one) as never) }
      case 'document':
        return {
          ...part,
          ...(part.title === undefined ? {} : { title: become(part.title) }),
          ...(part.context === undefined ? {} : { context: become(part.context) }),
        }
      case 'thinking':
      case 'refusal':
      case 'image':
      case 'audio':
      case 'opaque':
        return part
    }
  }
  return changing((request) => ({
    ...request,
    system: request.system.map((part) => ({ ...part, text: become(part.text) })),
    turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(toPart) })),
  }))
}

/** Spaces, digits, escapes, fields and blocks that nobody knows: none of them may be lost. */
const BODIES: Readonly<Record<WireName, string>> = {
  'anthropic-messages': `{ "model":"m", "max_tokens" : 1.0e2, "future":{"n":12345678901234567890},
  "system":[{"type":"text","text":"x-anthropic-billing-header: a=1;"},{"type":"text","text":"Be Alpha.","cache_control":{"type":"ephemeral"}}],
  "tools":[{"name":"t","input_schema":{"type":"object","properties":{"id":{"type":"integer","maximum":9007199254740993}}}}],
  "messages":[{"role":"user","content":"Say Alpha"},
   {"role":"user","content":[{"type":"document","title":"Alpha","context":"of Alpha","source":{"type":"text","media_type":"text/plain","data":"caf\\u00e9"}},{"type":"future_block","x":1.50}]},
   {"role":"assistant","content":[{"type":"thinking","thinking":"Alpha?","signature":"sig"},{"type":"tool_use","id":"tu_1","name":"t","input":{"id":9007199254740993,"q":"Alpha"}}]},
   {"role":"user","content":[{"type":"tool_result","tool_use_id":"tu_1","content":"Alpha found"},{"type":"text","text":"Go on", "cache_control":{"type":"ephemeral"}}]}] }`,
  'openai-chat': `{ "model":"m", "temperature" : 1.0, "future":{"n":12345678901234567890},
  "tools":[{"type":"function","function":{"name":"t","parameters":{"type":"object","properties":{"id":{"type":"integer","maximum":9007199254740993}}}}}],
  "messages":[{"role":"system","content":"Be Alpha."},{"role":"user","content":"Say Alpha"},
   {"role":"assistant","x":1.50,"content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"t","arguments":"{\\"id\\": 9007199254740993, \\"q\\": \\"Alpha\\"}"}}]},
   {"role":"tool","tool_call_id":"c1","content":"Alpha found"},
   {"role":"user","content":[{"type":"text","text":"caf\\u00e9"},{"type":"image_url","image_url":{"url":"https://example.com/Alpha"}}]}] }`,
  'openai-responses': `{ "model":"m", "temperature" : 1.0, "future":{"n":12345678901234567890}, "instructions":"Be Alpha.", "store":false,
  "tools":[{"type":"function","name":"t","parameters":{"type":"object","properties":{"id":{"type":"integer","maximum":9007199254740993}}}}],
  "input":[{"role":"user","content":"Say Alpha","x":1.50},
   {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Alpha?"}],"encrypted_content":"gAAA"},
   {"type":"function_call","id":"fc_1","call_id":"c1","name":"t","arguments":"{\\"id\\": 9007199254740993, \\"q\\": \\"Alpha\\"}"},
   {"type":"function_call_output","call_id":"c1","output":"Alpha found"},
   {"type":"future_item","x":1.50},
   {"role":"user","content":[{"type":"input_text","text":"caf\\u00e9"}]}] }`,
}

/** The same bytes with every word changed that is no thought and no address. */
const expected = (wire: WireName): string =>
  BODIES[wire].replaceAll(/(?<!example.com\/)Alpha(?!\?)/g, 'Beta')

const post = (wire: WireName, body: string, path = PATHS[wire]): Promise<RawAnswer> =>
  fetchRaw(gateway.url + path, { body, headers: { 'user-agent': 'test' } })

const sent = (): string => upstream.requests.at(-1)?.body.toString() ?? ''

describe.each(WIRE_NAMES)('%s', (wire) => {
  test('every other byte is the client’s', async () => {
    await start(withWords((text) => text.replaceAll('Alpha', 'Beta')))
    expect((await post(wire, BODIES[wire])).status).toBe(200)
    expect(sent()).toBe(expected(wire))
  })

  test('what was changed into itself leaves as it came', async () => {
    await start(changing((request) => ({ ...request, turns: [...request.turns] })))
    await post(wire, BODIES[wire])
    expect(sent()).toBe(BODIES[wire])
  })

  test.each(WIRE_NAMES)('the change reaches an upstream of %s, with each digit', async (up) => {
    await start(
      withWords((text) => text.replaceAll('Alpha', 'Beta')),
      up,
    )
    expect((await post(wire, BODIES[wire])).status).toBe(200)
    expect(sent()).toContain('Say Beta')
    expect(sent()).toContain('Beta found')
    expect(sent()).toContain('9007199254740993')
    expect(sent().replaceAll('example.com/Alpha', '')).not.toMatch(/Alpha(?!\?)/)
  })

  test('redact hides in every place, and nothing else moves', async () => {
    await start(redact({ patterns: [{ name: 'word', pattern: 'Alpha' }] }))
    await post(
      wire,
      BODIES[wire]
        .replaceAll('Alpha?', 'Hm?')
        .replaceAll('Be Alpha', 'Be good')
        .replaceAll('example.com/Alpha', 'x'),
    )
    expect(sent()).not.toContain('Alpha')
    for (const kept of ['9007199254740993', '12345678901234567890', '1.50', 'caf\\u00e9'])
      expect(sent()).toContain(kept)
  })

  test('turns, tools, instructions and settings come and go', async () => {
    await start(
      changing((request) => ({
        ...request,
        maxTokens: 55,
        tools: [],
        system: [...request.system, { type: 'text', text: 'Be brief.' }],
        turns: [
          ...request.turns.slice(1),
          { role: 'user', parts: [{ type: 'text', text: 'And stop.' }] },
        ],
      })),
    )
    expect((await post(wire, BODIES[wire])).status).toBe(200)
    const body = JSON.parse(sent()) as Record<string, unknown>
    expect(body['tools']).toBeUndefined()
    expect(sent()).not.toContain('Say Alpha')
    for (const kept of [
      '"future":{"n":12345678901234567890}',
      '55',
      'Be brief.',
      'And stop.',
      '1.50',
    ])
      expect(sent()).toContain(kept)
    expect(sent().indexOf('And stop.')).toBeGreaterThan(sent().indexOf('Alpha found'))
    expect(sent().includes('billing')).toBe(wire === 'anthropic-messages')
  })

  test.each([true, false])(
    'a refusal is an error of the client’s own wire, stream %s',
    async (stream) => {
      await start(definePolicy({ name: 'no', holds: [], onRequest: () => deny('Not today') }))
      const answer = await post(wire, ask(wire, { stream }))
      expect([answer.status, upstream.requests.length]).toEqual([403, 0])
      expect(answer.headers['content-type']).toContain('application/json')
      const { error, type } = JSON.parse(answer.body.toString()) as {
        error: { message: string; type: string }
        type?: string
      }
      expect(error.message).toContain('Not today.')
      expect([type, error.type]).toEqual(
        wire === 'anthropic-messages'
          ? ['error', 'permission_error']
          : [undefined, expect.stringMatching(/permission|invalid_request/)],
      )
    },
  )
})

test.each([
  ['anthropic-messages', '/v1/messages/count_tokens'],
  ['openai-responses', '/v1/responses/input_tokens'],
] as const)('tokens of %s are counted in what would be sent', async (wire, path) => {
  await start(withWords((text) => text.replaceAll('Alpha', 'Beta')))
  const answer = await post(wire, BODIES[wire], path)
  expect(answer.body.toString()).toBe('{"input_tokens":7}')
  expect(sent()).toBe(expected(wire))
})

test('each policy is closed once, also where no answer came', async () => {
  const closed: string[] = []
  const ends = (name: string, onRequest?: Policy['onRequest']): Policy => ({
    name,
    holds: [],
    close: () => void closed.push(name),
    ...(onRequest === undefined ? {} : { onRequest }),
  })
  await start(ends('watches'))
  await post('openai-chat', ask('openai-chat'))
  upstream.always({ status: 500, body: '{}', headers: JSON_TYPE })
  await post('openai-chat', ask('openai-chat'))
  await gateway.close(0)
  await start(ends('refuses', () => deny('No')))
  await post('openai-chat', ask('openai-chat'))
  await gateway.report(0)
  expect(closed).toEqual(['watches', 'watches', 'refuses'])
})
