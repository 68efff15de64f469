/** What passes when nobody acts: the upstream's bytes to the client, the client's bytes upstream. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'
import {
  allTo,
  ask,
  httpUpstream,
  PATHS,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { CHAT, MESSAGES, RESPONSES } from '../support/json-answers.ts'
import { assemble, essence, lint } from '../support/pipeline.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { absent, hasRecordings, readRecordings } from '../support/recordings.ts'
import { stateOf } from '../support/streams.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

let upstream: TestUpstream
let gateway: TestGateway
let made: TestGateway

beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startTestGateway(allTo(httpUpstream(upstream.url)))
  made = await startTestGateway(allTo(httpUpstream(upstream.url, { stream: 'always' })))
})
afterAll(async () => {
  await gateway.close(0)
  await made.close(0)
  await upstream.close()
})

const FIXTURES = join(import.meta.dirname, '../fixtures')
const ANSWERS: Readonly<Record<WireName, Readonly<Record<string, unknown>>>> = {
  'anthropic-messages': MESSAGES,
  'openai-chat': CHAT,
  'openai-responses': RESPONSES,
}

const parse = (bytes: Buffer): JsonObject => JSON.parse(bytes.toString()) as JsonObject

/** Serves that stream and sees that it passes as it came, or ends as an error of its wire. */
async function checkStream(
  wire: WireName,
  body: Uint8Array,
  cuts: readonly number[],
): Promise<void> {
  const place = upstream.requests.length
  const count = gateway.reports.length
  const sent = ask(wire, { stream: true, junk: ' ü \\u2028' })
  upstream.next({ body, cuts })
  const answer = await fetchRaw(gateway.url + PATHS[wire], { body: sent })
  expect(upstream.requests[place]?.body.toString()).toBe(sent)
  expect(answer.end).toBe('whole')
  const state = stateOf(wire, body)
  const report = await gateway.report(count)
  if (answer.status !== 200) {
    // It said its error before any content: a status, and the wire's own error body.
    expect(state.error).toBeDefined()
    expect(state.blocks).toEqual([])
    expect(WIRES[wire].recognise(parse(answer.body))).toBe('error')
    expect(report.outcome).toBe('upstream-error')
    return
  }
  if (!report.isUsageEstimated) expect(report.usage).toEqual(state.usage)
  expect(report.fault?.kind).toBe(state.error?.kind)
  if (state.error === undefined) {
    expect(answer.body.equals(body)).toBe(true)
    expect(report.outcome).toBe('done')
    return
  }
  // Responses tells an error as it came also where nothing was said before it.
  const isFirst = wire === 'openai-responses' && state.blocks.length === 0
  expect(report.outcome).toBe(isFirst ? 'upstream-error' : 'broken')
  // What came whole is all there; what follows is an error that a client of this wire understands.
  const read = stateOf(wire, answer.body)
  expect(read.error).toBeDefined()
  expect(read.blocks.length).toBe(state.blocks.length)
}

describe('a stream that nobody touches', () => {
  for (const wire of WIRE_NAMES) {
    const files = readdirSync(join(FIXTURES, wire)).filter((file) => file.endsWith('.sse'))
    test.each(files)(`passes as it came: ${wire} %s`, async (file) => {
      const body = readFileSync(join(FIXTURES, wire, file))
      await checkStream(wire, body, [3, 50, 51, 52, 200, Math.floor(body.length / 2)])
    })
  }

  test.skipIf(!hasRecordings)(
    `passes as it came, also every recording (or: ${absent})`,
    async () => {
      for (const { wire, sse } of readRecordings()) {
        const cuts = Array.from({ length: 20 }, (_, i) => Math.floor((sse.length * i) / 20) + i)
        await checkStream(wire, sse, cuts)
      }
    },
  )

  test('is answered in the headers that keep proxies from holding it', async () => {
    const body = readFileSync(join(FIXTURES, 'anthropic-messages', firstFixture))
    upstream.next({ body, headers: { 'request-id': 'req_1', 'set-cookie': 'a=b', server: 'x' } })
    const { headers } = await fetchRaw(`${gateway.url}/v1/messages`, {
      body: ask('anthropic-messages', { stream: true }),
    })
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'request-id': 'req_1',
    })
    expect(headers).not.toHaveProperty('set-cookie')
    expect(headers).not.toHaveProperty('server')
    expect(headers).not.toHaveProperty('content-encoding')
  })
})

const firstFixture =
  readdirSync(join(FIXTURES, 'anthropic-messages')).find((file) => file.endsWith('.sse')) ?? ''

describe('a JSON answer', () => {
  for (const wire of WIRE_NAMES) {
    test.each(Object.keys(ANSWERS[wire]))(`passes as it came: ${wire} %s`, async (name) => {
      const body = JSON.stringify(ANSWERS[wire][name], undefined, 1)
      const count = gateway.reports.length
      upstream.next({ body, headers: { 'content-type': 'application/json' } })
      const answer = await fetchRaw(gateway.url + PATHS[wire], { body: ask(wire) })
      expect(answer.body.toString()).toBe(body)
      expect(answer.headers['content-type']).toBe('application/json')
      const report = await gateway.report(count)
      expect(report.outcome).toBe('done')
      expect(report.usage).toBeDefined()
    })

    test.each(Object.keys(ANSWERS[wire]))(
      `becomes a stream for a client that asked for one: ${wire} %s`,
      async (name) => {
        const json = ANSWERS[wire][name] as JsonObject
        upstream.next({
          body: JSON.stringify(json),
          headers: { 'content-type': 'application/json' },
        })
        const answer = await fetchRaw(gateway.url + PATHS[wire], {
          body: ask(wire, { stream: true }),
        })
        expect(answer.headers['content-type']).toMatch(/^text\/event-stream/)
        const errors = lint(wire, answer.body).filter(({ severity }) => severity === 'error')
        // A custom tool on Chat is the client's own: it declared one.
        expect(errors.filter(({ rule }) => rule !== 'B23')).toEqual([])
        const read = stateOf(wire, answer.body)
        expect(read.error).toBeUndefined()
        expect(essence(read)).toEqual(essence(assemble(WIRES[wire].readAnswer(json))))
      },
    )
  }
})

describe('a stream for a client that asked for JSON', () => {
  for (const wire of WIRE_NAMES) {
    const files = readdirSync(join(FIXTURES, wire)).filter((file) => file.endsWith('.sse'))
    test.each(files)(`becomes one JSON body, or a status: ${wire} %s`, async (file) => {
      const body = readFileSync(join(FIXTURES, wire, file))
      const place = upstream.requests.length
      upstream.next({ body })
      const answer = await fetchRaw(made.url + PATHS[wire], { body: ask(wire) })
      expect(parse(upstream.requests[place]?.body ?? Buffer.alloc(0))).toMatchObject({
        stream: true,
      })
      expect(answer.headers['content-type']).toBe('application/json')
      const state = stateOf(wire, body)
      if (state.error !== undefined) {
        expect(answer.status).toBeGreaterThanOrEqual(400)
        expect(WIRES[wire].recognise(parse(answer.body))).toBe('error')
        return
      }
      expect(answer.status).toBe(200)
      const read = WIRES[wire].readAnswer(parse(answer.body))
      expect(read.at(-1)?.type).toBe('message-stop')
    })
  }
})
