/**
 * What goes wrong at an upstream of any wire, as the official SDKs tell it: by the class that its user catches, the
 * status and the word that programs look for. And clients that leave.
 */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { MODELS, pairs, startNine, TALKS, type Nine, type Pair } from '../support/nine.ts'
import type { Scripted, ScriptedFault } from '../support/scripted.ts'
import type { TalkOptions } from '../support/talk.ts'

let nine: Nine
beforeAll(async () => {
  nine = await startNine()
})
afterAll(() => nine.close())

/** The class, the status, the vendor's word, and what the message must say. */
type Told = readonly [Class: Newable, number, string, RegExp]
type Newable = abstract new (...args: never) => Error
const OPENAI: Readonly<Record<ScriptedFault, Told>> = {
  context: [OpenAI.BadRequestError, 400, 'context_length_exceeded', /context/],
  overload: [OpenAI.InternalServerError, 503, 'server_is_overloaded', /overloaded/i],
  'rate-limit': [OpenAI.RateLimitError, 429, 'rate_limit_exceeded', /rate limit/i],
  auth: [OpenAI.AuthenticationError, 401, 'invalid_api_key', /key/],
  quota: [OpenAI.RateLimitError, 429, 'insufficient_quota', /quota|credit/],
}
const TOLD: Readonly<Record<WireName, Readonly<Record<ScriptedFault, Told>>>> = {
  'anthropic-messages': {
    context: [Anthropic.BadRequestError, 400, 'invalid_request_error', /prompt is too long/],
    overload: [Anthropic.InternalServerError, 529, 'overloaded_error', /overloaded/i],
    'rate-limit': [Anthropic.RateLimitError, 429, 'rate_limit_error', /rate limit/i],
    auth: [Anthropic.AuthenticationError, 401, 'authentication_error', /key/],
    quota: [Anthropic.APIError, 402, 'billing_error', /quota|credit/],
  },
  'openai-chat': OPENAI,
  'openai-responses': OPENAI,
}
const FAULTS = Object.keys(OPENAI) as ScriptedFault[]

interface Caught {
  readonly status: number | undefined
  readonly code: unknown
  readonly type: unknown
  readonly headers: Headers | undefined
}

async function fail(
  { client, name, stream }: Pair,
  scripted: Scripted,
  more: Partial<TalkOptions> = {},
): Promise<Caught & Error> {
  nine.script(name, scripted)
  const talk = TALKS[client](nine.place(client), { model: MODELS[name], stream, ...more })
  const outcome = await talk({ text: 'Hello' }).catch((error: unknown) => error)
  expect(outcome).toBeInstanceOf(Error)
  return outcome as Caught & Error
}

/** Anthropic's word is in the body's `error.type`, OpenAI's is its code. */
const wordOf = (client: WireName, error: Caught): unknown =>
  client === 'anthropic-messages' ? error.type : error.code

const classOf = (client: WireName): Newable =>
  client === 'anthropic-messages' ? Anthropic.APIError : OpenAI.APIError

describe.each(pairs('anthropic', 'openai', 'responses'))('%s', (_, pair) => {
  const { client, name, stream } = pair

  test.each(FAULTS)('%s', async (fault) => {
    const error = await fail(pair, { fault })
    const [Class, status, word, message] = TOLD[client][fault]
    expect(error).toBeInstanceOf(Class)
    // An overloaded OpenAI has no word for it, and on its own wire none is put in its mouth.
    const isOwn =
      nine.upstreams[name].wire === client && fault === 'overload' && name !== 'anthropic'
    expect([error.status, wordOf(client, error)]).toEqual([status, isOwn ? null : word])
    expect(error.message).toMatch(message)
    if (fault === 'rate-limit') expect(error.headers?.get('retry-after')).toBe('7')
    // Nobody is to try again what cannot succeed.
    if (fault === 'quota' && client !== 'anthropic-messages' && !isSame(pair))
      expect(error.headers?.get('x-should-retry')).toBe('false')
  })

  test('leaving', { retry: 2 }, async () => {
    const controller = new AbortController()
    let leftAt = 0
    const leave = (): void => {
      leftAt ||= performance.now()
      controller.abort()
    }
    const { server } = nine.upstreams[name]
    const place = server.requests.length
    const scripted: Scripted = stream ? { text: 'Some words', ending: 'hang' } : { silence: true }
    // As JSON there is nothing to see before the end, so the client leaves when it was heard.
    if (!stream) void server.request(place).then(() => setTimeout(leave, 20))
    await fail(pair, scripted, { signal: controller.signal, onText: leave })
    const request = server.requests[place]
    await request?.over
    expect(request?.aborted).toBe(true)
    expect((request?.closedAt ?? Infinity) - leftAt).toBeLessThan(100)
  })

  if (!stream) return

  test('a stream that breaks off is an error, never an answer', async () => {
    for (const ending of ['cut', 'error'] as const) {
      let text = 0
      const onText = (): void => void text++
      const error = await fail(pair, { text: 'It begins well', ending }, { onText })
      expect(text).toBeGreaterThan(0)
      expect(error).toBeInstanceOf(classOf(client))
      expect(error.name).not.toMatch(/Abort/)
    }
  })

  // On its own wire a response that failed is passed on as it came.
  test.skipIf(client === 'openai-responses' && name === 'responses')(
    'an error before the first word has a status',
    async () => {
      const error = await fail(pair, { ending: 'error' })
      const overloaded = client === 'anthropic-messages' ? 529 : 503
      expect(error.status).toBe(name === 'anthropic' ? overloaded : 500)
    },
  )
})

const isSame = ({ client, name }: Pair): boolean => nine.upstreams[name].wire === client
