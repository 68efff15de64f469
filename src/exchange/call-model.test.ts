import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { httpUpstream, route } from '../../test/support/gateway.ts'
import { JSON_TYPE, reply, sayJson, sayStream } from '../../test/support/spoken.ts'
import { startUpstream, type TestUpstream } from '../../test/support/upstream.ts'
import type { Reply } from '../../test/support/upstream-reply.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { WireName } from '../event/event.ts'
import type { ModelCall } from '../policy/policy.ts'
import type { HttpUpstreamSettings, UpstreamSettings } from '../upstream/settings.ts'
import { WIRE_NAMES } from '../wire/wires.ts'
import { createModelCaller, type ModelCallLimits } from './call-model.ts'
import type { Route } from './route.ts'
import { createTarget, type Target } from './target.ts'
import { createTicker } from './ticker.ts'

let server: TestUpstream
const targets: Target[] = []
beforeAll(async () => {
  server = await startUpstream()
})
afterEach(async () => {
  await Promise.all(targets.splice(0).map(({ upstream }) => upstream.close()))
})
afterAll(async () => {
  await server.close()
})

interface Setup {
  readonly upstreams: readonly UpstreamSettings[]
  readonly routes?: readonly Route[]
  readonly limits?: ModelCallLimits
}

function createCaller({ upstreams, routes, limits }: Setup) {
  const made = upstreams.map((one) => createTarget(one))
  targets.push(...made)
  return createModelCaller(
    {
      targets: new Map(made.map((target) => [target.settings.name, target])),
      routes: routes ?? [route('*', ...upstreams.map(({ name }) => name))],
      ticker: createTicker(),
      random: (size) => '01'.repeat(size),
    },
    limits,
  )
}

const up = (wire: WireName, more: Partial<HttpUpstreamSettings> = {}) =>
  httpUpstream(server.url, { wires: [wire], apiKey: 'own-key', ...more })

const CALL: ModelCall = {
  model: 'm',
  system: 'Be brief.',
  messages: [{ role: 'user', text: 'Is it fine?' }],
  maxTokens: 77,
  temperature: 0,
  schema: {
    name: 'verdict',
    schema: {
      type: 'object',
      properties: { ok: { type: 'boolean' } },
      required: ['ok'],
      additionalProperties: false,
    },
  },
}

const SAID = { pieces: [{ text: '{"ok":' }, { text: 'true}' }], usage: { input: 9, output: 4 } }
const json = (status: number, body: unknown, headers: Reply['headers'] = {}): Reply => ({
  status,
  body: JSON.stringify(body),
  headers: { ...JSON_TYPE, ...headers },
})
const lastBody = (): Record<string, unknown> =>
  JSON.parse(server.requests.at(-1)?.body.toString() ?? '{}') as Record<string, unknown>
const failure = async (promise: Promise<unknown>): Promise<SluiceError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof SluiceError)) throw new Error('It did not fail', { cause: error })
  return error
}

