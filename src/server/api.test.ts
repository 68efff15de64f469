import { afterEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts'
import { question } from '../../test/support/questions.ts'
import { fetchRaw } from '../../test/support/raw-client.ts'
import { createApprovals, type OwnApprovals } from '../approvals/approvals.ts'
import { createHaltSwitch } from '../approvals/halt.ts'
import { hashKey } from '../config/keys.ts'
import type { Settings } from '../config/settings.ts'
import { install } from '../policy/installed.ts'
import { pass } from '../policy/verdict.ts'

let gateway: TestGateway
let approvals: OwnApprovals
const halt = createHaltSwitch()
afterEach(async () => {
  halt.set(false)
  await gateway.close(0)
})

const TOKEN = 'the-made-admin-token'

async function start(settings: Partial<Settings> = {}): Promise<void> {
  approvals = createApprovals({
    checkArguments: (_, args) =>
      Object.keys(args).length === 0 ? 'command is missing' : undefined,
  })
  gateway = await startTestGateway(settings, {
    office: {
      approvals,
      halt,
      setHalt: (...order) => Promise.resolve(halt.set(...order)),
      token: () => TOKEN,
    },
  })
}

interface Said {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- what an API says is looked at by tests only
  readonly body: any
}

async function call(
  path: string,
  body?: unknown,
  headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
): Promise<Said> {
  const response = await fetch(`${gateway.url}${path}`, {
    headers,
    ...(body === undefined
      ? {}
      : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

function ask(...given: Parameters<typeof question>) {
  const decision = approvals.ask(question(...given))
  const ticket = approvals.desk.list().find(({ status }) => status === 'pending')?.ticket ?? ''
  return { decision, ticket }
}

describe('approvals', () => {
  test('are listed, shown and decided', async () => {
    await start()
    const { decision, ticket } = ask()
    const { body: list } = await call('/api/approvals?status=pending')
    expect(list.approvals).toMatchObject([{ ticket, call: { preview: '{"command":"ls"}' } }])
    const { body: shown } = await call(`/api/approvals/${ticket.toLowerCase()}`)
    expect(shown.approval.call.content).toBe('{"command":"ls"}')
    const decided = await call(`/api/approvals/${ticket}`, { decision: 'pass', by: 'ann' })
    expect(decided).toMatchObject({
      status: 200,
      body: { approval: { status: 'decided', decision: { type: 'pass', by: 'ann' } } },
    })
    expect(await decision).toMatchObject({ type: 'pass', by: 'ann', ticket })
    expect((await call('/api/approvals?status=pending')).body.approvals).toEqual([])
    expect((await call('/api/approvals')).body.approvals.length).toBe(1)
  })

  test('are decided once', async () => {
    await start()
    const { ticket } = ask()
    await call(`/api/approvals/${ticket}`, { decision: 'deny', by: 'ann' })
    const second = await call(`/api/approvals/${ticket}`, { decision: 'pass', by: 'bob' })
    expect(second).toEqual({
      status: 409,
      body: { error: { message: 'Already decided by ann: deny' } },
    })
  })

  test('that nobody waits for say so, and are used when the client asks again', async () => {
    await start()
    const left = new AbortController()
    const { ticket } = ask({ signal: left.signal })
    left.abort()
    const { body } = await call(`/api/approvals/${ticket}`, { decision: 'pass' })
    expect(body.note).toMatch(/Nobody waits/)
    expect(body.approval.decision.by).toBe('admin')
    expect((await ask({ exchangeId: 'exchange-2' }).decision).type).toBe('pass')
  })

  test.each([
    [{}, /decision/],
    [{ decision: 'maybe' }, /"pass", "deny" or "edit"/],
    [{ decision: 'pass', args: {} }, /Only "decision": "edit"/],
    [{ decision: 'edit' }, /needs "args"/],
    [{ decision: 'edit', args: {} }, /command is missing/],
    [{ decision: 'edit', args: [1] }, /"args" takes an object/],
    [{ decision: 'pass', remember: 'forever' }, /"remember" takes "once"/],
    [{ decision: 'pass', by: 7 }, /"by" takes/],
    ['[1]', /no JSON object/],
    ['{', /no JSON object/],
    [' '.repeat(5 * 1024 * 1024), /larger than/],
  ])('refuse %j, and go on waiting', async (body, words) => {
    await start()
    const tool = { type: 'function', name: 'Bash', schema: {}, isStrict: undefined } as const
    const { ticket } = ask({ tools: [tool] })
    const said = await call(`/api/approvals/${ticket}`, body)
    expect(said.status).toBe(400)
    expect(said.body.error.message).toMatch(words)
    expect(approvals.desk.show(ticket)?.status).toBe('pending')
  })

  test('that are not there are a 404', async () => {
    await start()
    expect((await call('/api/approvals/222-222')).status).toBe(404)
    expect((await call('/api/approvals/222-222', { decision: 'pass' })).status).toBe(404)
  })
})

describe('who may', () => {
  test('needs the admin token, and nothing else will do', async () => {
    await start({ keys: [{ ...KEY, hash: hashKey('k-1') }] })
    const refused = [
      {},
      { authorization: 'Bearer k-1' },
      { 'x-api-key': TOKEN },
      { authorization: TOKEN },
    ]
    for (const headers of refused)
      for (const path of ['/api', '/api/approvals', '/api/events', '/api/nothing']) {
        const said = await call(path, undefined, headers as Record<string, string>)
        expect(said.status).toBe(401)
        expect(said.body.error.message).toMatch(/admin token/)
      }
    expect((await call('/api')).status).toBe(200)
    // The admin token is no key.
    expect((await call('/v1/models')).status).toBe(401)
  })

  test('the token of the settings goes before the one that was made', async () => {
    await start({ admin: { token: 'from-the-settings', url: undefined } })
    expect((await call('/api')).status).toBe(401)
    const own = { authorization: 'Bearer from-the-settings' }
    expect((await call('/api', undefined, own)).status).toBe(200)
    expect(gateway.adminToken()).toBe('from-the-settings')
  })

  test('the token of a ticket is for that ticket only', async () => {
    await start()
    const { decision, ticket } = ask()
    const token = approvals.desk.tokenOf(ticket) ?? ''
    const link = `/api/approvals/${ticket}?token=${token}`
    for (const path of ['/api/approvals', '/api', '/api/policies/halt', '/api/events'])
      expect((await call(`${path}?token=${token}`, undefined, {})).status).toBe(401)
    expect((await call(link, undefined, {})).status).toBe(200)
    expect((await call(link, { decision: 'deny' }, {})).body.approval.decision.by).toBe('link')
    expect((await decision).type).toBe('deny')
    const bearer = { authorization: `Bearer ${token}` }
    expect((await call(`/api/approvals/${ticket}`, undefined, bearer)).status).toBe(200)
    const wrong = `/api/approvals/${ticket}?token=${token.slice(1)}x`
    expect((await call(wrong, undefined, {})).status).toBe(401)
  })

  test('no other host and no other page may ask, whatever its token', async () => {
    await start()
    const headers = { authorization: `Bearer ${TOKEN}` }
    const ways = [{ host: 'evil.example' }, { origin: 'https://evil.example' }]
    for (const way of ways) {
      const said = await fetchRaw(`${gateway.url}/api`, {
        method: 'GET',
        headers: { ...headers, ...way },
      })
      expect(said.status).toBe(403)
    }
  })
})

test('a path or a method that is not there says what is', async () => {
  await start()
  expect((await call('/api/aprovals')).body.error.message).toMatch(/did you mean \/api\/approvals/)
  expect(await call('/api/approvals', {})).toMatchObject({ status: 405 })
  expect((await call('/api')).body.paths).toContain('GET, POST /api/policies/halt')
})

test('the kill switch is turned and asked', async () => {
  await start()
  expect((await call('/api/policies/halt')).body).toEqual({ halted: false, at: expect.anything() })
  const order = { halted: true, by: 'ann', reason: 'an incident' }
  expect((await call('/api/policies/halt', order)).body).toMatchObject(order)
  expect(halt.isOn()).toBe(true)
  expect((await call('/api/policies')).body.halt).toMatchObject(order)
  expect((await call('/api/policies/halt', { halted: 'yes' })).status).toBe(400)
  await call('/api/policies/halt', { halted: false })
  expect(halt.isOn()).toBe(false)
  expect(gateway.lines.join()).toContain('All tool calls are halted')
})

test('what is installed is told with what it applies to, and nothing of what it is made of', async () => {
  const policy = { name: 'no-shell', version: '3', judge: () => pass() }
  const own = { name: 'no-shell', use: './no-shell.ts', version: '3', installed: install(policy) }
  const narrow = { models: ['claude-*'], keys: undefined, routes: undefined, route: undefined }
  await start({ policies: [{ ...own, ...narrow, key: 'laptop' }] })
  expect((await call('/api/policies')).body.policies).toEqual([
    {
      name: 'no-shell',
      version: '3',
      use: './no-shell.ts',
      holds: ['tool-call'],
      onError: 'deny',
      timeoutMs: 30_000,
      isShadow: false,
      models: ['claude-*'],
      keys: ['laptop'],
      appliesTo: 'its key laptop, models claude-*',
    },
  ])
})

describe('events', () => {
  async function listen() {
    const response = await fetch(`${gateway.url}/api/events`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    return {
      type: response.headers.get('content-type'),
      async until(words: RegExp): Promise<string> {
        while (!words.test(text)) {
          const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
          if (done) throw new Error(`The events ended: ${text}`)
          text += value
        }
        return text
      },
      end: async (): Promise<boolean> => {
        for (;;) if ((await reader?.read())?.done === true) return true
      },
    }
  }

  test('say how things stand, then what happens', async () => {
    await start()
    const first = ask()
    const events = await listen()
    expect(events.type).toBe('text/event-stream')
    const state = await events.until(/event: state\ndata: .*\n\n/)
    expect(state).toContain(`"ticket":"${first.ticket}"`)
    ask({ args: '{"command":"pwd"}' })
    await events.until(/event: asked\ndata: .*pwd.*\n\n/)
    await call(`/api/approvals/${first.ticket}`, { decision: 'pass' })
    await events.until(/event: decided\ndata: .*\n\n/)
    halt.set(true, 'ann')
    await events.until(/event: halt\ndata: \{"halted":true.*\n\n/)
  })

  test('do not hold up the end of the gateway', async () => {
    await start()
    const events = await listen()
    await events.until(/event: state/)
    const closed = gateway.close(20_000)
    expect(await events.end()).toBe(true)
    await closed
  })

  test('are limited in number', async () => {
    await start()
    const all = await Promise.all(Array.from({ length: 100 }, listen))
    expect((await call('/api/events')).status).toBe(503)
    expect(all.length).toBe(100)
  })
})

test('what calls are about is in no log', async () => {
  await start()
  const { ticket } = ask({ args: '{"command":"secret-content"}' })
  await call(`/api/approvals/${ticket}`, { decision: 'deny', reason: 'secret-reason' })
  expect(gateway.lines.join()).toContain(ticket)
  expect(gateway.lines.join()).not.toMatch(/secret-(content|reason)/)
})

const KEY = {
  name: 'me',
  models: undefined,
  rate: undefined,
  budget: undefined,
  concurrent: undefined,
}
