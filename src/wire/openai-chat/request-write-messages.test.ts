import { expect, test } from 'vitest'
import {
  assistant,
  call,
  messagesOf,
  result,
  user,
  write,
  written,
} from '../../../test/support/chat-request.ts'
import type { Part, TextPart } from '../../request/part.ts'

const say = (text: string): TextPart => ({ type: 'text', text })
const image: Part = {
  type: 'image',
  source: { type: 'inline', mediaType: 'image/png', data: 'AAAA' },
}

test('instructions are one string, in the role that the model knows', () => {
  const system = [say('one'), say('two')]
  expect(messagesOf({ system, turns: [] })).toEqual([{ role: 'system', content: 'one\n\ntwo' }])
  expect(messagesOf({ system, turns: [] }, { model: 'gpt-5' })).toEqual([
    { role: 'developer', content: 'one\n\ntwo' },
  ])
})

test('the line that Claude Code sends for its bills goes no further', () => {
  const system = [say('x-anthropic-billing-header: cc_version=1; cch=ab1;'), say('two')]
  const { body, losses } = written({ system, turns: [] })
  expect(body['messages']).toEqual([{ role: 'system', content: 'two' }])
  expect(losses).toEqual([])
})

test('marks of the cache are kept where the model takes them', () => {
  const marked = { ...say('a'), cache: { ttl: '1h' } }
  const turns = [{ role: 'user', parts: [marked] }] as const
  const { body, losses } = written({ system: [marked, say('b')], turns }, { model: 'gpt-5.6' })
  const part = { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } }
  expect(body['messages']).toEqual([
    { role: 'developer', content: [part, { type: 'text', text: 'b' }] },
    { role: 'user', content: [part] },
  ])
  expect(losses).toEqual(['approximated cache_control.ttl'])
  expect(messagesOf({ turns })).toEqual([{ role: 'user', content: 'a' }])
})

test('an instruction in the middle stays there', () => {
  const turns = [user('a'), { role: 'system', parts: [say('now')] }, user('b')] as const
  expect(messagesOf({ turns })).toMatchObject([
    { role: 'user' },
    { role: 'system', content: 'now' },
    { role: 'user' },
  ])
})

test('pieces of one text are joined, paragraphs stay apart', () => {
  const turns = [assistant(say('a'), say('b'), call('1'), say('c')), user('x')]
  expect(messagesOf({ turns })[0]).toMatchObject({ role: 'assistant', content: 'ab\n\nc' })
  const two = [assistant(say('a')), assistant(say('b')), user('x')]
  expect(messagesOf({ turns: two })[0]).toMatchObject({ content: 'a\n\nb' })
})

test('calls are answered right behind them, in their order, before anything else is said', () => {
  const turns = [
    assistant(call('1', { arguments: '' }), call('2')),
    { role: 'user', parts: [say('go on'), result('2'), result('1', { isError: true })] },
  ] as const
  expect(messagesOf({ turns })).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: '1', type: 'function', function: { name: 'read', arguments: '{}' } },
        { id: '2', type: 'function', function: { name: 'read', arguments: '{"a":1}' } },
      ],
    },
    { role: 'tool', tool_call_id: '1', content: 'Error: of 1' },
    { role: 'tool', tool_call_id: '2', content: 'of 2' },
    { role: 'user', content: 'go on' },
  ])
})

test('a failed result that says so itself does not say it twice', () => {
  const failed = { isError: true, parts: [say('Error: no such file')] }
  const turns = [assistant(call('1')), { role: 'user', parts: [result('1', failed)] }] as const
  expect(messagesOf({ turns })[1]).toMatchObject({ content: 'Error: no such file' })
})

