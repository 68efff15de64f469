/**
 * A call that was denied does not come back by what a provider keeps: later turns that name an earlier answer, on the
 * same wire and on another, streamed and not; and a provider that wants its reasoning back as it was.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hashKey } from '../../src/config/keys.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import { definePolicy, type Installed } from '../../src/policy/policy.ts'
import { deny, pass } from '../../src/policy/verdict.ts'
import { createSessions } from '../../src/session/sessions.ts'
import { errorsIn } from '../support/connections.ts'
import { allTo, ask, httpUpstream, key, PATHS, startTestGateway } from '../support/gateway.ts'
import type { TestGateway } from '../support/gateway.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { reply, type Piece } from '../support/spoken.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

type Json = Record<string, unknown>

const noRm = definePolicy({
  name: 'no-rm',
  judge: (block) => (block.arguments.includes('rm -rf') ? deny('No deletion.') : pass()),
})

let upstream: TestUpstream
let gateway: TestGateway
let answers = 0
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(async () => {
  await gateway.close(0)
  await upstream.close()
})

async function start(wire: WireName, settings: Partial<Settings> = {}): Promise<void> {
  const up = httpUpstream(upstream.url, { wires: [wire] })
  gateway = await startTestGateway({ ...allTo(up), ...settings }, { policies: [install(noRm)] })
}

/** The next request gets that, under a fresh id of the provider's. */
function says(wire: WireName, ...pieces: readonly Piece[]): void {
  answers += 1
  const id = `${wire === 'openai-responses' ? 'resp' : 'msg'}_up${answers}`
  upstream.answer((request) => reply(wire, { id, pieces }, request))
}

const RM: Piece = { call: 'Bash', id: 'call_rm', args: '{"command":"rm -rf /"}' }
const LS: Piece = { call: 'Bash', id: 'call_ls', args: '{"command":"ls"}' }

