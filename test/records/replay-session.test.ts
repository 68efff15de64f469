/**
 * Whole sessions of the official SDKs, with tools, recorded by a gateway and played again by another: the clients get the
 * same bytes, on every wire, also where the upstream spoke another one and where policies acted.
 */
import Anthropic from '@anthropic-ai/sdk'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { WireName } from '../../src/event/event.ts'
import { createCodec } from '../../src/records/codec.ts'
import type { ReplayAsked } from '../../src/replay/replay-upstream.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-session-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const STEPS = 3
const promptOf = (model: string): string => `Please do ${STEPS} steps with the tool as ${model}`
const SCHEMA: Anthropic.Tool.InputSchema = {
  type: 'object',
  properties: { command: { type: 'string' } },
  required: ['command'],
}

/** Every body that a client got, as it came. */
function createTap(): { readonly bodies: string[]; readonly fetch: typeof fetch } {
  const bodies: string[] = []
  return {
    bodies,
    async fetch(input, init) {
      const response = await fetch(input, init)
      const bytes = Buffer.from(await response.arrayBuffer())
      bodies.push(`${response.status} ${bytes.toString('latin1')}`)
      return new Response(bytes, { status: response.status, headers: response.headers })
    },
  }
}

type Talk = (url: string, fetch: typeof globalThis.fetch, model: string) => Promise<void>

const TALKS: Readonly<Record<WireName, Talk>> = {
  async 'anthropic-messages'(baseURL, fetch, model) {
    const client = new Anthropic({ baseURL, apiKey: 'k', fetch, maxRetries: 0 })
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: promptOf(model) }]
    for (let turn = 0; turn <= STEPS; turn++) {
      const answer = await client.messages
        .stream({
          model,
          max_tokens: 1000,
          messages,
          tools: [{ name: 'Bash', input_schema: SCHEMA }],
        })
        .finalMessage()
      messages.push({ role: 'assistant', content: answer.content })
      const results = answer.content.flatMap((part) =>
        part.type === 'tool_use'
          ? [{ type: 'tool_result' as const, tool_use_id: part.id, content: `done ${turn}` }]
          : [],
      )
      if (results.length === 0) return
      messages.push({ role: 'user', content: results })
    }
  },
  async 'openai-chat'(url, fetch, model) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k', fetch, maxRetries: 0 })
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', content: promptOf(model) },
    ]
    for (let turn = 0; turn <= STEPS; turn++) {
      const answer = await client.chat.completions
        .stream({
          model,
          messages,
          stream_options: { include_usage: true },
          tools: [{ type: 'function', function: { name: 'Bash', parameters: SCHEMA } }],
        })
        .finalMessage()
      messages.push(answer)
      if ((answer.tool_calls ?? []).length === 0) return
      for (const { id } of answer.tool_calls ?? [])
        messages.push({ role: 'tool', tool_call_id: id, content: `done ${turn}` })
    }
  },
  async 'openai-responses'(url, fetch, model) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k', fetch, maxRetries: 0 })
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: promptOf(model) }]
    for (let turn = 0; turn <= STEPS; turn++) {
      const answer = await client.responses
        .stream({
          model,
          input,
          store: false,
          tools: [{ type: 'function', name: 'Bash', parameters: SCHEMA, strict: false }],
        })
        .finalResponse()
      const calls = answer.output.filter((item) => item.type === 'function_call')
      if (calls.length === 0) return
      for (const item of answer.output) input.push(item as OpenAI.Responses.ResponseInputItem)
      for (const { call_id } of calls)
        input.push({ type: 'function_call_output', call_id, output: `done ${turn}` })
    }
  },
}

/** The model names the upstream; `safe` is where a policy acts. */
const RECORDING = `listen: 127.0.0.1:1
upstreams:
${WIRE_NAMES.map((wire) => `  ${wire}: { kind: demo, wire: ${wire}, pace: 1ms }\n`).join('')}
routes:
${WIRE_NAMES.map((wire) => `  - { model: ${wire}, to: ${wire} }\n`).join('')}
  - model: safe
    to: openai-chat
    policies:
      - use: rules
        rewrite:
          - { tools: [Bash], when: 'tool.args.command != ""', set: { command: '"echo safe"' } }
store: ./records.db
`
const REPLAY = `listen: 127.0.0.1:1
upstreams: { past: { kind: replay, from: store, speed: instant, match: request } }
record: off
`
const SESSIONS = WIRE_NAMES.flatMap((wire) =>
  [...WIRE_NAMES, 'safe'].map((model) => ({ wire, model })),
)

const settingsOf = (text: string): Settings => ({
  ...loadConfig({ file: 'sluice.yaml', text, env: {}, cwd: folder }).settings,
  listen: { host: '127.0.0.1', port: 0 },
})

/** What each session got. */
async function talk(gateway: TestGateway): Promise<readonly (readonly string[])[]> {
  const all: (readonly string[])[] = []
  try {
    for (const { wire, model } of SESSIONS) {
      const tap = createTap()
      await TALKS[wire](gateway.url, tap.fetch, model)
      all.push(tap.bodies)
    }
  } finally {
    await gateway.close()
  }
  return all
}

test('every session is played again byte for byte, each answer to its own request', async () => {
  const then = await talk(await startTestGateway(settingsOf(RECORDING)))
  expect(then.map((bodies) => bodies.length)).toEqual(SESSIONS.map(() => STEPS + 1))
  const store = await openStore(
    { type: 'sqlite', file: join(folder, 'records.db') },
    { codec: createCodec(undefined), isReadOnly: true },
  )
  const asked: ReplayAsked[] = []
  const replay = { reader: store, onAsked: (one: ReplayAsked) => void asked.push(one) }
  const now = await talk(await startTestGateway(settingsOf(REPLAY), { replay }))
  await store.close()
  for (const [at, session] of SESSIONS.entries())
    expect({ session, bodies: now[at] }).toEqual({ session, bodies: then[at] })
  expect(then.at(-1)?.join('')).toContain('echo safe')
  expect(new Set(asked.map(({ match }) => (match.type === 'match' ? match.how : match)))).toEqual(
    new Set(['the same request']),
  )
}, 60_000)
