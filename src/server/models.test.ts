import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { httpUpstream } from '../../test/support/gateway.ts'
import { startUpstream, type TestUpstream } from '../../test/support/upstream.ts'
import { demoSettings } from '../config/load.ts'
import type { WireName } from '../event/event.ts'
import type { Client } from '../exchange/exchange.ts'
import type { Route } from '../exchange/route.ts'
import { createTarget, type Target } from '../exchange/target.ts'
import { createTicker } from '../exchange/ticker.ts'
import type { UpstreamSettings } from '../upstream/settings.ts'
import { createModelList, type ModelList } from './models.ts'

type ModelsAsked = Parameters<ModelList['list']>[0]

let upstream: TestUpstream
let other: TestUpstream
const ticker = createTicker()
const targets: Target[] = []
beforeAll(async () => {
  upstream = await startUpstream()
  other = await startUpstream()
})
afterAll(async () => {
  for (const target of targets) await target.upstream.close()
  await upstream.close()
  await other.close()
})
beforeEach(() => {
  upstream.always(list('one', 'two'))
  other.always(list('three'))
})

const JSON_TYPE = { 'content-type': 'application/json' }
const list = (...ids: readonly string[]): { body: string; headers: typeof JSON_TYPE } => ({
  body: JSON.stringify({ data: ids.map((id) => ({ id, object: 'model', created: 1 })) }),
  headers: JSON_TYPE,
})
const route = (model: string, more: Partial<Route> = {}): Route => ({
  model,
  wire: undefined,
  to: ['up'],
  as: {},
  ...more,
})
const NOBODY: Client = { key: undefined, models: undefined, hasOwnCredential: true }
const asks = (wire: WireName, more: Partial<ModelsAsked> = {}): ModelsAsked => ({
  wire,
  client: NOBODY,
  headers: { authorization: 'Bearer mine' },
  signal: new AbortController().signal,
  ...more,
})

function models(routes: readonly Route[], ...settings: readonly UpstreamSettings[]): ModelList {
  const made = settings.map((one) => createTarget(one))
  targets.push(...made)
  return createModelList(new Map(made.map((one) => [one.settings.name, one])), routes, ticker)
}

const idsOf = async (of: ModelList, ask: ModelsAsked): Promise<readonly string[]> =>
  ((await of.list(ask))['data'] as { id: string }[]).map(({ id }) => id)

test('lists what upstreams of the client’s vendor offer, in the client’s words', async () => {
  const of = models([route('*')], httpUpstream(upstream.url))
  expect(await of.list(asks('openai-chat'))).toEqual({
    object: 'list',
    data: ['one', 'two'].map((id) => ({ id, object: 'model', created: 1, owned_by: 'up' })),
  })
  expect(await of.list(asks('anthropic-messages'))).toMatchObject({
    first_id: 'one',
    last_id: 'two',
    has_more: false,
    data: [{ type: 'model', id: 'one', created_at: '1970-01-01T00:00:01.000Z' }, { id: 'two' }],
  })
})

test.each(['openai-chat', 'openai-responses'] as const)(
  'lists an upstream that speaks only one of OpenAI’s two wires: %s',
  async (wire) => {
    const of = models([route('*', { wire })], httpUpstream(upstream.url, { wires: [wire] }))
    expect(await idsOf(of, asks('openai-chat'))).toEqual(['one', 'two'])
    expect(await idsOf(of, asks('anthropic-messages'))).toEqual([])
  },
)

test('offers only what a route leads to and the key may use, and what routes name', async () => {
  const of = models(
    [route('on*'), route('mine', { as: { up: 'two' } })],
    httpUpstream(upstream.url),
  )
  expect(await idsOf(of, asks('openai-chat'))).toEqual(['mine', 'one'])
  const client = { ...NOBODY, key: 'k', models: ['m*'] }
  expect(await idsOf(of, asks('openai-chat', { client }))).toEqual(['mine'])
  expect(await of.find('one', asks('openai-chat'))).toMatchObject({ id: 'one' })
  expect(await of.find('one', asks('openai-chat', { client }))).toBeUndefined()
  expect(await of.find('two', asks('openai-chat'))).toBeUndefined()
})

test('asks again with each client’s own credential, and keeps what everybody may see', async () => {
  const before = upstream.requests.length
  const own = models([route('*')], httpUpstream(upstream.url))
  await own.list(asks('openai-chat'))
  await own.list(asks('openai-chat'))
  expect(upstream.requests).toHaveLength(before + 2)
  expect(upstream.requests[before]?.headers.authorization).toBe('Bearer mine')
  const shared = models([route('*')], httpUpstream(upstream.url, { apiKey: 'sk-ours' }))
  await shared.list(asks('openai-chat'))
  await shared.list(asks('openai-chat'))
  expect(upstream.requests).toHaveLength(before + 3)
  expect(upstream.requests[before + 2]?.rawHeaders.join()).not.toContain('mine')
})

test('shows one vendor’s credential to no other', async () => {
  const before = other.requests.length
  const of = models(
    [route('*')],
    httpUpstream(upstream.url),
    httpUpstream(other.url, { name: 'other' }),
  )
  expect(await idsOf(of, asks('openai-chat'))).toEqual(['one', 'two', 'three'])
  expect(other.requests[before]?.headers).not.toHaveProperty('authorization')
})

test('shows none to an upstream that wants none', async () => {
  const [one, three] = [upstream.requests.length, other.requests.length]
  const of = models(
    [route('*')],
    httpUpstream(upstream.url, { auth: 'none' }),
    httpUpstream(other.url, { name: 'other' }),
  )
  await of.list(asks('openai-chat'))
  await of.list(asks('openai-chat'))
  expect(upstream.requests[one]?.headers).not.toHaveProperty('authorization')
  expect(other.requests[three]?.headers.authorization).toBe('Bearer mine')
  // What is asked without a credential is the same for everybody.
  expect(upstream.requests).toHaveLength(one + 1)
})

test('does without an upstream that fails', async () => {
  upstream.next({ status: 500, body: '{"error":{}}', headers: JSON_TYPE })
  const of = models(
    [route('*')],
    httpUpstream(upstream.url),
    httpUpstream(other.url, { name: 'other' }),
    ...demoSettings().upstreams,
  )
  const ids = await idsOf(of, asks('openai-chat'))
  expect(ids).toContain('three')
  expect(ids).toContain('demo-text')
  expect(ids).not.toContain('one')
})

test.each([
  '[]',
  '{}',
  '{"data":{}}',
  '{"data":[1,null,{},{"id":1},{"id":""},"x"]}',
  `{"data":[{"id":"${'x'.repeat(300)}"}]}`,
  '{"data":[{"id":"odd","created":1e300}]}',
  '{"data":[{"id":"odd","created":-1e300}]}',
  '{"data":[{"id":"odd","created_at":"+275760-09-13T00:00:00.001Z"}]}',
  '{"data":[{"id":"odd","created":1.7976931348623157e309}]}',
])('makes the best of what an upstream says: %s', async (body) => {
  const of = models([route('*')], httpUpstream(upstream.url))
  for (const wire of ['openai-chat', 'anthropic-messages'] as const) {
    upstream.next({ body, headers: JSON_TYPE })
    const said = JSON.parse(JSON.stringify(await of.list(asks(wire)))) as { data: { id: string }[] }
    expect(said.data.every(({ id }) => id.length > 0 && id.length <= 256)).toBe(true)
  }
})
