/**
 * Thinking over turns. A provider wants back what it thought before its calls, sealed as it was, from clients that
 * know nothing of it: some send back what they were given, some a piece of it, some nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import {
  expectClean,
  MODELS,
  pairs,
  startNine,
  TALKS,
  UPSTREAM_WIRES,
  type Nine,
  type Pair,
  type UpstreamName,
} from '../support/nine.ts'
import { TOOLS, type TalkOptions } from '../support/talk.ts'

let nine: Nine
beforeAll(async () => {
  nine = await startNine()
})
afterAll(() => nine.close())

const weather = (city: string) => ({ name: 'get_weather', args: { city } })

const FIRST = 'The question is about "Paris" and Rome.\n\nI ask one after the other — 先に。'
const TURNS = [
  { isCut: true, thinking: FIRST, text: 'Let me see.', calls: [weather('Paris')] },
  { thinking: 'Paris is known.', calls: [weather('Rome'), weather('Oslo')] },
  { calls: [weather('Bern')] },
  { thinking: 'All are known.', text: 'Rain.' },
  { thinking: 'Again.', calls: [weather('Paris')] },
  { text: 'Still rain.' },
]

interface Led {
  readonly client: WireName
  readonly name: UpstreamName
  readonly options: TalkOptions
}

/** Two questions, with loops of tools in each, and all of the history in every request. */
async function lead({ client, name, options }: Led): Promise<void> {
  const upstream = nine.script(name, ...TURNS)
  const talk = TALKS[client](nine.place(client), options)
  const thoughts: string[] = []
  let heard = await talk({ text: 'The weather in Paris, Rome, Oslo and Bern' })
  for (let turn = 1; turn < TURNS.length; turn++) {
    thoughts.push(heard.thinking)
    const results = heard.calls.map(({ id }) => ({ id, text: 'Rain' })).toReversed()
    heard = await talk(results.length > 0 ? { results } : { text: 'And Paris once more?' })
  }
  expect(heard.text).toBe('Still rain.')
  expectClean(upstream, TURNS.length)
  expect(thoughts).toEqual(TURNS.slice(0, -1).map(({ thinking }) => thinking ?? ''))
}

/** On its own wire nothing is put in that the client left out. */
const echoesOf = ({ client, name }: Pair): readonly NonNullable<TalkOptions['echo']>[] => {
  if (client !== 'openai-chat') return ['sdk']
  return UPSTREAM_WIRES[name] === client ? ['collected'] : ['sdk', 'plain', 'collected']
}

describe.each(pairs('anthropic', 'deepseek', 'responses'))('%s', (_, pair) => {
  const { client, name, stream } = pair
  test.each(echoesOf(pair))('what the client sends back: %s', async (echo) => {
    const options = { model: MODELS[name], stream, tools: TOOLS, thinking: true, echo }
    await lead({ client, name, options })
  })
})

describe('a model that decides itself how hard it thinks', () => {
  test.each(pairs('anthropic').filter(([, { client }]) => client !== 'anthropic-messages'))(
    '%s',
    async (_, { client, name, stream }) => {
      const options = { model: 'claude-opus-4-8', stream, tools: TOOLS, thinking: true }
      await lead({ client, name, options: { ...options, echo: 'plain' } })
      expect(nine.upstreams.anthropic.bodies[0]).toMatchObject({
        thinking: { type: 'adaptive' },
        output_config: { effort: 'medium' },
      })
    },
  )
})

describe('a model that thinks between its words and its calls', () => {
  test.each(pairs('anthropic', 'responses'))('%s', async (_, { client, name, stream }) => {
    const upstream = nine.script(
      name,
      {
        steps: [
          { thinking: 'First I say it.' },
          { text: 'I look.' },
          { thinking: 'Now Paris.' },
          { call: weather('Paris') },
          { call: weather('Rome') },
        ],
      },
      { steps: [{ thinking: 'Hm.' }, { thinking: 'Hm again.' }, { call: weather('Oslo') }] },
      // Nothing to see of it, and it must come back all the same.
      { steps: [{ thinking: '' }, { call: weather('Bern') }] },
      {
        steps: [{ thinking: '' }, { thinking: 'Hm.' }, { text: 'So.' }, { call: weather('Wien') }],
      },
      { text: 'Rain.' },
    )
    const options = { model: MODELS[name], stream, tools: TOOLS, thinking: true }
    const talk = TALKS[client](nine.place(client), options)
    let heard = await talk({ text: 'The weather' })
    for (let turn = 0; turn < 4; turn++)
      heard = await talk({ results: heard.calls.map(({ id }) => ({ id, text: 'Rain' })) })
    expect(heard.text).toBe('Rain.')
    expectClean(upstream, 5)
  })
})

describe('a route that leads elsewhere in the middle of a loop, and back', () => {
  const names = ['anthropic', 'deepseek', 'responses'] as const
  const streams = pairs(...names).filter(([, { stream }]) => stream)
  const ways = streams.flatMap(([title, pair]) =>
    names
      .filter((to) => to !== pair.name)
      .map((to): [string, Pair, typeof to] => {
        return [`${title}, then ${to}`, pair, to]
      }),
  )
  test.each(ways)('%s', async (_, { client, name, stream }, to) => {
    const turn = (city: string) => ({ thinking: `Now ${city}.`, calls: [weather(city)] })
    const here = nine.script(name, turn('Paris'), turn('Bern'), { text: 'Rain.' })
    const there = nine.script(to, turn('Rome'), turn('Oslo'))
    const echo = 'collected' as const
    const options = { model: MODELS[name], stream, tools: TOOLS, thinking: true, echo }
    const talk = TALKS[client](nine.place(client), options)
    let heard = await talk({ text: 'The weather' })
    for (const next of [to, to, name, name]) {
      Object.assign(options, { model: MODELS[next] })
      heard = await talk({ results: heard.calls.map(({ id }) => ({ id, text: 'Rain' })) })
    }
    expect(heard.text).toBe('Rain.')
    expectClean(here, 3)
    expectClean(there, 2)
  })
})
