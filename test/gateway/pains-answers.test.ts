/**
 * What users of other gateways suffer, as far as it is in the answers: one test for each pain, by its number.
 * Those of policies are in `pains-policies.test.ts`.
 */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import type { StreamState } from '../../src/block/state.ts'
import { withCrossing } from '../support/crossing.ts'
import { judge } from '../support/judge.ts'
import { callChunk, chatData, chunk, DONE, sayStream } from '../support/spoken.ts'

const CHAT = 'openai-chat'
const MESSAGES = 'anthropic-messages'
const RESPONSES = 'openai-responses'
const SDKS = { Anthropic, OpenAI }
const HEAD = { id: 'call_1', type: 'function' }

const callsOf = ({ blocks }: StreamState): unknown[] =>
  blocks.flatMap((block) => (block.type === 'tool-call' ? [[block.name, block.args()]] : []))

const kindsOf = ({ blocks }: StreamState): string[] => blocks.map(({ type }) => type)

test('pain 2: thinking, text and calls that alternate stay a legal message for the SDK', async () => {
  await withCrossing({ wire: CHAT, vendor: 'vllm', model: 'local' }, async (crossing) => {
    const body = [
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'One.' }),
      chunk({ reasoning_content: 'And.' }),
      callChunk(0, { name: 'run', arguments: '{"a":1}' }, HEAD),
      chunk({ content: 'Two.' }),
      chunk({}, 'tool_calls'),
      DONE,
    ].join('')
    crossing.upstream.always({ body, cuts: [40, 200, 201, 333] })
    const { state } = await crossing.stream(MESSAGES)
    expect(kindsOf(state)).toEqual(['thinking', 'text', 'thinking', 'tool-call', 'text'])
    const seen = await judge(MESSAGES, `${crossing.gateway.url}/v1`, SDKS)
    expect(seen).toMatchObject({ text: 'One.Two.', thinking: 'Hm.And.', finish: 'tool_use' })
    expect(seen.error).toBeUndefined()
  })
})

test.each([
  [
    'whole in the first chunk',
    [callChunk(0, { name: 'run', arguments: '{"cmd":"ls -la"}' }, HEAD), chunk({}, 'tool_calls')],
  ],
  [
    'with the finish',
    [
      callChunk(0, { name: 'run', arguments: '' }, HEAD),
      chunk(
        { tool_calls: [{ index: 0, function: { arguments: '{"cmd":"ls -la"}' } }] },
        'tool_calls',
      ),
    ],
  ],
  [
    'in pieces that all repeat the id',
    [
      callChunk(0, { name: 'run', arguments: '{"cmd":' }, HEAD),
      callChunk(0, { arguments: '"ls ' }, HEAD),
      callChunk(0, { arguments: '-la"}' }, HEAD),
      chunk({}, 'tool_calls'),
    ],
  ],
])('pain 4: arguments that come %s are delivered whole', async (_where, frames) => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    crossing.upstream.always({ body: [...frames, DONE].join('') })
    for (const client of [MESSAGES, RESPONSES] as const) {
      const { state } = await crossing.stream(client)
      expect(callsOf(state)).toEqual([['run', { cmd: 'ls -la' }]])
    }
    const seen = await judge(MESSAGES, `${crossing.gateway.url}/v1`, SDKS)
    expect(seen.calls).toEqual([{ id: 'call_1', name: 'run', arguments: '{"cmd":"ls -la"}' }])
  })
})

test('pain 5: parallel calls whose pieces come in turn are kept apart', async () => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    const heads = ['a', 'b', 'c'].map((name, i) =>
      callChunk(i, { name, arguments: '' }, { id: `call_${name}`, type: 'function' }),
    )
    const pieces = ['{"of":', '"me', '"}'].flatMap((piece, round) =>
      [2, 0, 1].map((i) => callChunk(i, { arguments: round === 1 ? `"${i}` : piece })),
    )
    crossing.upstream.always({
      body: [...heads, ...pieces, chunk({}, 'tool_calls'), DONE].join(''),
    })
    for (const client of [MESSAGES, RESPONSES] as const) {
      const { state } = await crossing.stream(client)
      expect(callsOf(state)).toEqual([
        ['a', { of: '0' }],
        ['b', { of: '1' }],
        ['c', { of: '2' }],
      ])
    }
  })
})

test('pain 8: the input is estimated at the start and told truly at the end', async () => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    const usage = { input: 900, cached: 600, output: 7 }
    crossing.upstream.always({ body: sayStream(CHAT, { pieces: [{ text: 'Yes.' }], usage }) })
    const { text } = await crossing.stream(MESSAGES, {
      messages: [{ role: 'user', content: 'word '.repeat(800) }],
    })
    const [start] = /"usage":\{[^}]*"input_tokens":(\d+)/.exec(text)?.slice(1) ?? []
    expect(Number(start)).toBeGreaterThan(500)
    expect(Number(start)).toBeLessThan(2000)
    const seen = await judge(MESSAGES, `${crossing.gateway.url}/v1`, SDKS)
    expect(seen.usage).toMatchObject({
      input_tokens: 300,
      cache_read_input_tokens: 600,
      output_tokens: 7,
    })
    expect(crossing.sent(0)['stream_options']).toEqual({ include_usage: true })
  })
})

test('pain 11: a call goes on as a call, although its server says "stop"', async () => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    const call = callChunk(0, { name: 'run', arguments: '{}' }, HEAD)
    crossing.upstream.always({ body: [call, chunk({}, 'stop'), DONE].join('') })
    const { state } = await crossing.stream(MESSAGES)
    expect(state.finishReason).toBe('tool-calls')
    const { json } = await crossing.json(MESSAGES, { stream: false })
    expect(json['stop_reason'] ?? json['error']).toBe('tool_use')
  })
})

