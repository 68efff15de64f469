/** What happens to answers when somebody acts on them, on every wire, as a stream and as JSON. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { install } from '../../src/policy/installed.ts'
import type { Policy } from '../../src/policy/policy.ts'
import type { StreamState } from '../../src/block/state.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { WireName } from '../../src/event/event.ts'
import { textBlock } from '../../src/event/make.ts'
import { pass } from '../../src/policy/verdict.ts'
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
import { assemble, lint } from '../support/pipeline.ts'
import { fetchRaw, sendRequest, type RawAnswer } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'
import { stateOf } from '../support/streams.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const FIXTURES = join(import.meta.dirname, '../fixtures')
const ANSWERS: Readonly<Record<WireName, Readonly<Record<string, unknown>>>> = {
  'anthropic-messages': MESSAGES,
  'openai-chat': CHAT,
  'openai-responses': RESPONSES,
}

let upstream: TestUpstream
const gateways: TestGateway[] = []
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close(0)
})

type Actor = Omit<Policy, 'name'>

async function start(actor: Actor, settings: Partial<Settings> = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(
    { ...allTo(httpUpstream(upstream.url)), ...settings },
    { policies: [install({ name: 'test', ...actor })] },
  )
  gateways.push(gateway)
  return gateway
}

/** Four ways of one answer: asked for as a stream or not, sent by the upstream as a stream or not. */
const WAYS = WIRE_NAMES.flatMap((wire) =>
  [true, false].flatMap((toStream) =>
    [true, false].map((fromStream) => ({ wire, toStream, fromStream })),
  ),
)
type Way = (typeof WAYS)[number]
const NAME = '$wire, stream to the client: $toStream, from the upstream: $fromStream'

/** The small answer (a text and a call) in the form that the upstream sends. */
function small({ wire, fromStream }: Way): { body: string; headers?: Record<string, string> } {
  if (fromStream) return { body: SMALL[wire] }
  const { body } = WIRES[wire].writeAnswer(stateOf(wire, SMALL[wire]))
  return { body: JSON.stringify(body), headers: JSON_TYPE }
}

const askFor = (gateway: TestGateway, { wire, toStream }: Way): Promise<RawAnswer> =>
  fetchRaw(gateway.url + PATHS[wire], { body: ask(wire, { stream: toStream }) })

/** What a client has read; what we wrote keeps to the grammar. */
function read({ wire, toStream }: Way, { body }: RawAnswer): StreamState {
  if (!toStream) return assemble(WIRES[wire].readAnswer(JSON.parse(body.toString()) as JsonObject))
  expect(lint(wire, body).filter(({ severity }) => severity === 'error')).toEqual([])
  return stateOf(wire, body)
}

const passing: Actor = { onChunk: (chunk, _, context) => context.send(chunk) }

/** Holds every call until it is whole, and then says something else. */
const denying: Actor = {
  async onChunk(chunk, state, context) {
    if (state.currentBlock?.type !== 'tool-call') return context.send(chunk)
    await Promise.resolve()
    if (state.justCompleted?.type === 'tool-call')
      context.send(...textBlock(`No ${state.justCompleted.name} today.`))
  },
}

const shouting: Actor = {
  onChunk(chunk, _, context) {
    if (chunk.type !== 'block-delta' || chunk.delta.type !== 'text') return context.send(chunk)
    const { block } = chunk
    const delta = { type: 'text', text: chunk.delta.text.toUpperCase() } as const
    return context.send({ type: 'block-delta', block, delta })
  },
}

