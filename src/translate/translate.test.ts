import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import type { Loss } from '../event/loss.ts'
import { createCallNames } from '../request/call-names.ts'
import { toProfile } from '../request/profile.ts'
import type { ModelRequest, RequestProblem } from '../request/request.ts'
import type { Tool } from '../request/tool.ts'
import type { WriteOptions, WrittenRequest } from '../request/write.ts'
import { createAnswerStages, translateRequest, type RequestWire } from './translate.ts'

const EMPTY: ModelRequest = {
  source: { wire: 'openai-chat', body: {} },
  model: 'm',
  isStream: true,
  system: [],
  turns: [],
  tools: [],
  toolChoice: undefined,
  isParallel: undefined,
  maxTokens: undefined,
  stop: [],
  sampling: {},
  reasoning: {},
  format: undefined,
  verbosity: undefined,
  user: undefined,
  metadata: undefined,
  cache: { key: undefined, mark: undefined },
  serviceTier: undefined,
  isStored: undefined,
  logprobs: undefined,
  lost: [],
  needed: [],
}
const tool = (name: string, namespace?: string): Tool => ({
  type: 'function',
  name,
  ...(namespace === undefined ? {} : { namespace }),
  schema: undefined,
  isStrict: undefined,
})

interface Fake {
  readonly name?: WireName
  readonly request?: Partial<ModelRequest>
  readonly losses?: readonly Loss[]
  readonly problem?: RequestProblem
  readonly stop?: readonly string[]
}

/** A wire that reads that request, and writes what it was told to write. */
function wire(what: Fake) {
  const { name = 'openai-chat', request = {}, losses = [], problem, stop = ['.'] } = what
  const told: { request: ModelRequest; options: WriteOptions }[] = []
  const fake: RequestWire = {
    name,
    readRequest: () => ({ ok: true, request: { ...EMPTY, ...request } }),
    writeRequest(written, options): WrittenRequest {
      told.push({ request: written, options })
      if (problem !== undefined) return { ok: false, problem }
      const names = createCallNames({ tools: written.tools, maxLength: 64 })
      return { ok: true, body: { model: options.model }, headers: {}, losses, names, stop }
    },
  }
  return { fake, told }
}

function translate(from: Fake, to: Fake, more: { isStrict?: boolean; body?: JsonObject } = {}) {
  const target = wire({ name: 'anthropic-messages', ...to })
  const translated = translateRequest({
    from: wire(from).fake,
    to: target.fake,
    body: {},
    model: 'claude',
    isStream: true,
    profile: toProfile({ wire: 'anthropic-messages', model: 'claude' }),
    ...more,
  })
  return { translated, told: target.told }
}

const topK: Loss = { kind: 'dropped', what: 'top_k', count: 1 }
const effort: Loss = { kind: 'approximated', what: 'reasoning.effort', count: 2 }

test('a request is read on one wire and written on the other', () => {
  const { translated, told } = translate({ request: { maxTokens: 5 } }, { losses: [effort] })
  expect(translated).toMatchObject({
    ok: true,
    body: { model: 'claude' },
    losses: [effort],
    stop: ['.'],
    request: { maxTokens: 5 },
  })
  expect(told[0]?.options).toMatchObject({ model: 'claude', isStream: true })
})

describe('fields that only the client’s wire has', () => {
  const request = {
    lost: ['seed', 'top_k', 'seed'],
    needed: [{ path: 'n', message: 'One answer at a time' }],
  }

  test('are losses on another wire', () => {
    const { translated } = translate({ request: { lost: request.lost } }, { losses: [topK] })
    expect(translated).toMatchObject({
      losses: [{ kind: 'dropped', what: 'seed', count: 1 }, topK],
    })
  })

  test('that are needed refuse the request there', () => {
    const { translated, told } = translate({ request }, {})
    expect(translated).toEqual({
      ok: false,
      problem: { path: 'n', message: 'One answer at a time', code: 'unsupported' },
    })
    expect(told).toEqual([])
  })

  test('are neither on its own', () => {
    const { translated } = translate({ request }, { name: 'openai-chat' })
    expect(translated).toMatchObject({ ok: true, losses: [] })
  })
})