test('pain 11: "tool_calls" without a call is a plain end', async () => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    crossing.upstream.always({
      body: [chunk({ content: 'Done.' }), chunk({}, 'tool_calls'), DONE].join(''),
    })
    const { text } = await crossing.stream(MESSAGES)
    expect(text).toContain('"stop_reason":"end_turn"')
  })
})

test('pain 12: a call that was cut off is never told as a finished one', async () => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    const call = callChunk(0, { name: 'run', arguments: '{"cmd":"rm -rf /tmp/a' }, HEAD)
    crossing.upstream.always({ body: [call, chunk({}, 'length'), DONE].join('') })
    const messages = await crossing.stream(MESSAGES)
    expect(messages.text).toContain('"stop_reason":"max_tokens"')
    const responses = await crossing.stream(RESPONSES)
    expect(responses.text).toContain('"type":"response.incomplete"')
    // What Codex runs is an item that is done.
    const done = responses.text.split('\n\n').filter((frame) => frame.includes('output_item.done'))
    for (const frame of done) expect(frame).not.toContain('"status":"completed"')
  })
})

test.each([MESSAGES, CHAT] as const)(
  'pain 20: a model behind %s gives Codex the whole life of a response, and its patch tool back',
  async (wire) => {
    await withCrossing({ wire }, async (crossing) => {
      const patch = '*** Begin Patch\n*** Add File: a.txt\n+"hi" \\ ü\n*** End Patch\n'
      const args = JSON.stringify({ input: patch })
      crossing.upstream.always({
        body: sayStream(wire, {
          pieces: [{ text: 'Now.' }, { call: 'apply_patch', id: 'c1', args }],
        }),
      })
      const tools = [
        {
          type: 'custom',
          name: 'apply_patch',
          description: 'Edits files',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
        },
        { type: 'function', name: 'run', parameters: { type: 'object', properties: {} } },
      ]
      const input = [
        {
          type: 'message',
          role: 'developer',
          content: [{ type: 'input_text', text: 'Be brief.' }],
        },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
      ]
      const { text } = await crossing.stream(RESPONSES, { tools, input, instructions: 'You code.' })
      const events = [...text.matchAll(/^data: (.*)$/gm)].map(
        ([, data]) => JSON.parse(data ?? '') as Record<string, unknown>,
      )
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()])
      expect(events.at(-1)).toMatchObject({
        type: 'response.completed',
        response: {
          output: [
            { type: 'message' },
            { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: patch },
          ],
        },
      })
      const done = events.filter(({ type }) => type === 'response.output_item.done')
      expect(done).toMatchObject([{}, { item: { type: 'custom_tool_call', input: patch } }])
      crossing.sent(0)
    })
  },
)

test('pain 22: cached and reasoning tokens are counted once, in each client’s own way', async () => {
  await withCrossing({ wire: MESSAGES }, async (crossing) => {
    const usage = { input: 1000, cached: 800, output: 50 }
    crossing.upstream.always({ body: sayStream(MESSAGES, { pieces: [{ text: 'Yes.' }], usage }) })
    const chat = await judge(CHAT, `${crossing.gateway.url}/v1`, SDKS)
    const { text } = await crossing.stream(CHAT, { stream_options: { include_usage: true } })
    expect(chat.error).toBeUndefined()
    expect(text).toMatch(/"prompt_tokens":1000,.*"cached_tokens":800/)
    const seen = await judge(RESPONSES, `${crossing.gateway.url}/v1`, SDKS)
    expect(seen.usage).toMatchObject({
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 800 },
      output_tokens: 50,
      total_tokens: 1050,
    })
  })
  await withCrossing({ wire: CHAT }, async (crossing) => {
    const body = [
      chunk({ content: 'Yes.' }),
      chunk({}, 'stop'),
      chatData({
        choices: [],
        usage: {
          prompt_tokens: 1000,
          completion_tokens: 50,
          total_tokens: 1050,
          prompt_tokens_details: { cached_tokens: 800 },
          completion_tokens_details: { reasoning_tokens: 40 },
        },
      }),
      DONE,
    ].join('')
    crossing.upstream.always({ body })
    const seen = await judge(MESSAGES, `${crossing.gateway.url}/v1`, SDKS)
    expect(seen.usage).toMatchObject({
      input_tokens: 200,
      cache_read_input_tokens: 800,
      output_tokens: 50,
    })
  })
})

test('pain 25: an empty text is not opened as a block, and one that was stored is left out', async () => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    const call = callChunk(0, { name: 'run', arguments: '{}' }, HEAD)
    const body = [
      chunk({ content: '' }),
      call,
      chunk({ content: '' }),
      chunk({}, 'tool_calls'),
      DONE,
    ]
    crossing.upstream.always({ body: body.join('') })
    const { state } = await crossing.stream(MESSAGES)
    expect(kindsOf(state)).toEqual(['tool-call'])
  })
  await withCrossing({ wire: MESSAGES }, async (crossing) => {
    crossing.upstream.always({ body: sayStream(MESSAGES, { pieces: [{ text: 'Yes.' }] }) })
    await crossing.stream(CHAT, {
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: '' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'On.' },
          ],
        },
      ],
    })
    expect(JSON.stringify(crossing.sent(0)['messages'])).not.toContain('"text":""')
  })
})
