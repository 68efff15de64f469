/**
 * What a review with an attacker's eyes found: calls beside the policies, and the kill switch at the wrong moment. On a
 * real gateway, with an upstream that is not honest or only slow.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { readFacts } from '../../src/facts/read-facts.ts'
import { install } from '../../src/policy/installed.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { deny, pass } from '../../src/policy/verdict.ts'
import { approve } from '../../src/stock/approve.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import {
  allTo,
  ask as askBody,
  httpUpstream,
  PATHS,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { ARGUMENTS, data, LATE, MARK, MESSAGE, STREAM } from '../support/hidden-calls.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const EVENTS = { 'content-type': 'text/event-stream' }
const JSON_TYPE = { 'content-type': 'application/json' }

let upstream: TestUpstream
let gateway: TestGateway
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(async () => {
  await gateway.close(0)
  await upstream.close()
})

async function start(...policies: readonly Policy[]): Promise<void> {
  gateway = await startTestGateway(allTo(httpUpstream(upstream.url)), {
    policies: policies.map((policy) => install(policy)),
  })
}

async function ask(wire: WireName, stream: boolean): Promise<string> {
  const response = await fetch(gateway.url + PATHS[wire], {
    method: 'POST',
    headers: JSON_TYPE,
    body: askBody(wire, { stream }),
  })
  return await response.text()
}

async function halt(halted = true): Promise<void> {
  await fetch(`${gateway.url}/api/policies/halt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.adminToken()}` },
    body: JSON.stringify({ halted, reason: 'an incident' }),
  })
}

const NO_CALLS: Policy = { name: 'no-calls', judge: () => deny('No calls here') }

describe('a call behind the end of an answer', () => {
  test.each(WIRE_NAMES)('never reaches the client: %s', async (wire) => {
    await start(NO_CALLS)
    const [answer, call] = LATE[wire]
    upstream.always({ headers: EVENTS, body: [...answer, ...call].join('') })
    const said = await ask(wire, true)
    expect(said).toContain(wire === 'openai-responses' ? 'response.completed' : 'hi')
    expect(said).not.toContain(MARK)
  })

  test.each(WIRE_NAMES)('and what else comes there passes as it came: %s', async (wire) => {
    await start(NO_CALLS)
    const [answer] = LATE[wire]
    const ping = data({ type: 'ping', cost: '0.1' })
    const chunks = [...answer, ': bye\n\n', ping, 'data: [DONE]\n\n']
    upstream.always({ headers: EVENTS, body: chunks.join('') })
    expect(await ask(wire, true)).toBe(chunks.join(''))
  })
})

const slowly = (what: 'text' | 'tool-call'): Policy => ({
  name: 'slow',
  holds: [what],
  judge: async (block) => {
    if (block.type !== 'tool-call' || block.arguments.includes('slow'))
      await new Promise((resolve) => setTimeout(resolve, 150))
    return pass()
  },
})

describe('the kill switch', () => {
  const WIRE = 'anthropic-messages'

  test.each([
    ['a body', false, { headers: JSON_TYPE, body: MESSAGE(MARK) }],
    ['a stream', true, { headers: EVENTS, body: STREAM(MARK) }],
    ['a stream made of a body', true, { headers: JSON_TYPE, body: MESSAGE(MARK) }],
  ] as const)('holds for %s that was asked for before', async (_, stream, reply) => {
    await start()
    upstream.always({ ...reply, headDelay: 100 })
    const answer = ask(WIRE, stream)
    await upstream.request(0)
    await halt()
    const said = await answer
    expect(said).not.toContain(MARK)
    expect(said).toContain('an incident')
  })

  test.each([false, true])('holds while a policy looks at text, stream %s', async (stream) => {
    await start(slowly('text'))
    upstream.always({ headers: JSON_TYPE, body: MESSAGE(MARK) })
    const answer = ask(WIRE, stream)
    await (
      await upstream.request(0)
    ).over
    await new Promise((resolve) => setTimeout(resolve, 50))
    await halt()
    const said = await answer
    expect(said).not.toContain(MARK)
    expect(said).toContain('an incident')
  })

  test('holds for an answer that its upstream keeps', async () => {
    await start()
    upstream.always({
      headers: JSON_TYPE,
      body: JSON.stringify({
        id: 'r',
        object: 'response',
        status: 'completed',
        output: [{ type: 'function_call', call_id: 'c', name: 'Bash', arguments: ARGUMENTS }],
      }),
    })
    const show = async (): Promise<string> =>
      await (await fetch(`${gateway.url}/v1/responses/r`)).text()
    expect(await show()).toContain(MARK)
    await halt()
    expect(await show()).not.toContain(MARK)
    await halt(false)
    expect(await show()).toContain(MARK)
  })

  test.each([
    ['anthropic-messages', true, [MARK, 'slow']],
    ['anthropic-messages', false, [MARK, 'slow']],
    ['openai-chat', true, ['slow', MARK]],
  ] as const)(
    'holds for a call that passed and waits: %s, stream %s',
    async (wire, stream, calls) => {
      await start(slowly('tool-call'))
      upstream.always({ headers: EVENTS, body: STREAM(...calls) })
      if (wire !== 'anthropic-messages') {
        await gateway.close(0)
        gateway = await startTestGateway(
          allTo(httpUpstream(upstream.url, { wires: ['anthropic-messages'] })),
          { policies: [install(slowly('tool-call'))] },
        )
      }
      const answer = ask(wire, stream)
      await (
        await upstream.request(0)
      ).over
      await new Promise((resolve) => setTimeout(resolve, 50))
      await halt()
      const said = await answer
      expect(said).not.toContain(MARK)
      expect(said).toContain('an incident')
    },
  )
})

test.each([
  ['on one line', 'cat <<A '.repeat(25_000)],
  ['on some lines', `${'cat <<A '.repeat(1900)}\n`.repeat(16)],
])('thousands of here-documents %s do not hold everybody up', (_, command) => {
  const args = { command }
  const call = { name: 'Bash', dialect: 'function', args, arguments: '' } as const
  const startedAt = performance.now()
  const { shell } = readFacts(call)
  expect(performance.now() - startedAt).toBeLessThan(1500)
  expect(shell.isUsed).toBe(true)
})

test('a policy whose close fails later harms nobody', async () => {
  const failing = { ...NO_CALLS, close: async () => await Promise.reject(new Error('too late')) }
  await start(failing as Policy)
  upstream.always({ headers: JSON_TYPE, body: MESSAGE(MARK) })
  expect(await ask('anthropic-messages', false)).toContain('No calls here')
  expect(await ask('anthropic-messages', false)).toContain('No calls here')
  expect(gateway.lines.join('')).toContain('A policy failed')
})

test('without gateway keys, what one person allowed for always is asked of the next', async () => {
  await start(approve())
  upstream.always({ headers: JSON_TYPE, body: MESSAGE(MARK) })
  const as = async (credential: string): Promise<string> =>
    await (
      await fetch(gateway.url + PATHS['anthropic-messages'], {
        method: 'POST',
        headers: { ...JSON_TYPE, 'x-api-key': credential },
        body: askBody('anthropic-messages'),
      })
    ).text()
  const alices = as('alice')
  await decideNext({ decision: 'pass', remember: 'always' })
  expect(await alices).toContain(MARK)
  expect(await as('alice')).toContain(MARK)
  const bobs = as('bob')
  await decideNext({ decision: 'deny' })
  expect(await bobs).not.toContain(MARK)
})

test('a call beside a delta of text does not leave with its frame', async () => {
  await start(NO_CALLS)
  const message = { tool_calls: [{ id: 't', function: { name: 'Bash', arguments: ARGUMENTS } }] }
  const body = [
    data({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] }),
    data({
      id: 'c',
      choices: [{ index: 0, delta: { content: 'hi' }, message, finish_reason: 'stop' }],
    }),
    'data: [DONE]\n\n',
  ]
  upstream.always({ headers: EVENTS, body: body.join('') })
  expect(await ask('openai-chat', true)).not.toContain(MARK)
})

test('a choice whose number another one has is not passed unseen', async () => {
  await start(NO_CALLS)
  const calls = [{ id: 't', type: 'function', function: { name: 'Bash', arguments: ARGUMENTS } }]
  const choices = [
    { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' },
    { index: 0, message: { role: 'assistant', tool_calls: calls }, finish_reason: 'tool_calls' },
  ]
  upstream.always({ headers: JSON_TYPE, body: JSON.stringify({ id: 'c', model: 'm', choices }) })
  expect(await ask('openai-chat', false)).not.toContain(MARK)
})

/** Waits for a ticket that somebody waits for, and decides on it. */
async function decideNext(decision: object): Promise<void> {
  const headers = { authorization: `Bearer ${gateway.adminToken()}` }
  for (let tries = 0; tries < 100; tries++) {
    const list = await fetch(`${gateway.url}/api/approvals?status=pending`, { headers })
    const [first] = ((await list.json()) as { approvals: { ticket: string }[] }).approvals
    if (first !== undefined) {
      const url = `${gateway.url}/api/approvals/${first.ticket}`
      await fetch(url, { method: 'POST', headers, body: JSON.stringify(decision) })
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('Nobody was asked')
}

describe('a Responses event that repeats a call', () => {
  const CALL = {
    id: 'fc_1',
    type: 'function_call',
    call_id: 'call_1',
    name: 'weather',
    arguments: JSON.stringify({ city: 'MARKED' }),
    status: 'completed',
  }
  const frame = (type: string, more: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
  const response = (status: string, output: readonly object[]): object => ({
    response: { id: 'resp_1', object: 'response', model: 'm', status, output },
  })
  const CREATED = frame('response.created', response('in_progress', []))
  const ADDED =
    frame('response.output_item.added', {
      output_index: 0,
      item: { ...CALL, arguments: '', status: 'in_progress' },
    }) +
    frame('response.function_call_arguments.delta', {
      output_index: 0,
      item_id: 'fc_1',
      delta: CALL.arguments,
    }) +
    frame('response.output_item.done', { output_index: 0, item: CALL })

  const SAID =
    frame('response.output_text.delta', { output_index: 0, item_id: 'msg_1', delta: 'Hello' }) +
    frame('response.completed', response('completed', []))

  test.each([
    ['failed', CREATED + ADDED + frame('response.failed', response('failed', [CALL]))],
    ['created', frame('response.created', response('in_progress', [CALL])) + SAID],
    [
      'in_progress',
      CREATED + frame('response.in_progress', response('in_progress', [CALL])) + SAID,
    ],
  ])('as %s does not leave with it', async (_name, body) => {
    await start(NO_CALLS)
    upstream.next({ headers: EVENTS, body })
    const text = await ask('openai-responses', true)
    expect(text).not.toContain('MARKED')
    expect(text).toContain('error')
  })
})