describe('strict', () => {
  test('every loss is refused, and all are listed', () => {
    const { translated } = translate(
      { request: { lost: ['seed'] } },
      { losses: [effort] },
      { isStrict: true },
    )
    expect(translated).toEqual({
      ok: false,
      problem: {
        path: 'seed',
        message:
          'Cannot be carried to this upstream without a loss, and strict mode allows none: ' +
          'seed (dropped), reasoning.effort (approximated)',
        code: 'unsupported',
      },
    })
  })

  test('a request without a loss passes', () => {
    expect(translate({}, {}, { isStrict: true }).translated.ok).toBe(true)
  })
})

test('a problem of either wire is the problem', () => {
  const problem = { path: 'messages', message: 'Send one' }
  expect(translate({}, { problem }).translated).toEqual({ ok: false, problem })
})

test('two tools that would go by one name are refused by name', () => {
  const tools = [tool('create', 'issues'), tool('issues__create')]
  expect(translate({ request: { tools } }, {}).translated).toMatchObject({
    ok: false,
    problem: {
      path: 'tools',
      message:
        'The tools "create" of "issues" and "issues__create" go by one name at this upstream: rename one',
    },
  })
})

test.each([
  ['anthropic-messages', 'stop_sequences'],
  ['openai-chat', 'stop'],
] as const)('more stop sequences than can be looked for are refused: %s', (wire, path) => {
  const refused = (stop: readonly string[]) =>
    translate({ request: { source: { wire, body: {} } } }, { stop }).translated
  const many = Array.from({ length: 65 }, (_, i) => `stop ${i}`)
  expect(refused(many)).toMatchObject({ ok: false, problem: { path, code: 'unsupported' } })
  expect(refused(['x'.repeat(1001)])).toMatchObject({ ok: false, problem: { path } })
  expect(refused([...many.slice(0, 63), 'x'.repeat(1000)])).toMatchObject({ ok: true })
})

test('fields that are lost are told up to a hundred, however many there are', () => {
  const lost = Array.from({ length: 1000 }, (_, i) => `field${i}`)
  const { translated } = translate({ request: { lost } }, {})
  expect(translated.ok && translated.losses).toHaveLength(100)
})

test('a body that is nested without end is refused before anybody reads it', () => {
  const body = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
  expect(translate({}, {}, { body }).translated).toMatchObject({
    ok: false,
    problem: { code: 'invalid' },
  })
})

test('pain 7: after a refusal of what was sealed, thinking is left out and not recalled', () => {
  const words = { type: 'text', text: 'hi' } as const
  const thinking = { type: 'thinking', text: 'hm', seal: undefined } as const
  const target = wire({ name: 'anthropic-messages' })
  translateRequest({
    from: wire({
      request: {
        turns: [
          { role: 'user', parts: [words] },
          { role: 'assistant', parts: [thinking] },
          { role: 'assistant', parts: [thinking, words] },
        ],
      },
    }).fake,
    to: target.fake,
    body: {},
    model: 'claude',
    isStream: true,
    profile: toProfile({ wire: 'anthropic-messages', model: 'claude' }),
    recall: () => [thinking],
    isUnsealed: true,
  })
  expect(target.told[0]?.request.turns).toEqual([
    { role: 'user', parts: [words] },
    { role: 'assistant', parts: [words] },
  ])
  expect(target.told[0]?.options).not.toHaveProperty('recall')
  expect(target.told[0]?.options.isUnsealed).toBe(true)
})

describe('the stages of an answer', () => {
  const plain = createCallNames({ tools: [tool('read')], maxLength: 64 })
  const renamed = createCallNames({ tools: [tool('files.read')], maxLength: 64 })

  test('are none where nothing has to be undone', () => {
    expect(createAnswerStages({ names: plain, stop: [''] })).toEqual([])
  })

  test('are those that have something to do', () => {
    expect(createAnswerStages({ names: renamed, stop: [] })).toHaveLength(1)
    expect(createAnswerStages({ names: plain, stop: [], estimate: 3 })).toHaveLength(1)
    const stages = createAnswerStages({ names: renamed, stop: ['.'], estimate: 3 })
    expect(stages.map((stage) => stage.hasStopped)).toEqual([undefined, undefined, false])
  })
})
