/**
 * Answers of another wire that a Responses client comes back to by their id: the gateway's own books stand in
 * for a provider that keeps none. And a client that is told nothing for a while, though something comes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashKey } from '../../src/config/keys.ts'
import { startCrossing, type Crossing } from '../support/crossing.ts'
import { fetchRaw, type RawAnswer } from '../support/raw-client.ts'

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

const ANSWER = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}

type Json = Record<string, unknown>

describe('an answer of a Chat upstream that a Responses client asks for again', () => {
  const key = (name: string): { name: string; hash: string } => ({ name, hash: hashKey(name) })
  let crossing: Crossing
  let id: string
  beforeAll(async () => {
    crossing = await startCrossing({
      wire: 'openai-chat',
      up: { apiKey: 'sk-ours' },
      settings: { keys: [key('ann'), key('bob')] as never },
    })
    crossing.upstream.always({
      body: JSON.stringify(ANSWER),
      headers: { 'content-type': 'application/json' },
    })
    const made = await crossing.json('openai-responses', { input: 'Hi' }, { headers: as('ann') })
    id = String(made.json['id'])
  })
  afterAll(() => crossing.close())

  const as = (name: string): Record<string, string> => ({ authorization: `Bearer ${name}` })

  const call = async (
    method: string,
    path: string,
    name = 'ann',
  ): Promise<RawAnswer & { json: Json }> => {
    const url = `${crossing.gateway.url}/v1/responses/${path}`
    const answer = await fetchRaw(url, { method, headers: as(name) })
    return { ...answer, json: JSON.parse(answer.body.toString()) as Json }
  }

  test('is given as it was, with what was asked', async () => {
    const { status, json, headers } = await call('GET', id)
    expect([status, headers['content-type']]).toEqual([200, 'application/json'])
    expect(json).toMatchObject({
      id,
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }],
    })
    const items = await call('GET', `${id}/input_items?order=asc&limit=1`)
    expect(items.json).toMatchObject({
      object: 'list',
      data: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      has_more: false,
    })
    const report = crossing.gateway.reports.at(-1)
    expect([report?.outcome, report?.status]).toEqual(['done', 200])
    expect(crossing.upstream.requests).toHaveLength(1)
  })

  test('is nobody else’s', async () => {
    for (const [method, path] of [
      ['GET', id],
      ['GET', `${id}/input_items`],
      ['DELETE', id],
    ] as const)
      expect((await call(method, path, 'bob')).status).toBe(404)
  })

  test('cannot be streamed again, or cancelled', async () => {
    const streamed = await call('GET', `${id}?stream=true`)
    expect([streamed.status, streamed.json]).toMatchObject([
      400,
      { error: { type: 'invalid_request_error', message: expect.stringMatching(/stream/) } },
    ])
    const cancelled = await call('POST', `${id}/cancel`)
    expect([cancelled.status, cancelled.json]).toMatchObject([
      400,
      {
        error: {
          type: 'invalid_request_error',
          message: 'Cannot cancel a synchronous response.',
        },
      },
    ])
    expect((await call('POST', 'resp_unknown/cancel')).status).toBe(404)
  })

  test('can be deleted, and is then gone', async () => {
    const deleted = await call('DELETE', id)
    expect([deleted.status, deleted.json]).toEqual([200, { id, object: 'response', deleted: true }])
    for (const [method, path] of [
      ['GET', id],
      ['GET', `${id}/input_items`],
      ['DELETE', id],
      ['POST', `${id}/cancel`],
    ] as const) {
      const gone = await call(method, path)
      expect([gone.status, gone.json]).toMatchObject([
        404,
        { error: { type: 'invalid_request_error' } },
      ])
    }
  })
})

test('a client that is told no thinking hears from us while a model thinks', async () => {
  const crossing = await startCrossing({
    wire: 'openai-chat',
    vendor: 'deepseek',
    settings: { keepalive: 50 },
  })
  try {
    const thoughts = Array.from({ length: 9 }, () => chunk({ reasoning_content: 'hm ' }))
    const frames = [...thoughts, chunk({ content: 'Owl' }), chunk({}, 'stop'), 'data: [DONE]\n\n']
    const cuts = thoughts.map((_, i) => frames.slice(0, i + 1).join('').length)
    crossing.upstream.next({ body: frames.join(''), cuts, pace: 90 })
    const { text, state } = await crossing.stream('openai-responses')
    expect(text).not.toContain('summary_text')
    expect(state.blocks.map(({ type }) => type)).toEqual(['thinking', 'text'])
    expect(text.split(': keepalive\n\n').length).toBeGreaterThan(2)
  } finally {
    await crossing.close()
  }
})
