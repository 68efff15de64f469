/** Keys that are made while a gateway runs: who has one comes in, who has none does not, and all gateways agree. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/call.ts'
import { createApiClient, type ApiClient } from '../../src/api/client.ts'
import type { KeyOrder } from '../../src/api/types.ts'
import { STORE } from '../../src/config/defaults.ts'
import { hashKey } from '../../src/config/keys.ts'
import { demoSettings } from '../../src/config/load.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { StoreLocation } from '../../src/store/store.ts'
import { ask, key, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { recordSettings } from '../support/recorded-gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-keys-'))
let files = 0
const running: TestGateway[] = []
const closeAll = async (): Promise<void> => {
  await Promise.all(running.splice(0).map((gateway) => gateway.close(0)))
}
afterEach(closeAll)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const aFile = (): StoreLocation => ({ type: 'sqlite', file: join(folder, `${files++}.db`) })

interface Started {
  readonly gateway: TestGateway
  readonly api: ApiClient
  /** The status that a client with that key gets. */
  status(secret?: string): Promise<number>
}

async function start(
  location: StoreLocation | undefined,
  settings: Partial<Settings> = {},
): Promise<Started> {
  const gateway = await startTestGateway({
    ...(location === undefined
      ? {}
      : {
          store: { ...STORE, location },
          records: { ...recordSettings(''), location },
        }),
    ...settings,
  })
  running.push(gateway)
  return {
    gateway,
    api: createApiClient({ url: gateway.url, token: gateway.adminToken() }),
    async status(secret) {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
        },
        body: ask('openai-chat', { model: 'demo-text' }),
      })
      await response.text()
      return response.status
    },
  }
}

const refusal = async (work: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ApiError) return error
  throw new Error('It was not refused', { cause: error })
}

test('a key is made, comes in, is revoked, and comes in no more', async () => {
  const { api, status, gateway } = await start(aFile())
  expect(await status()).toBe(200)
  const open = await refusal(api.createKey({ name: 'ann' }))
  expect([open.status, open.message]).toEqual([409, expect.stringContaining('"closes": true')])
  expect(await status()).toBe(200)

  const { key: made, secret, note } = await api.createKey({ name: 'ann', closes: true, by: 'me' })
  expect(made).toMatchObject({ name: 'ann', from: 'page', createdBy: 'me', usedTokens: 0 })
  expect(secret).toMatch(/^slc_[\w-]{43}$/)
  expect(note).toContain('nobody comes in without a key')
  expect([await status(secret), await status(), await status(`${secret}x`)]).toEqual([
    200, 401, 401,
  ])
  const second = await api.createKey({ name: 'bob' })
  expect(second.note).toBeUndefined()

  const { keys, needsKey, canCreate } = await api.keys()
  expect([needsKey, canCreate]).toEqual([true, true])
  const [ann, bob] = [
    keys.find(({ name }) => name === 'ann'),
    keys.find((one) => one.name === 'bob'),
  ]
  expect(ann?.lastUsedAt).toBeGreaterThan(Date.now() - 60_000)
  expect(ann?.usedTokens).toBeGreaterThan(0)
  expect(bob?.lastUsedAt).toBeUndefined()

  const revoked = await api.revokeKey('ann', { by: 'eve' })
  expect(revoked.key).toMatchObject({ name: 'ann', revokedBy: 'eve' })
  expect(await status(secret)).toBe(401)
  expect(await status(second.secret)).toBe(200)
  const said = JSON.stringify([await api.keys(), gateway.lines])
  for (const hidden of [secret, second.secret, hashKey(secret), hashKey(second.secret)])
    expect(said).not.toContain(hidden)
})

test('the last key that is revoked leaves the gateway shut, and opens it only where that is said', async () => {
  const { api, status } = await start(aFile())
  const { secret } = await api.createKey({ name: 'ann', closes: true })
  const { note } = await api.revokeKey('ann')
  expect(note).toContain('?opens=true')
  expect([await status(), await status(secret)]).toEqual([401, 401])
  expect((await api.health()).gateway.needsKey).toBe(true)
  const again = await api.revokeKey('ann', { opens: true })
  expect(again.note).toContain('comes in without a key')
  expect(await status()).toBe(200)
  expect((await api.keys()).keys).toEqual([])
  await api.createKey({ name: 'bob', closes: true })
  await api.createKey({ name: 'eve' })
  expect((await api.revokeKey('bob', { opens: true })).note).toContain('Other keys still hold')
  expect(await status()).toBe(401)
})

test('keys outlive the gateway, and are not there to be read before it opens', async () => {
  const location = aFile()
  const first = await start(location)
  const { secret } = await first.api.createKey({ name: 'ann', closes: true })
  await first.gateway.close(0)
  const second = await start(location)
  expect([await second.status(), await second.status(secret)]).toEqual([401, 200])
})

test('a second gateway on the same file follows within a second', async () => {
  const location = aFile()
  const [one, two] = [await start(location), await start(location)]
  const { secret } = await one.api.createKey({ name: 'ann', closes: true })
  await expect.poll(() => two.status(secret), { timeout: 3000 }).toBe(200)
  await expect.poll(() => two.status(), { timeout: 3000 }).toBe(401)
  await two.api.revokeKey('ann')
  expect(await two.status(secret)).toBe(401)
  await expect.poll(() => one.status(secret), { timeout: 3000 }).toBe(401)
})

test('without a store none is made, and what to do is said', async () => {
  const { api, status } = await start(undefined, { keys: demoSettings().keys })
  expect(await api.keys()).toEqual({ keys: [], needsKey: false, canCreate: false })
  const error = await refusal(api.createKey({ name: 'ann', closes: true }))
  expect([error.status, error.message]).toEqual([503, expect.stringContaining('record: bytes')])
  expect((await refusal(api.revokeKey('ann'))).status).toBe(503)
  expect(await status()).toBe(200)
})

