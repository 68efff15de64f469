/**
 * What users of other gateways suffer, as far as it is in the turns that follow: what the model sealed, which call
 * has which result, what clients keep and send again. One test for each pain, by its number; the first lines of
 * `pains-answers.test.ts` say which have none yet.
 */
import { expect, test } from 'vitest'
import { toObjects, type Json } from '../support/api-rules.ts'
import { withCrossing } from '../support/crossing.ts'
import { callChunk, chunk, DONE, JSON_TYPE, reply, sayStream } from '../support/spoken.ts'

const CHAT = 'openai-chat'
const MESSAGES = 'anthropic-messages'
const RESPONSES = 'openai-responses'
const RUN = { name: 'run', description: 'Runs', input_schema: { type: 'object', properties: {} } }
const USER = { role: 'user', content: 'Go.' }
const call = (id: string): Json => ({ type: 'tool_use', id, name: 'run', input: {} })
const result = (id: string, content: unknown = 'ok'): Json => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})

/** Blocks or items of that type, wherever they stand in the conversation. */
const findAll = (body: Json, type: string): Json[] =>
  [...toObjects(body['messages']), ...toObjects(body['input'])].flatMap((entry) =>
    [entry, ...toObjects(entry['content'])].filter((one) => one['type'] === type),
  )

