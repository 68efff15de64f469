/**
 * What OpenAI's SDK is led through on Responses, by its helper, by its events and as JSON. Neighbours:
 * `sdk-flow.ts` is the contract, `sdk-chat.ts` the SDK's other half. The SDK is handed in, so that one
 * text serves several of its releases. It has no runner of tools here, so the loop is ours.
 */
import type OpenAI from 'openai'
import {
  askEveryWay,
  LEAVES_AFTER,
  leaving,
  modelFor,
  promptFor,
  PROMPTS,
  WEATHER,
  weatherIn,
  type Call,
  type Flow,
  type Flows,
  type Outcome,
  type Part,
  type Place,
} from './sdk-flow.ts'

type Client = typeof OpenAI
type Response = OpenAI.Responses.Response
type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>
type Item = OpenAI.Responses.ResponseInputItem
type Ask = (body: Body) => PromiseLike<Response>

export function responsesFlows(Sdk: Client): Flows {
  const open = ({ baseUrl, apiKey, maxRetries = 0 }: Place): OpenAI =>
    new Sdk({ baseURL: baseUrl, apiKey, maxRetries })
  const stream =
    (place: Place): Ask =>
    (body) =>
      open(place).responses.stream(body).finalResponse()
  const create =
    (place: Place): Ask =>
    (body) =>
      open(place).responses.create(body)

  const byHelper =
    (part: Part): Flow =>
    async (place) =>
      toSaid([await stream(place)(toBody(place, part))])
  const byEvents =
    (part: Part): Flow =>
    async (place) => {
      const events: unknown[] = []
      const answer = await open(place).responses.create({ ...toBody(place, part), stream: true })
      for await (const event of answer) events.push(event)
      return { type: 'told', told: events }
    }
  const asJson =
    (part: Part): Flow =>
    async (place) =>
      toSaid([await create(place)(toBody(place, part))])

  return {
    ...askEveryWay({ byHelper, byEvents, asJson }),
    'tool loop by stream': (place) => runTools(stream(place), place, 'loop'),
    'tool loop as JSON': (place) => runTools(create(place), place, 'loop'),
    'parallel tools by stream': (place) => runTools(stream(place), place, 'tools'),
    'parallel tools as JSON': (place) => runTools(create(place), place, 'tools'),
    'thinking by stream': (place) => thinkTwice(stream(place), place),
    'thinking as JSON': (place) => thinkTwice(create(place), place),
    'leaving before the first byte': (place) => leaveEarly(open(place), place),
    'leaving in mid-stream': (place) => leaveInside(open(place), place),
    'leaving the loop': (place) => leaveLoop(open(place), place),
    'token count': async (place) => ({
      type: 'told',
      told: await open(place).responses.inputTokens.count({
        model: modelFor(place, 'text'),
        input: PROMPTS.text,
      }),
    }),
    'an answer that is not stored': async (place) => ({
      type: 'told',
      told: await open(place).responses.retrieve('resp_none'),
    }),
  }
}

const toBody = (place: Place, part: Part): Body => ({
  model: modelFor(place, part),
  input: promptFor(part),
})

async function runTools(ask: Ask, place: Place, part: 'loop' | 'tools'): Promise<Outcome> {
  const calls: Call[] = []
  const responses: Response[] = []
  const input: Item[] = [{ role: 'user', content: PROMPTS[part] }]
  for (let turn = 0; turn < 10; turn++) {
    const response = await ask({
      model: modelFor(place, part),
      input,
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: [
        {
          type: 'function',
          name: WEATHER.name,
          description: WEATHER.description,
          parameters: WEATHER.schema,
          strict: true,
        },
      ],
    })
    responses.push(response)
    input.push(...(response.output as Item[]))
    const asked = response.output.filter((item) => item.type === 'function_call')
    if (asked.length === 0) break
    for (const { name, call_id, arguments: text } of asked) {
      const args: unknown = JSON.parse(text)
      calls.push({ name, arguments: args })
      input.push({ type: 'function_call_output', call_id, output: weatherIn(args) })
    }
  }
  return toSaid(responses, calls)
}

/** What was thought in the first turn is sent back, sealed, in the second. */
async function thinkTwice(ask: Ask, place: Place): Promise<Outcome> {
  const body = {
    model: modelFor(place, 'thinking'),
    store: false,
    include: ['reasoning.encrypted_content' as const],
    reasoning: place.thinking ?? { effort: 'low', summary: 'auto' },
  } as Body
  const input: Item[] = [{ role: 'user', content: PROMPTS.thinking }]
  const first = await ask({ ...body, input })
  const second = await ask({
    ...body,
    input: [...input, ...(first.output as Item[]), { role: 'user', content: PROMPTS.again }],
  })
  return toSaid([first, second])
}

const leaveEarly = (client: OpenAI, place: Place): Promise<Outcome> =>
  leaving(async (leave, signal) => {
    setTimeout(leave, LEAVES_AFTER)
    const stream = await client.responses.create(
      { ...toBody(place, 'slow'), stream: true },
      { signal },
    )
    for await (const _ of stream) continue
  })

const leaveInside = (client: OpenAI, place: Place): Promise<Outcome> =>
  leaving(async (leave) => {
    const stream = client.responses.stream(toBody(place, 'long'))
    stream.once('response.output_text.delta', () => {
      leave()
      stream.abort()
    })
    await stream.finalResponse()
  })

const leaveLoop = (client: OpenAI, place: Place): Promise<Outcome> =>
  leaving(async (leave) => {
    const stream = await client.responses.create({ ...toBody(place, 'long'), stream: true })
    for await (const event of stream) {
      if (event.type !== 'response.output_text.delta') continue
      leave()
      break
    }
  })

function toSaid(responses: readonly Response[], calls: readonly Call[] = []): Outcome {
  const items = responses.flatMap(({ output }) => output)
  const thoughts = items.flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
  const said = items.flatMap((item) => (item.type === 'message' ? item.content : []))
  return {
    type: 'said',
    said: {
      text: said.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join('\n'),
      thinking: thoughts.map(({ text }) => text).join('\n'),
      calls,
      finish: responses.at(-1)?.status ?? null,
      raw: responses,
    },
  }
}
