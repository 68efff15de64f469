/**
 * Further SDKs on upstreams of other wires than their own, on the newer Node that they need: other releases of the
 * official ones, the AI SDK, LangChain and OpenAI's Agents SDK. Each leads its conversation in its own way, and the
 * provider takes every request.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import {
  expectClean,
  MODELS,
  startNine,
  UPSTREAM_WIRES,
  type Nine,
  type UpstreamName,
} from '../support/nine.ts'
import { noChild, startSdkChild } from '../support/sdk-child.ts'
import type { ScriptedTurn } from '../support/scripted.ts'

const child = await startSdkChild()
let nine: Nine
beforeAll(async () => {
  nine = await startNine()
})
afterAll(async () => {
  child?.close()
  await nine.close()
})

const CITIES = ['Paris', 'Rome', 'Oslo']
const weather = (city: string) => ({ name: 'get_weather', args: { city } })
const calls = CITIES.map((city) => ({ name: 'get_weather', arguments: { city } }))
const RAIN = 'Rain in all of them.'

/** `isThought`: where the model thinks before it calls. */
const loop = (isThought: boolean): ScriptedTurn[] => [
  ...CITIES.map((city) => ({
    ...(isThought ? { thinking: `Now ${city}.` } : {}),
    calls: [weather(city)],
  })),
  { text: RAIN },
]
const SCRIPTS: Readonly<Record<string, (isThought: boolean) => ScriptedTurn[]>> = {
  'text by stream': () => [{ text: RAIN }],
  'tool loop by stream': loop,
  'tool loop as JSON': loop,
  'parallel tools by stream': () => [
    { text: 'All three.', calls: CITIES.map((city) => weather(city)) },
    { text: RAIN },
  ],
  'parallel tools as JSON': () => [{ calls: CITIES.map((city) => weather(city)) }, { text: RAIN }],
  'thinking by stream': () => [
    { thinking: 'Which one?', text: 'The second.' },
    { thinking: 'The other.', text: RAIN },
  ],
}

const withoutThinking = (turn: ScriptedTurn): ScriptedTurn => {
  const { thinking: _, ...rest } = turn
  return rest
}

const othersOf = (wire: WireName): UpstreamName[] =>
  (['anthropic', 'openai', 'deepseek', 'responses'] as const).filter(
    (name) => UPSTREAM_WIRES[name] !== wire,
  )

for (const { name: sdk, wire, flows } of child?.sdks ?? [])
  describe.each(othersOf(wire))(`${sdk} on %s`, (name) => {
    // The other provider of Chat is led through everything.
    const isBrief = name === 'openai'
    const cases = flows.filter(
      (flow) =>
        flow in SCRIPTS &&
        (!isBrief || flow.endsWith('tools by stream') || flow === 'tool loop as JSON'),
    )
    test.each(cases)('%s', async (flow) => {
      // OpenAI tells nothing of what it thought on Chat.
      const turns = SCRIPTS[flow]?.(name !== 'openai') ?? []
      const upstream = nine.script(
        name,
        ...(name === 'openai' ? turns.map(withoutThinking) : turns),
      )
      const outcome = await child?.run(sdk, flow, { ...nine.place(wire), model: MODELS[name] })
      expectClean(upstream, turns.length)
      const expected = /tool/.test(flow) ? calls : []
      expect(outcome).toMatchObject({ type: 'said', said: { calls: expected } })
      expect(outcome?.type === 'said' ? outcome.said.text : '').toContain(RAIN)
    })
  })

test.skipIf(child === undefined)(
  'the AI SDK refers to items, which it takes for stored',
  async () => {
    // Why the loops above hold on other wires: without a gateway this is what it sends.
    const upstream = nine.script('responses', ...loop(true))
    const place = { baseUrl: upstream.url, apiKey: 'sk', model: MODELS.responses }
    await child?.run('AI SDK 7 responses', 'tool loop as JSON', place)
    expect(JSON.stringify(upstream.bodies[1])).toContain('"type":"item_reference"')
  },
)

test.skipIf(child !== undefined)(`further SDKs are not tried: ${noChild}`, (context) => {
  context.skip()
})