describe.each(WIRE_NAMES)('on %s', (wire) => {
  test.each(['client', 'always', 'never'] as const)(
    'a question gets its answer, streamed as the upstream wants it: %s',
    async (stream) => {
      server.answer((request) => reply(wire, SAID, request))
      const answer = await createCaller({ upstreams: [up(wire, { stream })] })(CALL)
      expect(answer).toEqual({
        text: '{"ok":true}',
        model: 'm',
        usage: expect.objectContaining({ inputTokens: 9, outputTokens: 4 }) as unknown,
      })
      expect(lastBody()['stream']).toBe(stream === 'always')
    },
  )

  test('all of the question is said in the words of the wire, with the key of the config only', async () => {
    server.answer((request) => reply(wire, SAID, request))
    await createCaller({ upstreams: [up(wire)] })(CALL)
    const body = JSON.stringify(lastBody())
    expect(body).toContain('Be brief.')
    expect(body).toContain('Is it fine?')
    expect(body).toContain('77')
    expect(body).toContain('"json_schema"')
    expect(body).not.toContain('"store":true')
    const { headers } = server.requests.at(-1) ?? {}
    expect([headers?.['authorization'], headers?.['x-api-key']]).toEqual(
      wire === 'anthropic-messages' ? [undefined, 'own-key'] : ['Bearer own-key', undefined],
    )
  })

  test.each([
    [401, 'upstream-refused'],
    [400, 'upstream-refused'],
    [404, 'upstream-refused'],
    [429, 'upstream-failed'],
    [500, 'upstream-failed'],
    [503, 'upstream-failed'],
  ] as const)('a status of %i is said, and whether to ask again: %s', async (status, code) => {
    server.always(
      json(
        status,
        { type: 'error', error: { type: 'x', message: 'Not so.' } },
        { 'retry-after': '3' },
      ),
    )
    const error = await failure(createCaller({ upstreams: [up(wire)] })(CALL))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(/^Upstream "up" answered with an error \([\w-]+\): Not so\.$/)
    expect(error.cause).toMatchObject({ retryAfterMs: 3000 })
  })

  test('an answer that breaks off is none', async () => {
    const body = sayStream(wire, SAID)
    server.always({ body: body.slice(0, Math.floor(body.length / 2)) })
    const error = await failure(createCaller({ upstreams: [up(wire, { stream: 'always' })] })(CALL))
    expect(error.code).toBe('upstream-failed')
  })

  test('an answer of a schema that was cut off at its limit is none', async () => {
    server.answer((request) => reply(wire, { ...SAID, isCut: true }, request))
    const error = await failure(createCaller({ upstreams: [up(wire)] })(CALL))
    expect(error.message).toContain('in 77 tokens: raise maxTokens')
  })
})

test('an answer that says itself that it failed is none', async () => {
  const error = { code: 'server_error', message: 'Boom.' }
  server.always(json(200, { ...sayJson('openai-responses', SAID), status: 'failed', error }))
  const caller = createCaller({ upstreams: [up('openai-responses')] })
  expect(await failure(caller(CALL))).toMatchObject({
    code: 'upstream-failed',
    message: 'Upstream "up" answered with an error (internal): Boom.',
  })
})

describe('whose credential', () => {
  const far = (more: Partial<HttpUpstreamSettings>) =>
    httpUpstream('https://models.example/v1', { apiKey: undefined, ...more })

  test('an upstream that lives by the credentials of clients is not asked', async () => {
    const error = await failure(createCaller({ upstreams: [far({})] })(CALL))
    expect(error.code).toBe('upstream-refused')
    expect(error.message).toMatch(
      /^Upstream "up" cannot be asked by a policy, because it has no apiKey .* "auth: none" if it needs none$/,
    )
  })

  test('the next of the route is asked then', async () => {
    server.always(json(200, sayJson('openai-chat', SAID)))
    const upstreams = [far({ name: 'theirs' }), up('openai-chat', { name: 'ours' })]
    expect((await createCaller({ upstreams })(CALL)).text).toBe('{"ok":true}')
  })

  test('one on this machine, one of "auth: none" and one with a header of the config need none', async () => {
    server.always(json(200, sayJson('openai-chat', SAID)))
    for (const more of [
      {},
      { auth: 'none' as const },
      { headers: { Authorization: 'Basic b3du' } },
    ]) {
      const upstreams = [up('openai-chat', { apiKey: undefined, ...more })]
      expect((await createCaller({ upstreams })(CALL)).text).toBe('{"ok":true}')
    }
    expect(server.requests.at(-2)?.headers['authorization']).toBeUndefined()
    expect(server.requests.at(-1)?.headers['authorization']).toBe('Basic b3du')
  })
})

