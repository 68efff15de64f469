/**
 * What users of other gateways suffer where somebody judges, changes or holds an answer: one test for each pain, by its
 * number, between a client and a provider of different wires. `test/policies/` has the same at length.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import type { WireName } from '../../src/event/event.ts'
import { startCrossing, type Crossing } from '../support/crossing.ts'
import { createHistoryClient } from '../support/history-client.ts'
import { PATHS } from '../support/gateway.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { reply, sayStream, type Piece } from '../support/spoken.ts'

const CHAT = 'openai-chat'
const MESSAGES = 'anthropic-messages'
const RESPONSES = 'openai-responses'
/** Client and provider. */
const PAIRS: readonly (readonly [WireName, WireName])[] = [
  [MESSAGES, CHAT],
  [CHAT, RESPONSES],
  [RESPONSES, MESSAGES],
]

let crossing: Crossing
afterEach(() => crossing.close())

async function start(wire: WireName, policies: string): Promise<void> {
  const text = `
upstreams: { up: { wire: openai-chat, baseUrl: 'http://127.0.0.1:1/v1' } }
policies:${policies.replaceAll('\n', '\n  ')}
`
  const { settings } = loadConfig({ file: 'sluice.yaml', text, env: {}, cwd: '/' })
  crossing = await startCrossing({ wire, settings: { policies: settings.policies } })
}

const bash = (command: string, id = 'call_1'): Piece => ({
  call: 'Bash',
  id,
  args: JSON.stringify({ command }),
})

const NO_DELETING = `
- use: rules
  deny:
    - when: shell.commands.exists(c, c.name == "rm")
      reason: Nothing is deleted here. Move it to the trash instead.`

const PIECES = [{ text: 'I tidy up.' }, bash('rm -rf build'), bash('ls', 'call_2')]

test.each(PAIRS)(
  'pain 1: %s on %s: what is denied never leaves, streamed or not',
  async (client, wire) => {
    await start(wire, NO_DELETING)
    const said = sayStream(wire, { pieces: PIECES })
    // A call in pieces of a few bytes, as guardrails that look at single chunks miss it.
    const cuts = Array.from({ length: Math.floor(said.length / 7) }, (_, at) => at * 7)
    crossing.upstream.answer((request) => {
      const whole = reply(wire, { pieces: PIECES }, request)
      return whole.body === said ? { ...whole, cuts } : whole
    })
    const { text } = await crossing.stream(client)
    const { json } = await crossing.json(client)
    for (const got of [text, JSON.stringify(json)]) {
      expect(got).not.toContain('rm -rf')
      expect(got).toContain('Nothing is deleted here.')
      expect(got).toContain('I tidy up.')
      expect(got).toContain('Bash')
    }
    for (const at of [0, 1]) {
      const { verdicts } = await crossing.gateway.report(at)
      expect(verdicts.map(({ type }) => type)).toEqual(['deny', 'pass'])
    }
  },
)

test.each(PAIRS)(
  'pain 3: %s on %s: a session goes on after a denied call',
  async (client, wire) => {
    await start(wire, NO_DELETING)
    const answers = [PIECES, [bash('rm -rf dist', 'call_3')], [{ text: 'Done.' }]]
    crossing.upstream.answer((request) =>
      reply(wire, { pieces: answers[crossing.upstream.requests.length - 1] ?? [] }, request),
    )
    const history = createHistoryClient(client)
    history.say('Tidy up.')
    for (const calls of [['ls'], [], []]) {
      const { status, body } = await fetchRaw(crossing.gateway.url + PATHS[client], {
        body: JSON.stringify(history.body(true)),
      })
      expect(status).toBe(200)
      const taken = history.take(body, true)
      expect(taken.map(({ args }) => args['command'])).toEqual(calls)
      if (taken.length === 0) history.say('Go on.')
      else history.results(taken.map(({ id }) => ({ id, text: 'a b', isError: false })))
    }
    // Each is held to the rules of its API: pairs, order, roles.
    const last = JSON.stringify([0, 1, 2].map((at) => crossing.sent(at)).at(-1))
    expect(last).toContain('Nothing is deleted here.')
    expect(last).not.toContain('rm -rf')
  },
)

