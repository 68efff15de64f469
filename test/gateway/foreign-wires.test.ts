/** What a route to another wire must not do: send a credential abroad, or hide why a fallback was asked. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import { allTo, ask, httpUpstream, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { CHAT, MESSAGES } from '../support/json-answers.ts'
import { fetchRaw, type RawAnswer } from '../support/raw-client.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const VERSION = { 'anthropic-version': '2023-06-01' }

let messages: TestUpstream
let chat: TestUpstream
const gateways: TestGateway[] = []
beforeAll(async () => {
  messages = await startUpstream()
  chat = await startUpstream()
  messages.always({ body: JSON.stringify(MESSAGES.plain), headers: JSON_TYPE })
  chat.always({ body: JSON.stringify(CHAT.plain), headers: JSON_TYPE })
})
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close(0)
})
afterAll(() => Promise.all([messages.close(), chat.close()]))

async function start(settings: Partial<Settings>): Promise<TestGateway> {
  const gateway = await startTestGateway(settings)
  gateways.push(gateway)
  return gateway
}

const onChat = (more: Parameters<typeof httpUpstream>[1] = {}) =>
  httpUpstream(chat.url, { name: 'chat', wires: ['openai-chat'], ...more })
const onMessages = (more: Parameters<typeof httpUpstream>[1] = {}) =>
  httpUpstream(messages.url, { wires: ['anthropic-messages'], ...more })

const send = (
  gateway: TestGateway,
  body: object,
  headers: Record<string, string> = {},
): Promise<RawAnswer> =>
  fetchRaw(`${gateway.url}/v1/messages`, {
    body: ask('anthropic-messages', body),
    headers: { ...VERSION, ...headers },
  })

const errorOf = (answer: RawAnswer): { type?: string; message?: string } =>
  (JSON.parse(answer.body.toString()) as { error: { type?: string; message?: string } }).error

test.each([{ authorization: 'Bearer sk-ant-SECRET' }, { 'x-api-key': 'sk-ant-SECRET' }])(
  'a login for the vendor of one wire does not go to an upstream of another (%o)',
  async (headers) => {
    const gateway = await start(allTo(onChat()))
    const before = chat.requests.length
    expect((await send(gateway, {}, headers)).status).toBe(200)
    expect(JSON.stringify(chat.requests[before]?.headers)).not.toContain('SECRET')
  },
)

test('thinking and arguments that are nested without end are no failure of the gateway', async () => {
  const gateway = await start(allTo(onChat({ vendor: 'openrouter' })))
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const sealed = `{"wire":"openai-chat","text":"hm","signature":"s","item":${deep}}`
  const signature = `sluice1.${Buffer.from(sealed).toString('base64url')}`
  const thinking = { type: 'thinking', thinking: 'hm', signature }
  const call = { type: 'tool_use', id: 'c1', name: 'run', input: deep }
  const before = chat.requests.length
  const answer = await send(gateway, {
    messages: [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: [thinking, call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'x' }] },
    ],
  })
  expect(answer.status).toBe(200)
  expect(chat.requests).toHaveLength(before + 1)
})

test('it does where the config names the header for it', async () => {
  const gateway = await start(allTo(onChat({ auth: 'bearer' })))
  const before = chat.requests.length
  expect((await send(gateway, {}, { 'x-api-key': 'sk-for-chat' })).status).toBe(200)
  expect(chat.requests[before]?.headers).toMatchObject({ authorization: 'Bearer sk-for-chat' })
  expect(chat.requests[before]?.headers).not.toHaveProperty('x-api-key')
})

test('what a client says to its own vendor is not said to another', async () => {
  const gateway = await start(allTo(onChat({ apiKey: 'sk-ours' })))
  const before = chat.requests.length
  await send(
    gateway,
    {},
    { 'anthropic-beta': 'some-beta', 'x-stainless-lang': 'js', 'x-app': 'cli' },
  )
  const names = Object.keys(chat.requests[before]?.headers ?? {})
  expect(names.filter((name) => /anthropic|stainless|x-app|cookie/.test(name))).toEqual([])
})

const OVERLOADED = {
  status: 529,
  headers: JSON_TYPE,
  body: JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }),
}

test('a fallback of another wire that refuses does not hide why it was asked', async () => {
  const gateway = await start(allTo(onMessages(), onChat()))
  messages.next(OVERLOADED)
  chat.next({ status: 400, headers: JSON_TYPE, body: '{"error":{"message":"Unknown field"}}' })
  const answer = await send(gateway, {})
  expect(answer.status).toBe(529)
  expect(errorOf(answer)).toMatchObject({ type: 'overloaded_error', message: 'Busy' })
})

test('a fallback that cannot say the request does not hide it either', async () => {
  const gateway = await start(allTo(onMessages(), onChat()))
  const before = chat.requests.length
  messages.next(OVERLOADED)
  const answer = await send(gateway, { container: 'container_1' })
  expect(answer.status).toBe(529)
  expect(chat.requests).toHaveLength(before)
})

test('what only the own wire can say is refused with its field where no other upstream is', async () => {
  const gateway = await start(allTo(onChat()))
  const answer = await send(gateway, { container: 'container_1' })
  expect(answer.status).toBe(400)
  expect(errorOf(answer).message).toMatch(/^container: /)
  const asChat = await fetchRaw(`${(await start(allTo(onMessages()))).url}/v1/chat/completions`, {
    body: ask('openai-chat', { logprobs: true }),
    headers: {},
  })
  expect(errorOf(asChat)).toMatchObject({ param: 'logprobs', code: 'unsupported_parameter' })
})

test('a conversation that only OpenAI keeps is not answered as if it had no past', async () => {
  const gateway = await start(allTo(onChat()))
  const before = chat.requests.length
  const answer = await fetchRaw(`${gateway.url}/v1/responses`, {
    body: ask('openai-responses', { conversation: 'conv_123' }),
    headers: {},
  })
  expect(answer.status).toBe(400)
  expect(errorOf(answer)).toMatchObject({ param: 'conversation' })
  expect(chat.requests).toHaveLength(before)
})

const SEALED = {
  messages: [
    { role: 'user', content: 'Hello' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 'theirs' },
        { type: 'text', text: 'Hi' },
      ],
    },
    { role: 'user', content: 'And now?' },
  ],
}

test('thinking that another upstream of the same wire sealed is left out at the second try', async () => {
  const gateway = await start(allTo(onMessages()))
  const before = messages.requests.length
  messages.next({
    status: 400,
    headers: JSON_TYPE,
    body: JSON.stringify({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
      },
    }),
  })
  const answer = await send(gateway, SEALED)
  expect(answer.status).toBe(200)
  expect(answer.headers['x-sluice-losses']).toBe('dropped:thinking')
  expect(messages.requests[before]?.body.toString()).toContain('theirs')
  expect(messages.requests[before + 1]?.body.toString()).not.toContain('theirs')
})

test('a body that only speaks of envelopes passes as it came', async () => {
  const gateway = await start(allTo(onMessages()))
  const before = messages.requests.length
  const body = ask('anthropic-messages', {
    messages: [{ role: 'user', content: 'Look for "signature":"sluice1.abc" and \\"sluice1.' }],
  }).replace('100', '100.0')
  await fetchRaw(`${gateway.url}/v1/messages`, { body, headers: VERSION })
  expect(messages.requests[before]?.body.toString()).toBe(body)
})