/** One turn of a client that names what was before; gives back the answer as one body. */
async function turn(wire: WireName, more: object, isStream: boolean): Promise<Json> {
  const answer = await fetchRaw(gateway.url + PATHS[wire], {
    body: ask(wire, { ...more, stream: isStream }),
  })
  const text = answer.body.toString()
  expect([answer.status, answer.status === 200 || text]).toEqual([200, true])
  if (!isStream) return JSON.parse(text) as Json
  expect(errorsIn(wire, answer.body)).toEqual([])
  const data = [...text.matchAll(/^data: (\{.*)$/gm)].map(
    ([, json]) => JSON.parse(json ?? '') as Json,
  )
  return (wire === 'openai-responses' ? data.at(-1)?.['response'] : data[0]?.['message']) as Json
}

const sent = (at: number): string => upstream.requests.at(at)?.body.toString() ?? ''
const sentJson = (at: number): Json => JSON.parse(sent(at)) as Json

describe.each([true, false])(
  'a Responses client that names the answer before, stream %s',
  (isStream) => {
    const again = (previous: unknown, input: unknown = 'And now?'): Promise<Json> =>
      turn('openai-responses', { previous_response_id: previous, input }, isStream)

    describe.each(['openai-responses', 'anthropic-messages', 'openai-chat'] as const)(
      'on %s',
      (up) => {
        test('goes on from what it was given', async () => {
          await start(up)
          says(up, { text: 'I tidy up.' }, RM)
          const first = await turn('openai-responses', {}, isStream)
          expect(JSON.stringify(first)).not.toContain('rm -rf')
          says(up, { text: 'Well.' })
          const second = await again(first['id'])
          expect(JSON.stringify(second['output'])).toContain('Well.')
          expect(sent(-1)).not.toContain('rm -rf')
          expect(sent(-1)).not.toContain('previous_response_id')
          expect(sent(-1)).toContain('No deletion.')
          expect(sent(-1)).toContain('I tidy up.')
          says(up, { text: 'Still here.' })
          await again(second['id'])
          expect(sent(-1)).not.toContain('rm -rf')
        })
      },
    )

    test('an answer that nobody touched goes on at its upstream', async () => {
      await start('openai-responses')
      says('openai-responses', { text: 'Hello.' })
      const first = await turn('openai-responses', {}, isStream)
      says('openai-responses', { text: 'Again.' })
      const second = await again(first['id'])
      expect(sentJson(-1)).toMatchObject({ previous_response_id: first['id'], input: 'And now?' })
      says('openai-responses', { text: 'Well' }, RM)
      const third = await again(second['id'])
      says('openai-responses', { text: 'Well.' })
      await again(third['id'], 'Third?')
      // What was before the change is known here, though its upstream kept it.
      expect(sentJson(-1)['previous_response_id']).toBeUndefined()
      for (const words of ['Hello', 'Hello.', 'Again.', 'No deletion.', 'Third?'])
        expect(sent(-1)).toContain(words)
      expect(sent(-1)).not.toContain('rm -rf')
    })

    test('what was delivered is given again and can be deleted', async () => {
      await start('openai-responses')
      says('openai-responses', RM)
      const { id } = await turn('openai-responses', {}, isStream)
      const url = `${gateway.url}/v1/responses/${String(id)}`
      const before = upstream.requests.length
      const got = await fetchRaw(url, { method: 'GET' })
      expect([got.status, upstream.requests.length]).toEqual([200, before])
      expect(got.body.toString()).not.toContain('rm -rf')
      expect(got.body.toString()).toContain('No deletion.')
      upstream.always({
        body: `{"id":"${String(id)}","object":"response","deleted":true}`,
        headers: { 'content-type': 'application/json' },
      })
      const gone = await fetchRaw(url, { method: 'DELETE' })
      expect([gone.status, upstream.requests.at(-1)?.method]).toEqual([200, 'DELETE'])
      expect((await fetchRaw(url, { method: 'GET' })).status).toBe(404)
    })

    test('what nobody touched is given again by its upstream', async () => {
      await start('openai-responses')
      says('openai-responses', { text: 'Hello.' })
      const { id } = await turn('openai-responses', {}, isStream)
      upstream.always({ body: '{"id":"x"}', headers: { 'content-type': 'application/json' } })
      const got = await fetchRaw(`${gateway.url}/v1/responses/${String(id)}`, { method: 'GET' })
      expect([got.status, got.body.toString()]).toEqual([200, '{"id":"x"}'])
    })
  },
)

/** As if the config named it. */
const configured = (installed: Installed): Settings['policies'][number] => ({
  name: installed.policy.name,
  use: './policy.ts',
  version: '1',
  installed,
  models: undefined,
  keys: undefined,
  routes: undefined,
  route: undefined,
  key: undefined,
})

const errorOf = async (more: object): Promise<unknown> => {
  const answer = await fetchRaw(`${gateway.url}/v1/responses`, {
    body: ask('openai-responses', more),
  })
  return [answer.status, (JSON.parse(answer.body.toString()) as { error: Json }).error]
}

test('what could bring back what was denied is refused, in words that make a client send everything', async () => {
  await start('openai-responses')
  expect(await errorOf({ previous_response_id: 'resp_unknown' })).toMatchObject([
    400,
    { code: 'previous_response_not_found', param: 'previous_response_id' },
  ])
  expect(await errorOf({ conversation: 'conv_1' })).toMatchObject([
    400,
    { code: 'conversation_not_found', param: 'conversation' },
  ])
  expect(await errorOf({ background: true })).toMatchObject([400, { param: 'background' }])
  const got = await fetchRaw(`${gateway.url}/v1/responses/resp_unknown`, { method: 'GET' })
  expect([got.status, upstream.requests.length]).toEqual([404, 0])
})

test('a changed answer that is forgotten here is not gone on from at its upstream, policies or none', async () => {
  const up = httpUpstream(upstream.url, { wires: ['openai-responses'] })
  const sessions = createSessions({ now: () => 0, maxEntries: 0 })
  gateway = await startTestGateway(
    { ...allTo(up), policies: [configured(install(noRm))] },
    { sessions },
  )
  says('openai-responses', RM)
  const { id } = await turn('openai-responses', {}, true)
  gateway.reload({ ...gateway.settings, policies: [] })
  expect(await errorOf({ previous_response_id: id })).toMatchObject([
    400,
    { code: 'previous_response_not_found' },
  ])
})

test('a changed answer is nobody else’s', async () => {
  const keys = ['ann', 'bob'].map((name) => key(name, hashKey(name)))
  const up = httpUpstream(upstream.url, { wires: ['openai-responses'], apiKey: 'sk' })
  gateway = await startTestGateway({ ...allTo(up), keys }, { policies: [install(noRm)] })
  says('openai-responses', RM)
  const as = (name: string, more: object = {}): ReturnType<typeof fetchRaw> =>
    fetchRaw(`${gateway.url}/v1/responses`, {
      body: ask('openai-responses', more),
      headers: { authorization: `Bearer ${name}` },
    })
  const { id } = JSON.parse((await as('ann')).body.toString()) as Json
  expect((await as('bob', { previous_response_id: id })).status).toBe(400)
  expect((await as('ann', { previous_response_id: id })).status).toBe(200)
})

describe.each([true, false])('a Messages client with a thread, stream %s', (isStream) => {
  const next = (previous: unknown): Promise<Json> =>
    turn(
      'anthropic-messages',
      {
        thread: { type: 'continue', previous_message_id: previous },
        messages: [{ role: 'user', content: 'And now?' }],
      },
      isStream,
    )

  test.each(['anthropic-messages', 'openai-chat'] as const)(
    'goes on from what it was given, on %s',
    async (up) => {
      await start(up)
      says(up, { text: 'Hello.' })
      const thread = { thread: { type: 'create' } }
      const first = await turn('anthropic-messages', thread, isStream)
      says(up, { text: 'I tidy up.' }, RM)
      const second = await next(first['id'])
      says(up, { text: 'Well.' })
      await next(second['id'])
      for (const words of ['Hello.', 'I tidy up.', 'No deletion.', 'And now?'])
        expect(sent(-1)).toContain(words)
      expect(sent(-1)).not.toContain('rm -rf')
      expect(sent(-1)).not.toContain('previous_message_id')
    },
  )

  test('one that is not known is sent again', async () => {
    await start('anthropic-messages')
    const answer = await fetchRaw(`${gateway.url}/v1/messages`, {
      body: ask('anthropic-messages', {
        thread: { type: 'continue', previous_message_id: 'msg_x' },
      }),
    })
    expect([answer.status, answer.body.toString()]).toEqual([
      404,
      expect.stringContaining('thread_not_found'),
    ])
  })
})

test('reasoning whose call was denied goes too, and what follows it has no id', async () => {
  await start('openai-responses')
  says('openai-responses', { thinking: 'Hm.', seal: 'gAAAA1' }, RM, LS)
  const { output } = await turn('openai-responses', { store: false }, true)
  const items = output as readonly Json[]
  expect(items.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call'])
  says('openai-responses', { text: 'Done.' })
  const input = [
    { role: 'user', content: 'Tidy up.' },
    ...items,
    { type: 'function_call_output', call_id: 'call_ls', output: 'a  b' },
  ]
  await turn('openai-responses', { store: false, input }, true)
  const back = sentJson(-1)['input'] as readonly Json[]
  expect(back.map(({ type }) => type)).toEqual([
    undefined,
    'message',
    'function_call',
    'function_call_output',
  ])
  expect(back.map(({ id }) => id)).toEqual([undefined, undefined, undefined, undefined])
})