test('pain 6: a signature comes back to its vendor to the letter, through a client that knows none', async () => {
  const seal = 'EqQBCkgIARABGAIiQL+/=='
  await withCrossing({ wire: MESSAGES }, async (crossing) => {
    const { upstream, stream, sent } = crossing
    const pieces = [
      { thinking: 'I  think\n"so". ', seal },
      { call: 'run', id: 'toolu_1', args: '{}' },
    ]
    upstream.always({ body: sayStream(MESSAGES, { pieces }) })
    const tools = [
      { type: 'function', name: 'run', parameters: { type: 'object', properties: {} } },
    ]
    const reasoning = { effort: 'medium', summary: 'auto' }
    const ask = { tools, reasoning, store: false, include: ['reasoning.encrypted_content'] }
    const { text } = await stream(RESPONSES, { ...ask, input: [USER] })
    const items = [...text.matchAll(/^data: (\{"type":"response\.output_item\.done".*)$/gm)].map(
      ([, data]) => (JSON.parse(data ?? '') as { item: Json }).item,
    )
    const output = { type: 'function_call_output', call_id: 'toolu_1', output: 'ok' }
    await stream(RESPONSES, { ...ask, input: [USER, ...items, output] })
    expect(findAll(sent(1), 'thinking')).toEqual([
      { type: 'thinking', thinking: 'I  think\n"so". ', signature: seal },
    ])
  })
})

test('pain 6: when its vendor does not know a seal any more, it is asked once without', async () => {
  await withCrossing({ wire: MESSAGES }, async ({ upstream, stream, sent }) => {
    const pieces = [{ thinking: 'Hm.', seal: 'EqQB' }, { text: 'Yes.' }]
    upstream.next({ body: sayStream(MESSAGES, { pieces }) })
    const { text } = await stream(RESPONSES, { input: [USER], reasoning: { effort: 'low' } })
    const { response } = JSON.parse(text.slice(text.lastIndexOf('data: ') + 6)) as {
      response: { output: Json[] }
    }
    const error = {
      type: 'invalid_request_error',
      message: 'Invalid `signature` in `thinking` block',
    }
    upstream.next({
      status: 400,
      headers: JSON_TYPE,
      body: JSON.stringify({ type: 'error', error }),
    })
    upstream.next({ body: sayStream(MESSAGES, { pieces: [{ text: 'Again.' }] }) })
    const again = await stream(RESPONSES, { input: [USER, ...response.output, USER] })
    expect(again.state.blocks).toMatchObject([{ type: 'text', text: 'Again.' }])
    expect([1, 2].map((at) => findAll(sent(at), 'thinking').length)).toEqual([1, 0])
    expect(upstream.requests.length).toBe(3)
  })
})

test('pain 7: DeepSeek gets the thinking of its calls back, from a client that has no field for it', async () => {
  await withCrossing(
    { wire: CHAT, vendor: 'deepseek', model: 'deepseek-chat' },
    async (crossing) => {
      const body = [
        chunk({ reasoning_content: 'Let me look.' }),
        callChunk(0, { name: 'run', arguments: '{}' }, { id: 'call_1', type: 'function' }),
        chunk({}, 'tool_calls'),
        DONE,
      ].join('')
      crossing.upstream.always({ body })
      const ask = {
        tools: [RUN],
        thinking: { type: 'enabled', budget_tokens: 2000 },
        max_tokens: 9000,
      }
      const { state } = await crossing.stream(MESSAGES, { ...ask, messages: [USER] })
      const [thinking] = state.blocks
      if (thinking?.type !== 'thinking') throw new Error('No thinking came')
      const content = [
        { type: 'thinking', thinking: thinking.text, signature: thinking.signature },
        call('call_1'),
      ]
      const messages = [
        USER,
        { role: 'assistant', content },
        { role: 'user', content: [result('call_1')] },
      ]
      await crossing.stream(MESSAGES, { ...ask, messages })
      const [answer] = toObjects(crossing.sent(1)['messages']).filter(
        ({ role }) => role === 'assistant',
      )
      expect(answer?.['reasoning_content']).toBe('Let me look.')
    },
  )
})

test('pain 7: Gemini gets the signature of its call back, from a client that knows only the id', async () => {
  const extra_content = { google: { thought_signature: 'c2ln' } }
  await withCrossing({ wire: CHAT, vendor: 'gemini', model: 'gemini-3-pro' }, async (crossing) => {
    const head = { id: 'call_1', type: 'function', extra_content }
    const body = [
      callChunk(0, { name: 'run', arguments: '{}' }, head),
      chunk({}, 'tool_calls'),
      DONE,
    ]
    crossing.upstream.always({ body: body.join('') })
    await crossing.stream(MESSAGES, { tools: [RUN], messages: [USER] })
    const messages = [
      USER,
      { role: 'assistant', content: [call('call_1')] },
      { role: 'user', content: [result('call_1')] },
    ]
    await crossing.stream(MESSAGES, { tools: [RUN], messages })
    const [answer] = toObjects(crossing.sent(1)['messages']).filter(
      ({ role }) => role === 'assistant',
    )
    expect(answer?.['tool_calls']).toMatchObject([{ id: 'call_1', extra_content }])
  })
})

test('pain 7: what OpenAI encrypted comes back whole, and a client on Messages never sees why', async () => {
  await withCrossing({ wire: RESPONSES }, async ({ upstream, stream, sent }) => {
    const seal = `gAAAA${'b'.repeat(400)}`
    const pieces = [
      { thinking: 'Hm.', seal },
      { call: 'run', id: 'call_1', args: '{}' },
    ]
    upstream.answer((request) => reply(RESPONSES, { pieces }, request))
    const ask = {
      tools: [RUN],
      thinking: { type: 'enabled', budget_tokens: 2000 },
      max_tokens: 9000,
    }
    const { state } = await stream(MESSAGES, { ...ask, messages: [USER] })
    const content = state.blocks.map((block) =>
      block.type === 'thinking'
        ? { type: 'thinking', thinking: block.text, signature: block.signature }
        : call('call_1'),
    )
    const messages = [
      USER,
      { role: 'assistant', content },
      { role: 'user', content: [result('call_1')] },
    ]
    await stream(MESSAGES, { ...ask, messages })
    expect(findAll(sent(1), 'reasoning')).toMatchObject([{ encrypted_content: seal }])
    expect(sent(1)['include']).toContain('reasoning.encrypted_content')
  })
})

test.each([CHAT, RESPONSES] as const)(
  'pain 18: orphaned, doubled and missing results are put right before %s sees them',
  async (wire) => {
    await withCrossing({ wire }, async ({ upstream, stream, sent, gateway }) => {
      upstream.answer((request) => reply(wire, { pieces: [{ text: 'Yes.' }] }, request))
      const messages = [
        {
          role: 'user',
          content: [result('toolu_gone', 'from before'), { type: 'text', text: 'Go.' }],
        },
        { role: 'assistant', content: [call('toolu_1'), call('toolu_2')] },
        { role: 'user', content: [result('toolu_1'), result('toolu_1', 'again')] },
      ]
      const { headers } = await stream(MESSAGES, { tools: [RUN], messages })
      const said = JSON.stringify(sent(0))
      expect(said).toContain('from before')
      expect(said).toContain('No result was recorded')
      expect(headers['x-sluice-losses']).toMatch(/orphaned.*duplicate|duplicate.*orphaned/)
      expect((await gateway.report(0)).losses?.length).toBeGreaterThan(2)
    })
  },
)

test.each([
  [MESSAGES, undefined],
  [CHAT, 'mistral'],
  [RESPONSES, undefined],
] as const)(
  'pain 19: ids of any form become ids that %s %s takes, on both sides',
  async (wire, vendor) => {
    const model = vendor === 'mistral' ? { vendor, model: 'mistral-large-latest' } : {}
    await withCrossing({ wire, ...model }, async ({ upstream, stream, sent }) => {
      upstream.answer((request) => reply(wire, { pieces: [{ text: 'Yes.' }] }, request))
      const ids = ['Bash:0', 'call_1|fc_2', `call_${'x'.repeat(90)}`, 'Bash:0']
      const messages = ids.flatMap((id, at): Json[] =>
        wire === CHAT
          ? [
              { role: 'assistant', content: [call(id)] },
              { role: 'user', content: [result(id, `result ${at}`)] },
            ]
          : [
              {
                role: 'assistant',
                content: null,
                tool_calls: [{ id, type: 'function', function: { name: 'run', arguments: '{}' } }],
              },
              { role: 'tool', tool_call_id: id, content: `result ${at}` },
            ],
      )
      const fn = { name: 'run', parameters: { type: 'object', properties: {} } }
      const tools = wire === CHAT ? [RUN] : [{ type: 'function', function: fn }]
      await stream(wire === CHAT ? MESSAGES : CHAT, { tools, messages: [USER, ...messages] })
      // The rules have looked at form, order and pairs; what is left is that no result went missing.
      const said = JSON.stringify(sent(0))
      for (const at of ids.keys()) expect(said).toContain(`result ${at}`)
    })
  },
)

test.each([MESSAGES, RESPONSES] as const)(
  'pain 19: ids that a server counts anew with every turn are told apart for %s, which would refuse them',
  async (client) => {
    await withCrossing({ wire: CHAT }, async ({ upstream, stream, json }) => {
      const pieces = [{ call: 'run', id: 'call_0', args: '{}' }]
      upstream.answer((request) => reply(CHAT, { pieces }, request))
      const before = ['call_0', 'call_0_1'].flatMap((id): Json[] =>
        client === MESSAGES
          ? [
              { role: 'assistant', content: [call(id)] },
              { role: 'user', content: [result(id)] },
            ]
          : [
              { type: 'function_call', call_id: id, name: 'run', arguments: '{}' },
              { type: 'function_call_output', call_id: id, output: 'ok' },
            ],
      )
      const history = [USER, ...before]
      const body = client === MESSAGES ? { tools: [RUN], messages: history } : { input: history }
      const { state } = await stream(client, body)
      expect(state.blocks.map(({ id }) => id)).toEqual(['call_0_2'])
      const told = JSON.stringify((await json(client, body)).json)
      expect(told).toContain('"call_0_2"')
    })
  },
)

test('pain 24: a system message in the middle stays in its place, and takes the form that each server knows', async () => {
  const messages = [
    USER,
    { role: 'assistant', content: 'Well.' },
    { role: 'user', content: 'On.' },
    { role: 'system', content: 'From now on be brief.' },
  ]
  for (const [wire, role] of [
    [CHAT, 'system'],
    [RESPONSES, 'developer'],
  ] as const)
    await withCrossing({ wire }, async ({ upstream, stream, sent }) => {
      upstream.answer((request) => reply(wire, { pieces: [{ text: 'Yes.' }] }, request))
      await stream(MESSAGES, { messages })
      const last = toObjects(sent(0)[wire === CHAT ? 'messages' : 'input']).at(-1)
      expect(last?.['role']).toBe(role)
      expect(JSON.stringify(last)).toContain('From now on be brief.')
    })
})

test('pain 28: an image in a result reaches the model as an image', async () => {
  const data = 'iVBORw0KGgo='
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
  const messages = [
    USER,
    { role: 'assistant', content: [call('toolu_1'), call('toolu_2')] },
    { role: 'user', content: [result('toolu_1', [image]), result('toolu_2')] },
  ]
  for (const wire of [CHAT, RESPONSES] as const)
    await withCrossing({ wire }, async ({ upstream, stream, sent }) => {
      upstream.answer((request) => reply(wire, { pieces: [{ text: 'Yes.' }] }, request))
      await stream(MESSAGES, { tools: [RUN], messages })
      expect(JSON.stringify(sent(0))).toContain(`data:image/png;base64,${data}`)
    })
})
