/**
 * The demo as an upstream, and the official SDKs in front of it, over a real socket.
 */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../event/event.ts'
import type { DemoUpstreamSettings } from '../settings.ts'
import type { Upstream, UpstreamRequest, UpstreamSink } from '../upstream.ts'
import { createDemoUpstream } from './demo.ts'
import { SCRIPTS } from './scripts.ts'

const SETTINGS: DemoUpstreamSettings = {
  kind: 'demo',
  name: 'demo',
  wires: ['anthropic-messages', 'openai-chat', 'openai-responses'],
  limits: { connect: 1000, firstByte: 1000, idle: 1000, total: 1000 },
  retry: { attempts: 1, backoff: 1, maxBackoff: 1, maxRetryAfter: 1 },
  breaker: { failures: 0, cooldown: 1 },
  stream: 'client',
  pace: 0,
}

const wireOf = (path: string): WireName =>
  path.startsWith('/v1/')
    ? 'anthropic-messages'
    : path.startsWith('/chat') || path === '/models'
      ? 'openai-chat'
      : 'openai-responses'

/** The demo behind `node:http`: what a gateway does, without anything between. */
function serve(upstream: Upstream): Server {
  return createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const path = (request.url ?? '').replace(/^\/openai/, '')
      const call = upstream.send(
        {
          method: request.method === 'GET' ? 'GET' : 'POST',
          wire: wireOf(path),
          path: path.replace(/\?.*/, ''),
          query: '',
          headers: {},
          body: parts.length === 0 ? undefined : Buffer.concat(parts),
        },
        {
          onHead: (status, headers) => response.writeHead(status, headers).flushHeaders(),
          onData: (chunk) => void response.write(chunk),
          onEnd: () => void response.end(),
          onError: () => void response.destroy(),
        },
      )
      response.on('close', () => call.abort())
    })
  })
}

let server: Server
let anthropic: Anthropic
let openai: OpenAI
let upstream: Upstream

beforeAll(async () => {
  upstream = createDemoUpstream(SETTINGS)
  server = serve(upstream)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  anthropic = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 })
  openai = new OpenAI({ apiKey: 'none', baseURL: `${url}/openai`, maxRetries: 0 })
})

