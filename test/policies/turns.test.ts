/**
 * Conversations that go on after calls were denied, rewritten or the switch was thrown, with providers that take nothing on
 * trust: every request is held to the rules of its API, and what it said must come back as it was said.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import { definePolicy } from '../../src/policy/policy.ts'
import { deny, pass } from '../../src/policy/verdict.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { errorsIn } from '../support/connections.ts'
import { allTo, ask, httpUpstream, PATHS, route, startTestGateway } from '../support/gateway.ts'
import type { TestGateway } from '../support/gateway.ts'
import { createHistoryClient } from '../support/history-client.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { sayStream } from '../support/spoken.ts'
import { startUpstream } from '../support/upstream.ts'
import { startValidatingUpstream, type ValidatingUpstream } from '../support/validating-upstream.ts'

let gateway: TestGateway
let upstream: { close(): Promise<void> }
afterEach(async () => {
  await gateway.close(0)
  await upstream.close()
})

const noSecrets = definePolicy({
  name: 'no-secrets',
  async judge(block) {
    await sleep(1)
    return block.arguments.includes('secret') ? deny('That is secret.') : pass()
  },
})

async function start(wire: WireName): Promise<ValidatingUpstream> {
  const validating = await startValidatingUpstream({ wire, mayLack: true })
  upstream = validating
  const up = httpUpstream(validating.url, { wires: [wire], apiKey: 'k' })
  const routes = [{ ...route('*', 'up'), as: { up: MODELS[wire] } }]
  gateway = await startTestGateway({ upstreams: [up], routes }, { policies: [install(noSecrets)] })
  return validating
}

const MODELS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': 'claude-sonnet-4-5',
  'openai-chat': 'gpt-5.2',
  'openai-responses': 'gpt-5.2',
}

const PAIRS = WIRE_NAMES.flatMap((client) => WIRE_NAMES.map((wire) => [client, wire] as const))

describe.each([true, false])('stream %s', (isStream) => {
  test.each(PAIRS)('a %s client on %s goes on for four turns', async (client, wire) => {
    const validating = await start(wire)
    const read = (path: string) => ({ name: '#0', args: { path } })
    validating.script(
      { thinking: 'First.', text: 'I read.', calls: [read('secret'), read('a'), read('b')] },
      { thinking: 'Second.', calls: [read('secret')] },
      { thinking: 'Third.', text: 'I try again.', calls: [read('c'), read('secret')] },
      { text: 'Done.' },
    )
    const history = createHistoryClient(client)
    const ran: string[] = []
    history.say('Read all files.')
    for (let turn = 0; turn < 4; turn++) {
      const answer = await fetchRaw(gateway.url + PATHS[client], {
        body: JSON.stringify(history.body(isStream)),
      })
      const text = answer.body.toString()
      expect([turn, answer.status, answer.status === 200 || text]).toEqual([turn, 200, true])
      if (isStream) expect(errorsIn(client, answer.body)).toEqual([])
      const calls = history.take(answer.body, isStream)
      ran.push(...calls.map(({ args }) => String(args['path'])))
      if (calls.length > 0)
        history.results(calls.map(({ id }) => ({ id, text: 'Words.', isError: false })))
      else history.say('Go on.')
    }
    expect(ran).toEqual(['a', 'b', 'c'])
    expect(validating.findings).toEqual([])
    expect(JSON.stringify(validating.bodies)).not.toContain('"secret"')
    expect(JSON.stringify(validating.bodies.at(-1))).toContain('That is secret.')
  })
})

describe.each(WIRE_NAMES)('the switch, thrown in the middle of an answer of %s', (wire) => {
  const halt = (): Promise<Response> =>
    fetch(`${gateway.url}/api/policies/halt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.adminToken()}` },
      body: JSON.stringify({ halted: true, reason: 'an incident' }),
    })
  const body = sayStream(wire, {
    pieces: [{ text: 'I look.' }, { call: 'Bash', id: 'call_1', args: '{"command":"ls"}' }],
  })

  test.each([true, false])('stops its call, with policies: %s', async (hasPolicies) => {
    const plain = await startUpstream()
    upstream = plain
    plain.always({ body, cuts: [body.indexOf('I look.') + 40], pace: 300 })
    gateway = await startTestGateway(allTo(httpUpstream(plain.url)), {
      policies: hasPolicies ? [install(noSecrets)] : [],
    })
    const answer = fetchRaw(gateway.url + PATHS[wire], { body: ask(wire, { stream: true }) })
    await plain.request(0)
    await sleep(100)
    expect((await halt()).status).toBe(200)
    const said = (await answer).body
    expect(said.toString()).not.toContain('call_1')
    expect(said.toString()).toContain('an incident')
    // A gate makes a notice of it; an answer that nobody reads ends as an error.
    expect(said.toString().includes('[Sluice]')).toBe(hasPolicies)
    if (hasPolicies) expect(errorsIn(wire, said)).toEqual([])
  })
})