/** What an upstream says behind its end is nobody's answer: some clients would run a call in it. */
const withoutLate = (stream: string): string =>
  stream.replace(/(?<=data: \[DONE\]\n\n)data: \{.*$/s, '')

describe('a policy that passes everything', () => {
  for (const wire of WIRE_NAMES) {
    const files = readdirSync(join(FIXTURES, wire)).filter((file) => file.endsWith('.sse'))
    test.each(files)(`leaves a stream as it came: ${wire} %s`, async (file) => {
      const gateway = await start(passing)
      const body = readFileSync(join(FIXTURES, wire, file))
      upstream.next({ body, cuts: [7, 60, 61, Math.floor(body.length / 2)] })
      const answer = await askFor(gateway, { wire, toStream: true, fromStream: true })
      if (stateOf(wire, body).error === undefined) {
        expect(answer.body.toString()).toBe(withoutLate(body.toString()))
        expect((await gateway.report(0)).outcome).toBe('done')
      } else expect((await gateway.report(0)).outcome).not.toBe('done')
    })

    test.each(Object.keys(ANSWERS[wire]))(
      `leaves a JSON answer as it came: ${wire} %s`,
      async (name) => {
        const gateway = await start(passing)
        const body = `${JSON.stringify(ANSWERS[wire][name], undefined, 3)} \n`
        upstream.next({ body, headers: JSON_TYPE })
        const answer = await askFor(gateway, { wire, toStream: false, fromStream: false })
        expect(answer.body.toString()).toBe(body)
        const report = await gateway.report(0)
        expect(report.outcome).toBe('done')
        expect(report.usage).toBeDefined()
      },
    )
  }
})

describe('a policy that changes something', () => {
  test.each(WAYS)(`denies a call: ${NAME}`, async (way) => {
    const gateway = await start(denying)
    upstream.next(small(way))
    const answer = await askFor(gateway, way)
    expect(answer.status).toBe(200)
    const state = read(way, answer)
    expect(state.error).toBeUndefined()
    expect(state.blocks.every(({ type }) => type === 'text')).toBe(true)
    expect(state.blocks.map((block) => ('text' in block ? block.text : '')).join(' ')).toMatch(
      /It rains\..*No weather today\./s,
    )
    expect(state.finishReason).toBe('stop')
    expect(answer.body.toString()).not.toContain('Bern')
    const report = await gateway.report(0)
    expect(report).toMatchObject({ outcome: 'done', violations: 0 })
    expect(report.usage).toMatchObject({ ...stateOf(way.wire, SMALL[way.wire]).usage })
  })

  test.each(WAYS)(`rewrites text: ${NAME}`, async (way) => {
    const gateway = await start(shouting)
    upstream.next(small(way))
    const answer = await askFor(gateway, way)
    const state = read(way, answer)
    expect(state.blocks).toMatchObject([
      { type: 'text', text: 'IT RAINS.' },
      { type: 'tool-call', name: 'weather', arguments: '{"city":"Bern"}' },
    ])
    expect(answer.body.toString()).not.toContain('It rains')
    expect(state.finishReason).toBe('tool-calls')
  })

  test.each(WAYS)(`ends the answer well-formed: ${NAME}`, async (way) => {
    const gateway = await start({
      onChunk(chunk, _, context) {
        if (chunk.type === 'block-start' && chunk.block.type === 'tool-call')
          return context.terminate()
        return context.send(chunk)
      },
    })
    upstream.next(small(way))
    const answer = await askFor(gateway, way)
    expect(answer.status).toBe(200)
    const state = read(way, answer)
    expect(state).toMatchObject({ finishReason: 'stop', isStopped: true, error: undefined })
    expect(state.blocks).toMatchObject([{ type: 'text', text: 'It rains.' }])
    expect((await gateway.report(0)).outcome).toBe('done')
  })
})

describe('a policy that fails', () => {
  const broken = new Error('secret reasons')
  const FAILURES: Readonly<Record<string, Actor>> = {
    'cannot be made': {
      ...passing,
      state() {
        throw broken
      },
    },
    'throws at once': {
      onChunk() {
        throw broken
      },
    },
    'throws at a call': {
      async onChunk(chunk, state, context) {
        await Promise.resolve()
        if (state.currentBlock?.type === 'tool-call') throw broken
        context.send(chunk)
      },
    },
    'throws at the finish': {
      onChunk(chunk, _, context) {
        if (chunk.type === 'finish') throw broken
        return context.send(chunk)
      },
    },
    'keeps the end back': {
      onChunk: (chunk, _, context) =>
        chunk.type === 'message-stop' ? Promise.resolve('hold') : context.send(chunk),
    },
  }

  test.each(Object.keys(FAILURES).flatMap((how) => WAYS.map((way) => ({ how, ...way }))))(
    `ends the answer as an error when it $how: ${NAME}`,
    async ({ how, ...way }) => {
      const gateway = await start(FAILURES[how] ?? passing)
      const before = upstream.requests.length
      // An upstream that would go on for ever is let go too.
      const isLong = way.fromStream && way.toStream && how !== 'keeps the end back'
      // Who cannot be made is found out before anything is asked.
      if (how !== 'cannot be made')
        upstream.next(isLong ? { ...small(way), ending: 'hang' } : small(way))
      const answer = await askFor(gateway, way)
      expect(answer.end).toBe('whole')
      expect(answer.body.toString()).not.toContain('secret reasons')
      if (answer.status === 200) {
        const state = stateOf(way.wire, answer.body)
        expect(way.toStream).toBe(true)
        expect(state.error).toBeDefined()
        expect(state.isStopped).toBe(false)
      } else {
        expect(answer.status).toBeGreaterThanOrEqual(500)
        expect(WIRES[way.wire].recognise(JSON.parse(answer.body.toString()))).toBe('error')
      }
      const report = await gateway.report(0)
      expect(report.outcome).not.toBe('done')
      expect(report.fault).toBeDefined()
      await upstream.requests[before]?.over
    },
  )
})

describe('a policy that holds', () => {
  /** Holds calls until it is let go. */
  function holding(): { actor: Actor; held: Promise<void>; release(): void } {
    let release = (): void => {}
    let isHeld = (): void => {}
    const verdict = new Promise<void>((resolve) => (release = resolve))
    const held = new Promise<void>((resolve) => (isHeld = resolve))
    const actor: Actor = {
      async judge() {
        isHeld()
        await verdict
        return pass()
      },
    }
    return { actor, held, release: () => release() }
  }

  test.each(WAYS.filter(({ toStream }) => toStream))(
    `lets nothing of a call leave before its verdict, and gives signs of life: ${NAME}`,
    async (way) => {
      const { actor, held, release } = holding()
      const gateway = await start(actor, { keepalive: 100 })
      upstream.next(small(way))
      const call = sendRequest(gateway.url + PATHS[way.wire], {
        body: ask(way.wire, { stream: true }),
      })
      await held
      await sleep(700)
      const early = Buffer.concat(call.pieces.map(({ bytes }) => bytes)).toString()
      expect(early).toContain('It rains.')
      for (const word of ['weather', 'Bern', 'call_1', 'fc_1']) expect(early).not.toContain(word)
      const signs = way.wire === 'anthropic-messages' ? /event: ping/g : /^:/gm
      expect(early.match(signs)?.length ?? 0).toBeGreaterThan(1)
      release()
      const answer = await call.answer
      const state = read(way, answer)
      expect(state.error).toBeUndefined()
      expect(state.blocks).toMatchObject([
        { type: 'text', text: 'It rains.' },
        { type: 'tool-call', name: 'weather', arguments: '{"city":"Bern"}' },
      ])
      expect(await gateway.report(0)).toMatchObject({ outcome: 'done', violations: 0 })
    },
  )

  test.each(WIRE_NAMES)(
    'lets the text before a call leave at once, also of an answer that came whole: %s',
    async (wire) => {
      const { actor, held, release } = holding()
      const gateway = await start(actor)
      upstream.next(small({ wire, toStream: true, fromStream: false }))
      const call = sendRequest(gateway.url + PATHS[wire], { body: ask(wire, { stream: true }) })
      await held
      await sleep(200)
      const early = Buffer.concat(call.pieces.map(({ bytes }) => bytes)).toString()
      expect(early).toContain('It rains.')
      expect(early).not.toContain('Bern')
      release()
      expect((await call.answer).body.toString()).toContain('Bern')
    },
  )

  test.each(WIRE_NAMES)(
    'says nothing at all of a JSON answer before its verdict: %s',
    async (wire) => {
      const way = { wire, toStream: false, fromStream: false }
      const { actor, held, release } = holding()
      const gateway = await start(actor)
      const sent = small(way)
      upstream.next(sent)
      const call = sendRequest(gateway.url + PATHS[wire], { body: ask(wire) })
      await held
      await sleep(100)
      expect(call.pieces).toHaveLength(0)
      release()
      expect((await call.answer).body.toString()).toBe(sent.body)
    },
  )

  test.each(WIRE_NAMES)(
    'lets the upstream go when the client leaves meanwhile: %s',
    async (wire) => {
      const { actor, held } = holding()
      const gateway = await start(actor)
      const before = upstream.requests.length
      upstream.next({ body: SMALL[wire], ending: 'hang' })
      const call = sendRequest(gateway.url + PATHS[wire], { body: ask(wire, { stream: true }) })
      await held
      const leftAt = performance.now()
      call.leave()
      const request = await upstream.request(before)
      await request.over
      expect(request.aborted).toBe(true)
      expect((request.closedAt ?? Infinity) - leftAt).toBeLessThan(1000)
      // Its verdict never comes, and the exchange is over all the same.
      expect(await gateway.report(0)).toMatchObject({ outcome: 'client-left', status: 499 })
    },
  )
})

test.each([
  ['GET', '/v1/responses/resp_1', 200],
  ['GET', '/v1/responses/resp_1?stream=true', 400],
  ['POST', '/v1/responses/resp_1/cancel', 400],
])(
  'an answer that was acted on is no way around by its id: %s %s',
  async (method, path, status) => {
    const gateway = await start(denying)
    upstream.next({ body: SMALL['openai-responses'] })
    await askFor(gateway, { wire: 'openai-responses', toStream: true, fromStream: true })
    const before = upstream.requests.length
    const answer = await fetchRaw(gateway.url + path, { method })
    // As it was delivered, or not at all.
    expect(answer.status).toBe(status)
    expect(answer.body.toString()).not.toContain('function_call')
    expect(upstream.requests).toHaveLength(before)
  },
)