afterAll(async () => {
  await upstream.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const parameters = {
  type: 'object' as const,
  properties: { city: { type: 'string' } },
  required: ['city'],
}

describe('@anthropic-ai/sdk', () => {
  const tools = [{ name: 'get_weather', input_schema: parameters }]
  const weather = { role: 'user' as const, content: 'What is the weather in Paris?' }
  const base = { model: 'any', max_tokens: 100 }

  test('runs a tool loop to its end, streamed and not', async () => {
    for (const isStream of [true, false]) {
      const ask = (messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> =>
        isStream
          ? anthropic.messages.stream({ ...base, tools, messages }).finalMessage()
          : anthropic.messages.create({ ...base, tools, messages })
      const first = await ask([weather])
      expect(first.stop_reason).toBe('tool_use')
      const call = first.content.find((block) => block.type === 'tool_use')
      expect(call).toMatchObject({ name: 'get_weather', input: { city: 'Paris' } })
      const last = await ask([
        weather,
        { role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'Sunny' }],
        },
      ])
      expect(last.stop_reason).toBe('end_turn')
      expect(last.content).toMatchObject([{ type: 'text', text: 'The tool said: Sunny' }])
    }
  })

  test('reads thinking, a refusal and a cut at the limit', async () => {
    const ask = (model: string) =>
      anthropic.messages.stream({ ...base, model, messages: [weather] }).finalMessage()
    const thinking = await ask('demo-thinking')
    expect(thinking.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
    expect(thinking.content[0]).toMatchObject({ signature: expect.stringMatching(/^demo/) })
    expect((await ask('demo-refusal')).stop_reason).toBe('refusal')
    expect((await ask('demo-length')).stop_reason).toBe('max_tokens')
  })

  test('throws what it throws at the provider', async () => {
    const ask = (model: string) =>
      anthropic.messages.stream({ ...base, model, messages: [weather] }).finalMessage()
    await expect(ask('demo-error')).rejects.toMatchObject({ status: 529 })
    await expect(ask('demo-rate-limit')).rejects.toBeInstanceOf(Anthropic.RateLimitError)
    await expect(ask('demo-auth')).rejects.toBeInstanceOf(Anthropic.AuthenticationError)
    await expect(ask('demo-context')).rejects.toThrow(/prompt is too long: \d+ tokens/)
    await expect(ask('demo-break')).rejects.toThrow(/overloaded_error/)
    await expect(ask('demo-cut')).rejects.toThrow('terminated')
    await expect(ask('demo-eof')).rejects.toThrow(/stream ended|missing finish_reason/)
  })

  test('counts tokens and lists models', async () => {
    const { input_tokens } = await anthropic.messages.countTokens({
      model: 'any',
      messages: [weather],
    })
    expect(input_tokens).toBeGreaterThan(5)
    expect((await anthropic.models.list()).data.map(({ id }) => id)).toContain('demo-tool')
  })
})

describe('openai, Chat', () => {
  const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }]
  const weather = { role: 'user' as const, content: 'What is the weather in Paris?' }

  test('runs a tool loop to its end, streamed and not', async () => {
    for (const isStream of [true, false]) {
      const ask = (messages: OpenAI.ChatCompletionMessageParam[]): Promise<OpenAI.ChatCompletion> =>
        isStream
          ? openai.chat.completions.stream({ model: 'any', tools, messages }).finalChatCompletion()
          : openai.chat.completions.create({ model: 'any', tools, messages })
      const first = (await ask([weather])).choices[0]
      expect(first?.finish_reason).toBe('tool_calls')
      const call = first?.message.tool_calls?.[0]
      expect(call).toMatchObject({
        type: 'function',
        function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
      })
      if (first === undefined) throw new Error('no choice')
      const last = await ask([
        weather,
        first.message,
        { role: 'tool', tool_call_id: call?.id ?? '', content: 'Sunny' },
      ])
      expect(last.choices[0]).toMatchObject({
        finish_reason: 'stop',
        message: { content: 'The tool said: Sunny' },
      })
    }
  })

  test('throws what it throws at the provider', async () => {
    const ask = (model: string) =>
      openai.chat.completions.stream({ model, messages: [weather] }).finalChatCompletion()
    await expect(ask('demo-error')).rejects.toMatchObject({ status: 503 })
    await expect(ask('demo-rate-limit')).rejects.toBeInstanceOf(OpenAI.RateLimitError)
    await expect(ask('demo-context')).rejects.toMatchObject({ code: 'context_length_exceeded' })
    await expect(ask('demo-break')).rejects.toThrow(/breaks off/)
    await expect(ask('demo-cut')).rejects.toThrow('terminated')
    await expect(ask('demo-eof')).rejects.toThrow(/stream ended|missing finish_reason/)
    const models = await openai.models.list()
    expect(models.data.map(({ id }) => id)).toContain('demo-tool')
  })
})

