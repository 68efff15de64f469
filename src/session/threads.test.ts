import { expect, test } from 'vitest'
import type { JsonObject } from '../base/json.ts'
import { createSessions, type Sessions } from './sessions.ts'

const now = (): number => 0

const user = (text: string): JsonObject => ({ role: 'user', content: [{ type: 'text', text }] })

const assistant = (text: string): JsonObject => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
})

const goOn = (previous_message_id: string): JsonObject => ({
  type: 'continue',
  previous_message_id,
})

function keep(sessions: Sessions, id: string, requestBody: JsonObject, message: JsonObject): void {
  sessions.keepAnswer('ann', {
    id,
    wire: 'anthropic-messages',
    requestBody,
    outputItems: [message],
  })
}

const FIRST = {
  model: 'm',
  system: 'be kind',
  tools: [{ name: 'f' }],
  messages: [user('a')],
  thread: { type: 'create' },
}

test('a new thread is the request without it', () => {
  const { thread: _thread, ...rest } = FIRST
  expect(createSessions({ now }).expandThread('ann', FIRST)).toEqual({ ok: true, body: rest })
})

test('releases of the SDK that know no threads pass on that none is wanted', () => {
  const { thread: _thread, ...rest } = FIRST
  const expanded = createSessions({ now }).expandThread('ann', { ...rest, thread: false })
  expect(expanded).toEqual({ ok: true, body: rest })
})

test('a request without a thread stays the same object and is not kept', () => {
  const sessions = createSessions({ now })
  const { thread: _thread, ...rest } = FIRST
  const expanded = sessions.expandThread('ann', rest)
  expect(expanded.ok && expanded.body).toBe(rest)
  keep(sessions, 'msg_1', rest, assistant('b'))
  expect(sessions.size().entries).toBe(0)
})

test('a thread that goes on has its system, its tools and every message before', () => {
  const sessions = createSessions({ now })
  keep(sessions, 'msg_1', FIRST, assistant('b'))
  const second = { model: 'n', max_tokens: 9, messages: [user('c')], thread: goOn('msg_1') }
  keep(sessions, 'msg_2', second, assistant('d'))
  const third = { model: 'n', max_tokens: 8, messages: [user('e')], thread: goOn('msg_2') }
  expect(sessions.expandThread('ann', third)).toEqual({
    ok: true,
    body: {
      model: 'n',
      max_tokens: 8,
      system: 'be kind',
      tools: [{ name: 'f' }],
      messages: [user('a'), assistant('b'), user('c'), assistant('d'), user('e')],
    },
  })
})

test('system and tools that are said again hold from there on', () => {
  const sessions = createSessions({ now })
  keep(sessions, 'msg_1', FIRST, assistant('b'))
  const second = { messages: [], thread: goOn('msg_1'), system: 'be brief' }
  keep(sessions, 'msg_2', second, assistant('c'))
  const expanded = sessions.expandThread('ann', { messages: [], thread: goOn('msg_2') })
  expect(expanded).toMatchObject({ body: { system: 'be brief', tools: [{ name: 'f' }] } })
})

test('cache marks of earlier turns are not brought along: a request takes only four', () => {
  const sessions = createSessions({ now })
  const cache_control = { type: 'ephemeral' }
  const result = (mark: object): JsonObject => ({
    role: 'user',
    content: [{ type: 'tool_result', content: [{ type: 'text', text: 'a', ...mark }], ...mark }],
  })
  const messages = [result({ cache_control })]
  keep(sessions, 'msg_1', { ...FIRST, messages }, assistant('b'))
  const expanded = sessions.expandThread('ann', { messages, thread: goOn('msg_1') })
  expect(expanded).toMatchObject({ ok: true })
  expect(expanded.ok && expanded.body['messages']).toEqual([
    result({}),
    assistant('b'),
    result({ cache_control }),
  ])
})

test('a thread that is not here makes the client send everything', () => {
  const body = { messages: [user('c')], thread: goOn('msg_9') }
  expect(createSessions({ now }).expandThread('ann', body)).toEqual({
    ok: false,
    code: 'thread_not_found',
    status: 404,
    error: {
      type: 'error',
      error: {
        type: 'not_found_error',
        message: 'No thread is kept here that ends with "msg_9": send the whole conversation',
        details: { error_code: 'thread_not_found' },
      },
    },
  })
})

test.each([7, 'create', [], {}, { type: 'fork' }, { type: 'continue' }, goOn('')])(
  'a thread that we do not know makes the client go on without: %j',
  (thread) => {
    expect(createSessions({ now }).expandThread('ann', { messages: [], thread })).toMatchObject({
      ok: false,
      code: 'thread_unsupported_request',
      status: 400,
      error: { error: { details: { error_code: 'thread_unsupported_request' } } },
    })
  },
)
