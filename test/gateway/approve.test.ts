/** The policy `approve` on a gateway with the demo behind it: a person decides in the open stream, on every wire. */
import { afterEach, describe, expect, test } from 'vitest'
import { parseObject } from '../../src/base/json.ts'
import type { TicketSummary } from '../../src/approvals/ticket.ts'
import type { WireName } from '../../src/event/event.ts'
import { demoSettings } from '../../src/config/load.ts'
import type { Settings } from '../../src/config/settings.ts'
import { approve, type ApproveOptions } from '../../src/stock/approve.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { PATHS, startTestGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
afterEach(() => gateway.close(0))

async function start(settings: Partial<Settings> = {}, options: ApproveOptions = {}) {
  const policy = { policy: approve(options), onError: 'deny', timeoutMs: 5000 } as const
  const upstreams = demoSettings().upstreams.map((one) => ({ ...one, pace: 0 }))
  gateway = await startTestGateway(
    { upstreams, ...settings },
    { policies: [{ ...policy, isShadow: false }] },
  )
}

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
}
const TALK = [{ role: 'user', content: 'What is the weather in Paris?' }]
const FUNCTION = { name: 'get_weather', parameters: SCHEMA }
const BODIES: Readonly<Record<WireName, object>> = {
  'anthropic-messages': {
    max_tokens: 500,
    messages: TALK,
    tools: [{ name: 'get_weather', input_schema: SCHEMA }],
  },
  'openai-chat': { messages: TALK, tools: [{ type: 'function', function: FUNCTION }] },
  'openai-responses': { input: TALK, tools: [{ type: 'function', ...FUNCTION }] },
}

/** What the client got in the end. */
async function send(wire: WireName, more: object = {}, signal?: AbortSignal): Promise<string> {
  const response = await fetch(gateway.url + PATHS[wire], {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', stream: true, ...BODIES[wire], ...more }),
    ...(signal === undefined ? {} : { signal }),
  })
  return await response.text()
}

async function api(path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${gateway.url}/api${path}`, {
    headers: { authorization: `Bearer ${gateway.adminToken()}` },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  return parseObject(await response.text()) ?? {}
}

/** The ticket that waits, as soon as it is there. */
async function waiting(isWaitedFor = true): Promise<TicketSummary> {
  for (;;) {
    const { approvals } = await api('/approvals?status=pending')
    const [first] = approvals as readonly TicketSummary[]
    if (first?.isWaitedFor === isWaitedFor) return first
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const CALL: Readonly<Record<WireName, RegExp>> = {
  'anthropic-messages': /"type":\s*"tool_use"/,
  'openai-chat': /"tool_calls":\s*\[/,
  'openai-responses': /"type":\s*"function_call"/,
}

describe.each(WIRE_NAMES)('%s', (wire) => {
  test.each([true, false])('a call that a person passes arrives, stream %s', async (stream) => {
    await start()
    const answer = send(wire, { stream })
    const { ticket, call, question } = await waiting()
    expect([call.name, call.preview, question]).toEqual([
      'get_weather',
      '{"city":"Paris"}',
      'May get_weather be called?',
    ])
    await api(`/approvals/${ticket}`, { decision: 'pass' })
    expect(await answer).toMatch(CALL[wire])
    expect(await send(wire, { tools: [] })).not.toMatch(CALL[wire])
  })

  test('a call that a person edits arrives with the other arguments', async () => {
    await start()
    const answer = send(wire)
    const { ticket } = await waiting()
    const wrong = await api(`/approvals/${ticket}`, { decision: 'edit', args: { town: 'Oslo' } })
    expect(JSON.stringify(wrong['error'])).toContain('city')
    await api(`/approvals/${ticket}`, { decision: 'edit', args: { city: 'Oslo' } })
    const said = await answer
    expect(said).toMatch(CALL[wire])
    expect(said).toContain('Oslo')
  })

  test.each([true, false])('a call that a person denies is a text, stream %s', async (stream) => {
    await start()
    const answer = send(wire, { stream })
    const { ticket } = await waiting()
    await api(`/approvals/${ticket}`, { decision: 'deny', reason: 'not today', by: 'ann' })
    const said = await answer
    expect(said).not.toMatch(CALL[wire])
    expect(said).toContain('not today')
  })

  test('a call that nobody decides on is given up, with its ticket', async () => {
    await start({
      approvals: { deadline: 150, max: 10, remember: 'once', webhooks: [] },
      keepalive: 50,
    })
    const answer = send(wire)
    const { ticket } = await waiting()
    const said = await answer
    expect(said).not.toMatch(CALL[wire])
    expect(said).toContain(ticket)
  })
})

test('a client that was cut off gets the decision when it comes back', async () => {
  await start()
  const left = new AbortController()
  const first = send('anthropic-messages', {}, left.signal).catch(() => 'left')
  await waiting()
  left.abort()
  expect(await first).toBe('left')
  const { ticket } = await waiting(false)
  await api(`/approvals/${ticket}`, { decision: 'pass' })
  // Claude Code tries without a stream when a stream was cut.
  expect(await send('anthropic-messages', { stream: false })).toMatch(CALL['anthropic-messages'])
})

test('the kill switch stops a call that waits for a person', async () => {
  await start()
  const answer = send('anthropic-messages')
  const { ticket } = await waiting()
  await api('/policies/halt', { halted: true, reason: 'an incident' })
  await api(`/approvals/${ticket}`, { decision: 'pass' })
  const said = await answer
  expect(said).not.toMatch(CALL['anthropic-messages'])
  expect(said).toContain('an incident')
})

test('what is installed is told, and what it applies to', async () => {
  await start({}, { name: 'people' })
  expect((await api('/policies'))['policies']).toMatchObject([
    { name: 'people', holds: ['tool-call'], onError: 'deny', isShadow: false },
  ])
})