test('pictures of results follow in one message behind all of them', () => {
  const shown = { parts: [say('look'), image] }
  const turns = [
    assistant(call('1'), call('2')),
    { role: 'user', parts: [result('1', shown), result('2', shown), say('well?')] },
  ] as const
  expect(messagesOf({ turns }, { vendor: 'other' }).slice(1)).toEqual([
    {
      role: 'tool',
      tool_call_id: '1',
      content: 'look\n[image 1 of this result: see the next user message]',
    },
    expect.objectContaining({ role: 'tool', tool_call_id: '2' }),
    {
      role: 'user',
      content: [
        say('well?'),
        say('From the result of the tool call 1:'),
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        say('From the result of the tool call 2:'),
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    },
  ])
})

test('documents are files or words, and those of elsewhere are refused', () => {
  const send = (source: object) =>
    write({
      turns: [{ role: 'user', parts: [{ type: 'document', title: 'T', source } as Part] }],
    })
  const inline = send({ type: 'inline', mediaType: 'application/pdf', data: 'AA' })
  expect(inline).toMatchObject({
    body: {
      messages: [
        { content: [{ file: { filename: 'T', file_data: 'data:application/pdf;base64,AA' } }] },
      ],
    },
  })
  expect(send({ type: 'text', text: 'words' })).toMatchObject({
    body: { messages: [{ content: 'T\n\nwords' }] },
  })
  for (const source of [
    { type: 'url', url: 'https://x.y' },
    { type: 'file', id: 'f' },
  ])
    expect(send(source)).toMatchObject({ ok: false, problem: { path: 'messages' } })
})

test('ids are what the server takes, the same for a call and its result', () => {
  const id = `chatcmpl-tool-${'0'.repeat(40)}`
  const turns = [assistant(call(id)), { role: 'user', parts: [result(id)] }] as const
  for (const [vendor, form] of [
    ['mistral', /^[a-zA-Z0-9]{9}$/],
    ['openai', /^call_[0-9a-f]{16}$/],
  ] as const) {
    const [made, answer] = messagesOf({ turns }, { vendor }) as [
      { tool_calls: { id: string }[] },
      { tool_call_id: string },
    ]
    expect(answer.tool_call_id).toMatch(form)
    expect(made.tool_calls[0]?.id).toBe(answer.tool_call_id)
  }
})

test('free text is a custom call where the server has one, else the string of a function', () => {
  const turns = [assistant(call('1', { dialect: 'custom', arguments: 'free' })), user('x')]
  expect(messagesOf({ turns })[0]).toMatchObject({
    tool_calls: [{ type: 'custom', custom: { name: 'read', input: 'free' } }],
  })
  expect(messagesOf({ turns }, { vendor: 'other' })[0]).toMatchObject({
    tool_calls: [{ type: 'function', function: { arguments: '{"input":"free"}' } }],
  })
})

test('arguments that broke off are still JSON', () => {
  const turns = [assistant(call('1', { arguments: '{"a":' })), user('x')]
  const { body, losses } = written({ turns })
  expect(body['messages']).toMatchObject([
    { tool_calls: [{ function: { arguments: '{"_raw":"{\\"a\\":"}' } }] },
    {},
    {},
  ])
  expect(losses).toContain('approximated arguments of read')
})

test('Gemini gets its signature back, or is told that a call has none', () => {
  const turns = [assistant(call('1'), call('2')), user('x')]
  const signatures = (recallExtra?: () => object): unknown => {
    const [made] = messagesOf({ turns }, {
      vendor: 'gemini',
      ...(recallExtra && { recallExtra }),
    } as never)
    const { tool_calls: calls } = made as { tool_calls: { extra_content?: unknown }[] }
    return calls.map((one) => one.extra_content)
  }
  expect(signatures()).toEqual([
    { google: { thought_signature: 'skip_thought_signature_validator' } },
    undefined,
  ])
  expect(signatures(() => ({ extra_content: 'own' }))).toEqual(['own', 'own'])
})

test('what only its vendor can say is told in words, or said to be lost', () => {
  const opaque = (fields: object): Part => ({
    type: 'opaque',
    what: 'server_tool_use web_search',
    vendor: {},
    ...fields,
  })
  const turns = [assistant(say('a'), opaque({ text: 'found b' }), opaque({})), user('x')]
  const { body, losses } = written({ turns })
  expect(body['messages']).toMatchObject([{ content: 'a\n\nfound b' }, {}])
  expect(losses).toEqual([
    'approximated server_tool_use web_search',
    'dropped server_tool_use web_search',
  ])
})

test('a step that comes to nothing is no message', () => {
  const thinking: Part = { type: 'thinking', text: 'hm', seal: undefined }
  expect(messagesOf({ turns: [user('a'), assistant(thinking), user('b')] })).toHaveLength(2)
})

test('the beginning of an answer is gone on with where the server can, and refused elsewhere', () => {
  const turns = [user('a'), assistant(say('So'))]
  expect(messagesOf({ turns }, { vendor: 'mistral' })[1]).toMatchObject({ prefix: true })
  expect(write({ turns })).toMatchObject({ ok: false, problem: { code: 'unsupported' } })
  const source = { wire: 'openai-responses', body: {} } as const
  expect(messagesOf({ turns, source })).toHaveLength(2)
})

test('DeepSeek gets strings', () => {
  const turns = [{ role: 'user', parts: [say('a'), say('b')] }] as const
  expect(messagesOf({ turns }, { vendor: 'deepseek' })).toMatchObject([{ content: 'a\n\nb' }])
  expect(messagesOf({ turns })).toMatchObject([{ content: [say('a'), say('b')] }])
})

test('a conversation that grows begins with the same messages', () => {
  const turns = [
    user('a'),
    assistant({ type: 'thinking', text: 'hm', seal: undefined }, say('b'), call('1'), call('2')),
    { role: 'user', parts: [result('2'), result('1', { parts: [image] }), say('c')] },
    { role: 'system', parts: [say('now')] },
    assistant(say('d')),
    user('e'),
  ] as const
  const system = [say('be brief')]
  for (const vendor of ['openai', 'deepseek', 'mistral', 'gemini', 'openrouter'] as const) {
    const whole = messagesOf({ system, turns }, { vendor })
    for (const length of [1, 3, 4]) {
      const before = messagesOf({ system, turns: turns.slice(0, length) }, { vendor })
      expect(JSON.stringify(whole.slice(0, before.length))).toBe(JSON.stringify(before))
    }
  }
})
