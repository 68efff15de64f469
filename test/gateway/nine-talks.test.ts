/**
 * The official SDKs on every upstream, by stream and as JSON: whatever the provider speaks, the client hears what it
 * said and the provider gets requests that its API takes, turn after turn.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import {
  expectClean,
  MODELS,
  pairs,
  PNG,
  startNine,
  TALKS,
  UPSTREAM_WIRES,
  type Nine,
} from '../support/nine.ts'
import { USAGE } from '../support/scripted.ts'
import { LONG_TOOL, TOOLS } from '../support/talk.ts'

let nine: Nine
beforeAll(async () => {
  nine = await startNine()
})
afterAll(() => nine.close())

const FINISH: Readonly<Record<WireName, { stop: string; calls: string }>> = {
  'anthropic-messages': { stop: 'end_turn', calls: 'tool_use' },
  'openai-chat': { stop: 'stop', calls: 'tool_calls' },
  'openai-responses': { stop: 'completed', calls: 'completed' },
}

const weather = (city: string, unit = 'C') => ({ name: 'get_weather', args: { city, unit } })

describe.each(pairs('anthropic', 'openai', 'responses'))('%s', (_, { client, name, stream }) => {
  // The helper's own fields are for the gateway to leave out, which on one wire touches nothing.
  const echo = name === 'openai' ? 'plain' : 'sdk'
  const open = (more: object = {}) =>
    TALKS[client](nine.place(client), { model: MODELS[name], stream, echo, ...more })

  test('text over two turns', async () => {
    const upstream = nine.script(name, { text: 'Hello there.' }, { text: 'Grüße, 世界! 👋' })
    const talk = open()
    expect(await talk({ text: 'Hello' })).toEqual({
      text: 'Hello there.',
      thinking: '',
      calls: [],
      finish: FINISH[client].stop,
      input: USAGE.input,
      output: USAGE.output,
    })
    expect((await talk({ text: 'And again' })).text).toBe('Grüße, 世界! 👋')
    expectClean(upstream, 2)
    expect(JSON.stringify(upstream.bodies[1])).toMatch(/Hello there\./)
    expect(JSON.stringify(upstream.bodies[1])).toMatch(/You are a weather station/)
  })

  test('a loop of tools, and a new question after it', async () => {
    const upstream = nine.script(
      name,
      { text: 'I look it up.', calls: [weather('Paris')] },
      { calls: [weather('Rome', 'F')] },
      { text: 'Both are fine.' },
      { calls: [{ name: 'take_picture', args: {} }] },
      { text: 'Done.' },
    )
    const talk = open({ tools: TOOLS })
    const first = await talk({ text: 'Paris, then Rome' })
    expect(first).toMatchObject({
      text: 'I look it up.',
      calls: [weather('Paris')],
      finish: FINISH[client].calls,
    })
    const second = await talk({ results: [{ id: first.calls[0]?.id ?? '', text: 'Sun' }] })
    expect(second.calls).toMatchObject([weather('Rome', 'F')])
    const third = await talk({ results: [{ id: second.calls[0]?.id ?? '', text: 'Rain' }] })
    expect(third).toMatchObject({ text: 'Both are fine.', calls: [], finish: FINISH[client].stop })
    const fourth = await talk({ text: 'Now a picture' })
    expect(fourth.calls).toMatchObject([{ name: 'take_picture', args: {} }])
    const last = await talk({ results: [{ id: fourth.calls[0]?.id ?? '', text: '' }] })
    expect(last.text).toBe('Done.')
    expectClean(upstream, 5)
  })

  test('parallel calls, answered as they get ready', async () => {
    const cities = ['Paris', 'Rome', 'Oslo'] as const
    const upstream = nine.script(
      name,
      { text: 'All three.', calls: cities.map((city) => weather(city)) },
      { text: 'Rain everywhere.' },
    )
    const talk = open({ tools: TOOLS })
    const { calls } = await talk({ text: 'All of them' })
    expect(calls).toMatchObject(cities.map((city) => weather(city)))
    const results = calls.map(({ id }, i) => ({
      id,
      text: `Rain in ${cities[i]}`,
      isError: i === 1,
    }))
    const order = [2, 0, 1].map((i) => results[i] ?? { id: '', text: '' })
    const last = await talk({ results: order, text: 'Go on' })
    expect(last.text).toBe('Rain everywhere.')
    expectClean(upstream, 2)
    const sent = JSON.stringify(upstream.bodies[1])
    for (const { text } of results) expect(sent).toContain(text)
  })

  test('a long name, and 25 KB of arguments that come in pieces of a few bytes', async () => {
    const args = { path: 'a b.txt', content: 'Zeile "ä"\\n\t\n世界 👩‍💻 \u2028'.repeat(900) }
    const upstream = nine.script(
      name,
      { isCut: true, calls: [{ name: '#2', args }] },
      { text: 'Written.' },
    )
    const long = client === 'openai-chat' ? { ...LONG_TOOL, name: 'write_file' } : LONG_TOOL
    const talk = open({ tools: [...TOOLS, long] })
    const { calls } = await talk({ text: 'Write it' })
    expect(calls).toMatchObject([{ name: long.name, args }])
    const results = calls.map(({ id }) => ({ id, text: 'Done' }))
    expect((await talk({ results })).text).toBe('Written.')
    expectClean(upstream, 2)
  })

  test('pictures from the user and from tools', async () => {
    const upstream = nine.script(
      name,
      {
        calls: [
          { name: 'take_picture', args: {} },
          { name: 'take_picture', args: {} },
        ],
      },
      { text: 'A cat.' },
    )
    const talk = open({ tools: TOOLS })
    const { calls } = await talk({ text: 'Is this it?', image: PNG })
    const image = client === 'openai-chat' ? {} : { image: PNG }
    const results = calls.map(({ id }) => ({ id, text: 'Taken', ...image }))
    expect((await talk({ results })).text).toBe('A cat.')
    expectClean(upstream, 2)
    const count = JSON.stringify(upstream.bodies[1]).split(PNG).length - 1
    expect(count).toBe(client === 'openai-chat' ? 1 : 3)
  })

  test('an answer as JSON of a schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, degrees: { type: 'number' } },
      required: ['city', 'degrees'],
      additionalProperties: false,
    }
    const answer = { city: 'Paris', degrees: 18 }
    const upstream = nine.script(name, { text: JSON.stringify(answer) })
    const { text } = await open({ schema })({ text: 'The weather in Paris' })
    expect(JSON.parse(text)).toEqual(answer)
    expectClean(upstream, 1)
    const [body] = upstream.bodies
    const format = {
      anthropic: (body?.['output_config'] as { format?: unknown })?.format,
      openai: (body?.['response_format'] as { json_schema?: unknown })?.json_schema,
      responses: (body?.['text'] as { format?: unknown })?.format,
    }[name as 'anthropic']
    expect(format).toMatchObject({ schema })
  })
})

/** What clients send of their own accord, each in the words of its wire. */
const SETTINGS: Readonly<Record<WireName, object>> = {
  'anthropic-messages': {
    temperature: 0.5,
    top_k: 5,
    stop_sequences: ['THE END', '\n\nHuman:'],
    metadata: { user_id: 'u'.repeat(200) },
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    service_tier: 'auto',
  },
  'openai-chat': {
    temperature: 0,
    top_p: 0.9,
    stop: 'THE END',
    seed: 7,
    user: 'somebody',
    presence_penalty: 0.5,
    max_tokens: 10,
    parallel_tool_calls: false,
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
    metadata: { run: 'one' },
    store: false,
    verbosity: 'low',
    reasoning_effort: 'high',
  },
  'openai-responses': {
    temperature: 0.2,
    max_output_tokens: 10,
    truncation: 'auto',
    user: 'somebody',
    metadata: { run: 'one' },
    prompt_cache_key: 'key',
    service_tier: 'auto',
    parallel_tool_calls: false,
    tool_choice: 'required',
    text: { verbosity: 'low' },
    reasoning: { effort: 'high', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  },
}

const OTHER = pairs('anthropic', 'openai', 'deepseek', 'responses').filter(
  ([, { client, name }]) => UPSTREAM_WIRES[name] !== client,
)

test.each(OTHER)('%s: settings that the upstream has not are no 400', async (_, pair) => {
  const { client, name, stream } = pair
  const models = name === 'anthropic' ? [MODELS[name], 'claude-opus-4-8'] : [MODELS[name]]
  for (const model of models) {
    const upstream = nine.script(
      name,
      { calls: [weather('Paris')] },
      { text: 'Sun. THE END. More' },
    )
    const options = { model, stream, tools: TOOLS, more: SETTINGS[client], echo: 'plain' as const }
    const talk = TALKS[client](nine.place(client), options)
    const { calls } = await talk({ text: 'Paris' })
    const last = await talk({ results: calls.map(({ id }) => ({ id, text: 'Sun' })) })
    // Who can stop does so itself; for the others it is done here.
    const isStopped = client !== 'openai-responses' && name === 'responses'
    expect(last.text).toBe(isStopped ? 'Sun. ' : 'Sun. THE END. More')
    expectClean(upstream, 2)
    expect(JSON.stringify(upstream.bodies[0])).toMatch(/"required"|"any"|"name":"get_weather"\}/)
  }
})