describe('beside a key of the config', () => {
  let started: Started
  beforeAll(async () => {
    const rate = { requests: 5, per: 60_000 }
    const config = key('team', hashKey('secret-of-the-team'), { rate, models: ['demo*'] })
    started = await start(aFile(), { keys: [config] })
    // For all of them: the other tests close theirs.
    running.splice(0)
  })
  afterAll(() => started.gateway.close(0))

  test('a key of the config is listed, and neither made again nor revoked', async () => {
    const { api, status } = started
    expect((await api.keys()).keys).toEqual([
      { name: 'team', from: 'config', rate: '5/minute', models: ['demo*'], usedTokens: 0 },
    ])
    for (const work of [() => api.createKey({ name: 'team' }), () => api.revokeKey('team')]) {
      const error = await refusal(work())
      expect([error.status, error.message]).toEqual([409, expect.stringContaining('in the config')])
    }
    const { secret } = await api.createKey({ name: 'other' })
    expect([await status(secret), await status('secret-of-the-team'), await status()]).toEqual([
      200, 200, 401,
    ])
    expect((await refusal(api.revokeKey('othr'))).message).toContain('did you mean "other"')
  })

  test('an exchange that is under way when its key is revoked goes on', async () => {
    const { api, gateway } = started
    const { secret } = await api.createKey({ name: 'ann' })
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: ask('openai-chat', { model: 'demo-text', stream: true }),
    })
    await api.revokeKey('ann')
    expect(await response.text()).toContain('[DONE]')
  })

  test('limits of a key hold as those of the config do', async () => {
    const { api, gateway, status } = started
    const order: KeyOrder = {
      name: 'small',
      models: ['demo-*'],
      rate: '2/hour',
      budget: { tokens: 1_000_000, per: 'day' },
      concurrent: 3,
    }
    const { key: made, secret } = await api.createKey(order)
    expect(made).toMatchObject({
      models: ['demo-*'],
      rate: '2/hour',
      budget: { tokens: 1_000_000, per: 'day' },
      concurrent: 3,
    })
    const other = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: ask('openai-chat', { model: 'gpt-5' }),
    })
    expect([403, 404]).toContain(other.status)
    await other.text()
    await status(secret)
    expect(await status(secret)).toBe(429)
  })

  test('what is wrong with a key that is asked for is said', async () => {
    const { api } = started
    const wrong: readonly [object, string][] = [
      [{}, 'Say "name"'],
      [{ name: '' }, 'it is no name'],
      [{ name: '../etc' }, 'it is no name'],
      [{ name: 'x'.repeat(65) }, 'it is no name'],
      [{ name: 'a\nb' }, 'it is no name'],
      [{ name: 'a', model: ['x'] }, 'did you mean "models"'],
      [{ name: 'a', models: [] }, '"models" takes'],
      [{ name: 'a', models: 'claude' }, '"models" takes'],
      [{ name: 'a', rate: '60' }, '"rate" takes'],
      [{ name: 'a', rate: '0/minute' }, '"rate" takes'],
      [{ name: 'a', rate: { requests: 1, per: 'toString' } }, '"rate" takes'],
      [{ name: 'a', budget: { tokens: 1.5, per: 'day' } }, '"budget" takes'],
      [{ name: 'a', budget: { tokens: 5, per: 'week' } }, '"budget" takes'],
      [{ name: 'a', concurrent: 0 }, '"concurrent" takes'],
      [{ name: 'a', by: 7 }, '"by" takes'],
      [{ name: 'a', closes: 'yes' }, '"closes" takes'],
    ]
    for (const [order, message] of wrong) {
      const error = await refusal(api.createKey(order as KeyOrder))
      expect([error.status, error.message]).toEqual([400, expect.stringContaining(message)])
    }
    expect((await api.keys()).keys.map(({ name }) => name)).not.toContain('a')
    expect((await refusal(api.revokeKey('nobody'))).status).toBe(404)
  })

  test('a hundred that are made at once all come in, and of a hundred of one name one is made', async () => {
    const { api, status } = started
    const many = await Promise.all(
      Array.from({ length: 100 }, (_, i) => api.createKey({ name: `client-${i}` })),
    )
    expect(new Set(many.map(({ secret }) => secret)).size).toBe(100)
    const same = await Promise.allSettled(
      Array.from({ length: 100 }, () => api.createKey({ name: 'same' })),
    )
    expect(same.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
    const statuses = await Promise.all([0, 37, 99].map((i) => status(many[i]?.secret)))
    expect(statuses).toEqual([200, 200, 200])
    const { keys } = await api.keys()
    expect(keys.filter(({ name }) => name.startsWith('client-') || name === 'same')).toHaveLength(
      101,
    )
  })
})

describe.skipIf(!(await hasPostgres()))('on one Postgres', () => {
  let server: TestPostgres | undefined
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterAll(() => server?.stop())

  test('another gateway goes by what was made and revoked on the first', async () => {
    const url = (await server?.createDatabase()) ?? ''
    const [one, two] = [
      await start({ type: 'postgres', url }),
      await start({ type: 'postgres', url }),
    ]
    expect(await two.status()).toBe(200)
    const { secret } = await one.api.createKey({ name: 'ann', closes: true })
    await expect.poll(() => two.status(secret), { timeout: 3000 }).toBe(200)
    await expect.poll(() => two.status(), { timeout: 3000 }).toBe(401)
    await one.api.revokeKey('ann')
    await expect.poll(() => two.status(secret), { timeout: 3000 }).toBe(401)
  }, 30_000)
})
