/**
 * Clients that name what was said instead of saying it again, on upstreams of other wires: chains of responses,
 * references to items, threads. The provider must get the whole conversation all the same.
 */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectClean, MODELS, startNine, type Nine } from '../support/nine.ts'
import { chatFlows } from '../support/sdk-chat.ts'
import { messagesFlows } from '../support/sdk-messages.ts'
import type { Flow } from '../support/sdk-flow.ts'
import { TOOLS } from '../support/talk.ts'

let nine: Nine
beforeAll(async () => {
  nine = await startNine()
})
afterAll(() => nine.close())

const weather = (city: string) => ({ name: 'get_weather', args: { city } })
const TURNS = [
  { thinking: 'First Paris.', text: 'I look.', calls: [weather('Paris')] },
  { thinking: 'Then Rome.', calls: [weather('Rome'), weather('Oslo')] },
  { text: 'Rain.' },
  { text: 'You are welcome.' },
]

type Response = OpenAI.Responses.Response
type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming
type Input = OpenAI.Responses.ResponseInputItem[]

const client = (): OpenAI => {
  const { baseUrl, apiKey } = nine.place('openai-responses')
  return new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 })
}

const ask = (body: Omit<Body, 'tools' | 'stream'>, stream: boolean): Promise<Response> => {
  const whole = {
    ...body,
    reasoning: { effort: 'medium' as const },
    tools: TOOLS.map(({ name, description, schema: parameters }) => ({
      type: 'function' as const,
      name,
      description,
      parameters,
      strict: false,
    })),
  }
  return stream
    ? client().responses.stream(whole).finalResponse()
    : client().responses.create(whole)
}

const results = ({ output }: Response): Input =>
  output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: 'Rain' }]
      : [],
  )

describe.each(['anthropic', 'deepseek'] as const)('Responses on %s', (name) => {
  const model = MODELS[name]

  test.each([true, false])('a chain by previous_response_id, streamed: %s', async (stream) => {
    const upstream = nine.script(name, ...TURNS)
    let last = await ask({ model, input: 'Paris, Rome, Oslo', instructions: 'Be brief' }, stream)
    for (const _ of [1, 2]) {
      const input = results(last)
      expect(input.length).toBeGreaterThan(0)
      last = await ask({ model, previous_response_id: last.id, input }, stream)
    }
    expect(last.output_text).toBe('Rain.')
    last = await ask({ model, previous_response_id: last.id, input: 'Thanks' }, stream)
    expect(last.output_text).toBe('You are welcome.')
    expectClean(upstream, 4)
    const sent = JSON.stringify(upstream.bodies[3])
    for (const said of ['Paris, Rome, Oslo', 'I look.', 'Oslo', 'Rain.', 'Thanks'])
      expect(sent).toContain(said)
    // Instructions are not inherited.
    expect(sent).not.toContain('Be brief')
  })

  test.each([true, false])('references to items, streamed: %s', async (stream) => {
    const upstream = nine.script(name, ...TURNS)
    const input: Input = [{ role: 'user', content: 'Paris, Rome, Oslo' }]
    let last = await ask({ model, input }, stream)
    for (const _ of [1, 2]) {
      for (const { id } of last.output) input.push({ type: 'item_reference', id: id ?? 'none' })
      input.push(...results(last))
      last = await ask({ model, input }, stream)
    }
    expect(last.output_text).toBe('Rain.')
    expectClean(upstream, 3)
  })

  test('a response that is not known: the error after which clients send everything', async () => {
    const error = await ask({ model, previous_response_id: 'resp_none', input: 'Hi' }, false).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({ status: 400, code: 'previous_response_not_found' })
  })
})

const CITIES = ['Paris', 'Rome', 'Oslo']
const LOOP = [...CITIES.map((city) => ({ calls: [weather(city)] })), { text: 'Rain.' }]

describe('the runners of the SDKs', () => {
  test.each(['openai', 'deepseek', 'responses'] as const)(
    'Anthropic, with a thread, on %s',
    async (name) => {
      const upstream = nine.script(name, ...LOOP)
      const flow = messagesFlows(Anthropic)['tool thread by stream'] as Flow
      const outcome = await flow({ ...nine.place('anthropic-messages'), model: MODELS[name] })
      expect(outcome).toMatchObject({ said: { text: 'Rain.', finish: 'end_turn' } })
      expectClean(upstream, 4)
    },
  )

  test('Anthropic, on a thread that is gone: the error that the SDK sends everything after', async () => {
    const { baseUrl, apiKey } = nine.place('anthropic-messages')
    const sdk = new Anthropic({ baseURL: baseUrl, apiKey, maxRetries: 0 })
    const error = await sdk.beta.messages
      .create({
        model: MODELS.openai,
        max_tokens: 100,
        messages: [{ role: 'user', content: 'Hi' }],
        thread: { type: 'continue', previous_message_id: 'msg_none' },
      } as never)
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
    expect(error).toBeInstanceOf(Anthropic.NotFoundError)
  })

  test.each(['tool loop by stream', 'tool loop as JSON'])('OpenAI on Chat, %s', async (title) => {
    for (const name of ['anthropic', 'responses'] as const) {
      const upstream = nine.script(name, ...LOOP.map((turn) => ({ thinking: 'Hm.', ...turn })))
      const flow = chatFlows(OpenAI)[title] as Flow
      const outcome = await flow({ ...nine.place('openai-chat'), model: MODELS[name] })
      expect(outcome).toMatchObject({ said: { text: 'Rain.', finish: 'stop' } })
      expectClean(upstream, 4)
    }
  })
})