describe('openai, Responses', () => {
  const tools = [{ type: 'function' as const, name: 'get_weather', parameters, strict: false }]
  const weather = { role: 'user' as const, content: 'What is the weather in Paris?' }

  test('runs a tool loop to its end, streamed and not', async () => {
    for (const isStream of [true, false]) {
      const ask = (input: OpenAI.Responses.ResponseInput): Promise<OpenAI.Responses.Response> =>
        isStream
          ? openai.responses.stream({ model: 'any', tools, input }).finalResponse()
          : openai.responses.create({ model: 'any', tools, input })
      const first = await ask([weather])
      const call = first.output.find((item) => item.type === 'function_call')
      expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris"}' })
      const last = await ask([
        weather,
        ...(first.output as OpenAI.Responses.ResponseInputItem[]),
        { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'Sunny' },
      ])
      expect(last.status).toBe('completed')
      expect(last.output_text).toBe('The tool said: Sunny')
    }
  })

  test('reads parallel calls, thinking, a refusal and a cut at the limit', async () => {
    const ask = (model: string) =>
      openai.responses.stream({ model, tools, input: [weather] }).finalResponse()
    const cities = (await ask('demo-tools')).output.flatMap((item) =>
      item.type === 'function_call' ? [item.arguments] : [],
    )
    expect(cities).toEqual(['{"city":"Paris"}', '{"city":"Tokyo"}', '{"city":"Lima"}'])
    expect((await ask('demo-thinking')).output.map(({ type }) => type)).toEqual([
      'reasoning',
      'message',
    ])
    expect(JSON.stringify((await ask('demo-refusal')).output)).toContain('"type":"refusal"')
    expect(await ask('demo-length')).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
  })

  test('throws what it throws at the provider', async () => {
    const ask = (model: string) =>
      openai.responses.stream({ model, input: [weather] }).finalResponse()
    await expect(ask('demo-error')).rejects.toMatchObject({ status: 503 })
    await expect(ask('demo-auth')).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
    await expect(ask('demo-break')).rejects.toThrow(/breaks off/)
    await expect(ask('demo-cut')).rejects.toThrow('terminated')
    // The SDK believes a stream that just stops: the error is the gateway's to say.
    expect((await ask('demo-eof')).status).toBe('in_progress')
    await expect(openai.responses.retrieve('resp_1')).rejects.toBeInstanceOf(OpenAI.NotFoundError)
  })
})

const request = (model: string): UpstreamRequest => ({
  method: 'POST',
  wire: 'openai-chat',
  path: '/chat/completions',
  query: '',
  headers: {},
  body: Buffer.from(
    JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  ),
})

describe('the upstream', () => {
  const createSink = (log: string[]): UpstreamSink => ({
    onHead: (status) => log.push(`head ${status}`),
    onData: () => log.push('data'),
    onEnd: () => log.push('end'),
    onError: ({ kind, isBeforeRequest }) => log.push(`error ${kind} ${isBeforeRequest}`),
  })

  test('bears the name and the wires of its settings', () => {
    expect(createDemoUpstream(SETTINGS)).toMatchObject({ name: 'demo', wires: SETTINGS.wires })
  })

  test('closes once the requests under way are over, and takes no new ones', async () => {
    const demo = createDemoUpstream(SETTINGS)
    const log: string[] = []
    demo.send(request('demo-text'), createSink(log))
    const aborted = demo.send(request('demo-slow'), createSink([]))
    const closed = demo.close().then(() => log.push('closed'))
    const late: string[] = []
    demo.send(request('demo-text'), createSink(late))
    demo.send(request('demo-text'), createSink(late)).abort()
    setTimeout(() => aborted.abort(), 50)
    await closed
    expect(log[0]).toBe('head 200')
    expect(log.slice(-2)).toEqual(['end', 'closed'])
    expect(late).toEqual(['error internal true'])
    await demo.close()
  })

  test('sends at the pace of its settings', async () => {
    const demo = createDemoUpstream({ ...SETTINGS, pace: 5 })
    const start = performance.now()
    const log: string[] = []
    demo.send(request('demo-length'), createSink(log))
    await demo.close()
    const gaps = log.filter((entry) => entry === 'data').length - 1
    expect(gaps).toBeGreaterThan(10)
    // A timer may fire a little early.
    expect(performance.now() - start).toBeGreaterThan(gaps * 4)
  })
})

test('the page about the demo names every script', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/demo.md'), 'utf8')
  const named = [...page.matchAll(/^\| `(demo-[a-z-]+)` +\|/gm)].map(([, name]) => name)
  expect(named).toEqual(Object.keys(SCRIPTS))
})
