/** Three real processes on one real Postgres: they behave as one gateway, and one that is killed leaves nothing stuck. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHAT } from '../support/json-answers.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import {
  approvalsOf,
  post,
  startReal,
  toolRequest,
  until,
  type RealGateway,
} from '../support/several-gateways.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

let server: TestPostgres | undefined
let chat: TestUpstream
let database = ''
const gateways: RealGateway[] = []
beforeAll(async () => {
  server = await startPostgres()
  chat = await startUpstream()
  chat.always({
    body: JSON.stringify(CHAT.plain),
    headers: { 'content-type': 'application/json' },
  })
  database = (await server?.createDatabase()) ?? ''
  if (server === undefined) return
  const config = { database, chat: chat.url, budget: 10 }
  gateways.push(...(await Promise.all([1, 2, 3].map(() => startReal(config)))))
}, 60_000)
afterAll(async () => {
  for (const { child } of gateways) child.kill('SIGKILL')
  await chat.close()
  await server?.stop()
})

const at = (index: number): RealGateway => {
  const gateway = gateways[index]
  if (gateway === undefined) throw new Error('It could not be started')
  return gateway
}
const PATH = '/v1/chat/completions'

describe.skipIf(process.platform === 'win32')('three gateways on one Postgres', () => {
  test('a call that is asked on one is decided on another, and its client goes on', async () => {
    const answer = at(0)
      .post(PATH, toolRequest('one'))
      .then((response) => response.text())
    const [waiting] = await until(async () => {
      const list = await approvalsOf(at(1))
      return list.length > 0 && list
    }, 'the ticket')
    const ticket = waiting?.ticket ?? ''
    expect((await at(1).api(`/approvals/${ticket}`, { decision: 'pass' })).status).toBe(200)
    expect(await answer).toContain('get_weather')
    expect((await at(2).api(`/approvals/${ticket}`, { decision: 'deny' })).status).toBe(409)
  })

  test('halted on one is halted on all', async () => {
    await at(2).api('/policies/halt', { halted: true, reason: 'an incident' })
    await until(async () => {
      const states = await Promise.all(gateways.map(({ api }) => api('/policies/halt')))
      return states.every(({ json }) => json['halted'] === true)
    }, 'the switch')
    const answer = await at(0).post(PATH, toolRequest('two'))
    expect(await answer.text()).toContain('an incident')
    await at(0).api('/policies/halt', { halted: false })
  })

  test('a policy that is added on one is there on all, within a second or so, and goes again', async () => {
    const names = async (): Promise<readonly string[]> =>
      await Promise.all(
        gateways.map(async ({ api }) => {
          const { policies } = (await api('/policies')).json as { policies: { name: string }[] }
          return policies.map(({ name }) => name).join(' ')
        }),
      )
    const yaml = '{ use: rules, name: new, deny: [{ when: "true", reason: No. }] }'
    expect((await at(0).api('/policies', { yaml, mode: 'shadow' })).status).toBe(200)
    const addedAt = performance.now()
    await until(async () => (await names()).every((list) => list.endsWith(' new')), 'the policy')
    expect(performance.now() - addedAt).toBeLessThan(5000)
    expect((await at(1).api('/policies/new/rollback', {})).status).toBe(200)
    await until(async () => (await names()).every((list) => !list.includes('new')), 'its end')
  })

  test('a budget that is spent on one is spent on all', async () => {
    const spend = (index: number): Promise<Response> =>
      post({ url: at(index).url, path: PATH, key: 'k-2' }, { model: 'demo-text', messages: TALK })
    expect((await spend(0)).status).toBe(200)
    await until(async () => (await spend(1)).status === 429, 'the refusal')
    expect((await spend(2)).status).toBe(429)
  })

  test('a conversation that is begun on one goes on on another, at once', async () => {
    const say = async (index: number, more: object): Promise<string> => {
      const response = await at(index).post('/v1/responses', { model: 'chat-1', ...more })
      const { id } = (await response.json()) as { id?: string }
      expect([response.status, typeof id]).toEqual([200, 'string'])
      return id ?? ''
    }
    let previous = await say(0, { input: 'An owl' })
    for (const index of [1, 2, 0, 1]) {
      previous = await say(index, { previous_response_id: previous, input: 'Go on' })
      expect(chat.requests.at(-1)?.body.toString()).toContain('An owl')
    }
  })

  test('the ticket of one that was killed expires, is shown as such, and serves who asks again', async () => {
    const lost = at(0)
      .post(PATH, toolRequest('three'))
      .then((response) => response.text())
      .catch(() => 'lost')
    const pending = async (): Promise<string | undefined> =>
      (await approvalsOf(at(1))).find(({ status }) => status === 'pending')?.ticket
    const ticket = await until(pending, 'the ticket')
    at(0).kill()
    expect(await lost).not.toContain('tool_calls')
    await endLease(at(0).url)
    const gone = await until(
      async () =>
        (await approvalsOf(at(1))).find((one) => one.ticket === ticket && one.status === 'expired'),
      'its end',
      25_000,
    )
    expect(gone.note).toContain('is gone')
    // A decision that comes late is for the client that asks again, wherever.
    expect((await at(1).api(`/approvals/${ticket}`, { decision: 'pass' })).status).toBe(200)
    const again = await at(2).post(PATH, toolRequest('three'))
    expect(await again.text()).toContain('get_weather')
  }, 40_000)
})

/** As if the ten seconds were over in which it may be silent. */
async function endLease(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  await client.query('update gateways set alive_until = now() where url = $1', [url])
  await client.end()
}

const TALK = [{ role: 'user', content: 'Hello' }]