test.each(PAIRS)(
  'pain 21: %s on %s: a secret in many chunks is hidden, the rest streams',
  async (client, wire) => {
    await start(wire, '\n- { use: redact, find: [secrets] }')
    const secret = `AKIA${'QWERTYUIOPASDFGH'}`
    const words = { text: `The key is ${secret}, keep it.` }
    const body = sayStream(wire, { pieces: [words] })
    const from = body.indexOf(secret)
    const cuts = Array.from({ length: secret.length }, (_, at) => from + at)
    crossing.upstream.always({ body, cuts })
    const { text, state } = await crossing.stream(client)
    expect(text).not.toMatch(/AKIA|QWERTY/)
    const [block] = state.blocks
    expect(block?.type === 'text' ? block.text : '').toMatch(/^The key is .+, keep it\.$/)
  },
)

test.each(PAIRS)(
  'pain 29: %s on %s: a call that is tried again and again is told so, then ended',
  async (client, wire) => {
    await start(wire, '\n- { use: loop-breaker, inRow: 2 }')
    crossing.upstream.answer((request) => {
      const at = crossing.upstream.requests.length
      return reply(wire, { pieces: [bash('make', `call_${at}`)], id: `x${at}` }, request)
    })
    const history = createHistoryClient(client)
    history.say('Build it.')
    const ran: number[] = []
    const heard: string[] = []
    for (let turn = 0; turn < 4; turn++) {
      const { body } = await fetchRaw(crossing.gateway.url + PATHS[client], {
        body: JSON.stringify(history.body(true)),
      })
      heard.push(body.toString())
      const calls = history.take(body, true)
      ran.push(calls.length)
      if (calls.length === 0) break
      history.results(calls.map(({ id }) => ({ id, text: 'It failed.', isError: false })))
    }
    expect(ran.at(-1)).toBe(0)
    expect(ran.length).toBeLessThan(4)
    expect(heard.at(-1)).toContain('[Sluice]')
  },
)

test.each(PAIRS)(
  'pain 30: %s on %s: a new rule is watched before it acts',
  async (client, wire) => {
    await start(wire, `${NO_DELETING}\n  shadow: true`)
    crossing.upstream.answer((request) => reply(wire, { pieces: PIECES }, request))
    const { text } = await crossing.stream(client)
    expect(text).toContain('rm -rf build')
    expect(text).not.toContain('[Sluice]')
    const { verdicts } = await crossing.gateway.report(0)
    expect(verdicts.map(({ type, isShadow }) => [type, isShadow])).toEqual([
      ['deny', true],
      ['pass', true],
    ])
  },
)

test.each(PAIRS)(
  'pain 31: %s on %s: what a person allows goes on in the same answer',
  async (client, wire) => {
    await start(wire, '\n- approve')
    const { gateway, upstream } = crossing
    upstream.answer((request) => reply(wire, { pieces: [bash('make')] }, request))
    const headers = { authorization: `Bearer ${gateway.adminToken()}` }
    const api = async (path: string, init: RequestInit = {}): Promise<string> =>
      await (await fetch(`${gateway.url}/api/approvals${path}`, { headers, ...init })).text()
    for (const decision of ['pass', 'deny']) {
      const answer = crossing.stream(client)
      const ticket = await vi.waitFor(async () => {
        const [, found] = /"ticket":"([^"]+)"/.exec(await api('?status=pending')) ?? []
        expect(found).toBeDefined()
        return found
      })
      await api(`/${ticket}`, { method: 'POST', body: JSON.stringify({ decision }) })
      const { text, state } = await answer
      const calls = state.blocks.filter(({ type }) => type === 'tool-call')
      expect(calls.length).toBe(decision === 'pass' ? 1 : 0)
      // Never an empty result that looks like a success.
      expect(text.includes('[Sluice]')).toBe(decision === 'deny')
    }
  },
)