describe('who is asked', () => {
  test('the upstream that is named, whatever the routes say', async () => {
    server.always(json(200, sayJson('openai-chat', SAID)))
    const upstreams = [
      up('openai-chat', { name: 'a', apiKey: 'key-a' }),
      up('openai-chat', { name: 'b', apiKey: 'key-b' }),
    ]
    await createCaller({ upstreams, routes: [route('*', 'a')] })({ ...CALL, upstream: 'b' })
    expect(server.requests.at(-1)?.headers['authorization']).toBe('Bearer key-b')
  })

  test('the route of the model, under the name that it has there', async () => {
    server.always(json(200, sayJson('openai-chat', SAID)))
    const routes: readonly Route[] = [
      { ...route('m', 'up'), wire: 'anthropic-messages', as: { up: 'for-clients-of-messages' } },
      { ...route('m', 'up'), as: { up: 'small' } },
    ]
    await createCaller({ upstreams: [up('openai-chat')], routes })(CALL)
    expect(lastBody()['model']).toBe('small')
  })

  test('nobody: a name that is not there and a model that no route takes are refused with what is there', async () => {
    const caller = createCaller({ upstreams: [up('openai-chat')], routes: [route('gpt-*', 'up')] })
    expect((await failure(caller({ ...CALL, upstream: 'upp' }))).message).toBe(
      'Cannot ask upstream "upp": there is none of that name; there is up',
    )
    expect((await failure(caller(CALL))).message).toContain('no route takes this model')
  })

  test('each upstream once: whoever asks decides on the next time', async () => {
    server.always(json(503, { error: { message: 'Busy' } }))
    const before = server.requests.length
    const retry = { attempts: 5, backoff: 1, maxBackoff: 1, maxRetryAfter: 1 }
    await failure(createCaller({ upstreams: [up('openai-chat', { retry })] })(CALL))
    expect(server.requests.length - before).toBe(1)
  })
})

describe('limits', () => {
  test('an upstream that hangs is left at the time limit', async () => {
    server.always({ ending: 'hang' })
    const caller = createCaller({ upstreams: [up('openai-chat')], limits: { timeoutMs: 50 } })
    const error = await failure(caller(CALL))
    expect(error).toMatchObject({ code: 'upstream-failed' })
    expect(error.message).toBe('Cannot get an answer of "m" within 0.05 s')
    await server.requests.at(-1)?.over
    expect(server.requests.at(-1)?.aborted).toBe(true)
  })

  test.each(['context', 'call'] as const)(
    'a signal of the %s ends it, with its own reason',
    async (whose) => {
      server.always({ ending: 'hang' })
      const before = server.requests.length
      const left = new AbortController()
      const caller = createCaller({ upstreams: [up('openai-chat')] })
      const call = whose === 'call' ? { ...CALL, signal: left.signal } : CALL
      const asking = caller(call, whose === 'context' ? left.signal : undefined)
      const request = await server.request(before)
      left.abort(new Error('gone'))
      await expect(asking).rejects.toThrow('gone')
      await request.over
      expect(request.aborted).toBe(true)
      await expect(caller(call, left.signal)).rejects.toThrow('gone')
      expect(server.requests.length).toBe(before + 1)
    },
  )

  test('a flood is cut off', async () => {
    server.always({ flood: 'x'.repeat(20_000), headers: JSON_TYPE })
    const caller = createCaller({ upstreams: [up('openai-chat')], limits: { answerBytes: 10_000 } })
    expect((await failure(caller(CALL))).message).toBe(
      'Upstream "up" answered with more than 10000 bytes',
    )
  })

  test('a question that is too long is not asked', async () => {
    const caller = createCaller({ upstreams: [up('openai-chat')], limits: { questionChars: 10 } })
    expect((await failure(caller(CALL))).message).toBe(
      'Cannot ask "m" with more than 10 characters: got 20',
    )
  })

  test('too many questions at once are refused, and can be asked later', async () => {
    server.always({ ...json(200, sayJson('openai-chat', SAID)), headDelay: 30 })
    const caller = createCaller({ upstreams: [up('openai-chat')], limits: { concurrent: 1 } })
    const first = caller(CALL)
    expect((await failure(caller(CALL))).code).toBe('upstream-failed')
    await first
    expect((await caller(CALL)).text).toBe('{"ok":true}')
  })

  test('what is no answer at all is an error', async () => {
    for (const body of ['<html>', '[]', '{"error":{"message":"No."}}']) {
      server.always({ body, headers: JSON_TYPE })
      await failure(createCaller({ upstreams: [up('openai-chat')] })(CALL))
    }
    server.always({ garbage: 'no http' })
    await failure(createCaller({ upstreams: [up('openai-chat')] })(CALL))
  })
})
