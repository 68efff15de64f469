/** Clients that speak HTTP in less usual ways, and official ones that read what breaks off. */
import Anthropic from '@anthropic-ai/sdk'
import { Agent } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { makeCertificate } from '../support/certificate.ts'
import { begunOf, startPair, withPair, type Pair } from '../support/connections.ts'
import { ask, PATHS } from '../support/gateway.ts'
import { sendRaw } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'

let pair: Pair
beforeAll(async () => {
  pair = await startPair()
})
afterAll(() => pair.close())

const requestText = (wire: WireName, version = '1.1', more = ''): string => {
  const body = ask(wire, { stream: true })
  return `POST ${PATHS[wire]} HTTP/${version}\r\nhost: 127.0.0.1\r\n${more}content-length: ${body.length}\r\n\r\n${body}`
}

/** The body of an answer in chunks, and what stands behind it. */
function unchunk(text: string): readonly [body: string, rest: string] {
  let body = ''
  let at = text.indexOf('\r\n\r\n') + 4
  for (;;) {
    const line = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, line), 16)
    at = line + 2
    body += text.slice(at, at + size)
    at += size + 2
    if (!(size > 0)) return [body, text.slice(at)]
  }
}

describe.each(WIRE_NAMES)('a stream of %s', (wire) => {
  const whole = SMALL[wire]
  const pieces = { body: whole, cuts: [begunOf(wire).length, whole.length - 20], pace: 30 }

  test('reaches a client of HTTP/1.0, without chunks', async () => {
    pair.upstream.next(pieces)
    const { text } = await sendRaw(pair.gateway.url, requestText(wire, '1.0'))
    const [head = '', body] = text
      .split('\r\n\r\n', 1)
      .concat(text.slice(text.indexOf('\r\n\r\n') + 4))
    expect(head).toMatch(/^HTTP\/1.1 200 /)
    expect(head).not.toMatch(/chunked/i)
    expect(body).toBe(whole)
  })

  test('reaches clients that ask again before they were answered, in their order', async () => {
    const other = `: second\n\n${whole}`
    pair.upstream.answer(async () => ({ body: other }))
    pair.upstream.next({ ...pieces, headDelay: 150 })
    const both = requestText(wire) + requestText(wire, '1.1', 'connection: close\r\n')
    const { text } = await sendRaw(pair.gateway.url, both, { wait: 3000 })
    const bodies: string[] = []
    for (let rest = text; rest !== '';) {
      const [body, after] = unchunk(rest)
      bodies.push(body)
      rest = after
    }
    // Whichever reached the upstream first, each answer is whole and none is mixed with the other.
    expect(bodies.sort()).toEqual([other, whole].sort())
  })

  test('reaches a client that keeps its connection, one after the other', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let i = 0; i < 3; i++) {
      pair.upstream.next(pieces)
      const answer = await pair.post(wire, { stream: true }, { agent }).answer
      expect([answer.end, answer.body.toString()]).toEqual(['whole', whole])
    }
    agent.destroy()
  })
})

test('a client that leaves with requests in its pipeline leaves nothing', async () => {
  await withPair({}, async (own) => {
    own.upstream.always({ body: begunOf('openai-chat'), ending: 'hang' })
    const socket = connect(own.gateway.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(requestText('openai-chat').repeat(3))
    await own.upstream.request(0)
    await sleep(100)
    socket.destroy()
    for (let i = 0; i < 50 && own.upstream.connections > 0; i++) await sleep(20)
    expect(own.upstream.connections).toBe(0)
    await own.gateway.report(own.upstream.requests.length - 1)
    expect(own.gateway.reports.map(({ outcome }) => outcome)).not.toContain('done')
  })
})

describe('a gateway with TLS', () => {
  const tls = makeCertificate()
  const ask1 = ask('openai-chat', { stream: true })

  test('streams, and closes though somebody never shook hands', async () => {
    await withPair({ settings: { tls } }, async (own) => {
      const whole = SMALL['openai-chat']
      own.upstream.next({ body: whole, cuts: [30, 200, 500], pace: 20 })
      const { port } = new URL(own.gateway.url)
      expect(own.gateway.url).toMatch(/^https:/)
      const text = await new Promise<string>((resolve, reject) => {
        const options = { port, path: PATHS['openai-chat'], method: 'POST', ca: tls.cert }
        const outgoing = tlsRequest({ ...options, host: 'localhost', agent: false }, (incoming) => {
          let said = ''
          incoming.on('data', (piece: Buffer) => (said += piece.toString()))
          incoming.on('end', () => resolve(said))
        })
        outgoing.on('error', reject)
        outgoing.end(ask1)
      })
      expect(text).toBe(whole)
      const silent = connect(Number(port), '127.0.0.1')
      silent.on('error', () => {})
      await new Promise((resolve) => silent.on('connect', resolve))
      await sleep(20)
      const startedAt = performance.now()
      await own.gateway.close(300)
      expect(performance.now() - startedAt).toBeLessThan(2500)
    })
  })
})

describe('an official client', () => {
  const anthropic = () =>
    new Anthropic({ baseURL: pair.gateway.url, apiKey: 'k', maxRetries: 0 }).messages
  const openai = () => new OpenAI({ baseURL: `${pair.gateway.url}/v1`, apiKey: 'k', maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const READ: Readonly<Record<WireName, () => Promise<unknown>>> = {
    'anthropic-messages': () =>
      anthropic().stream({ model: 'm', max_tokens: 9, messages }).finalMessage(),
    'openai-chat': () =>
      openai().chat.completions.stream({ model: 'm', messages }).finalChatCompletion(),
    async 'openai-responses'() {
      for await (const event of await openai().responses.create({
        model: 'm',
        input: 'x',
        stream: true,
      })) {
        if (event.type === 'response.failed') throw new Error(event.response.error?.message)
      }
    },
  }

  test.each(WIRE_NAMES)('of %s throws what we say when an answer breaks off', async (wire) => {
    for (const ending of ['end', 'destroy'] as const) {
      pair.upstream.next({ body: begunOf(wire), ending })
      await expect(READ[wire]()).rejects.toThrow(/ended before|closed the connection/)
    }
  })

  test.each(WIRE_NAMES)('of %s throws what we say when there is no answer', async (wire) => {
    pair.upstream.next({ ending: 'destroy' })
    await expect(READ[wire]()).rejects.toMatchObject({
      status: 502,
      message: expect.stringMatching(/closed the connection/) as string,
    })
  })
})
