/**
 * `sluice blocks` as a process: what a person sees, and what a program gets.
 */
import { describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { sluice, type Ran } from '../support/command.ts'
import { CHAT, MESSAGES, RESPONSES } from '../support/json-answers.ts'
import { SMALL, toLines } from '../support/small-streams.ts'

const blocks = (wire: WireName, input: string, ...more: readonly string[]): Promise<Ran> =>
  sluice(['blocks', '--wire', wire, ...more], input)

/** The vendor's word for an end with calls. */
const WORDS = {
  'anthropic-messages': 'tool_use',
  'openai-chat': 'tool_calls',
  'openai-responses': 'completed',
} as const

describe('for a person', () => {
  test.each(WIRE_NAMES)(
    '%s shows kind, size, name and a preview, then the end and the cost',
    async (wire) => {
      expect(await blocks(wire, SMALL[wire])).toEqual({
        code: 0,
        stdout: [
          '  0  text               9 chars  It rains.',
          '  1  tool-call         15 chars  weather  {"city":"Bern"}',
          'model   m',
          `finish  tool-calls (${WORDS[wire]})`,
          'usage   12 in, 34 out',
          '',
        ].join('\n'),
        stderr: '',
      })
    },
  )

  test('shows what came of a cache, what was thought, and every kind of block', async () => {
    const { code, stdout } = await blocks('anthropic-messages', JSON.stringify(MESSAGES.rich))
    expect(code).toBe(0)
    expect(stdout).toContain('usage   150 in (20 from cache, 30 to cache), 50 out (10 thinking)\n')
    expect([...stdout.matchAll(/^ +\d+ {2}(\S+)/gm)].map(([, kind]) => kind)).toEqual([
      'thinking',
      'thinking',
      'text',
      'server-tool',
      'tool-result',
      'text',
      'opaque',
      'tool-call',
      'tool-call',
    ])
  })

  test('keeps a long text short, on one line', async () => {
    const long = JSON.stringify(MESSAGES.plain).replace(
      'Hello.',
      'One two\\n\\nthree '.repeat(5000),
    )
    const { stdout } = await blocks('anthropic-messages', long)
    const [line = ''] = stdout.split('\n')
    expect(line).toContain('75,000 chars')
    expect(line).toMatch(/One two three One two three .*…$/)
    expect(line.length).toBeLessThan(120)
  })

  test('says that a block was cut and why, with exit 1', async () => {
    const sse = SMALL['anthropic-messages']
    const { code, stdout } = await blocks(
      'anthropic-messages',
      sse.slice(0, sse.indexOf('event: content_block_stop')),
    )
    expect(code).toBe(1)
    expect(stdout).toContain('It rains.  (cut)\n')
    expect(stdout).toContain('error   The upstream ended before its message had stopped\n')
  })

  test('says which of several answers a block belongs to', async () => {
    const { stdout } = await blocks('openai-chat', JSON.stringify(CHAT.two))
    expect(stdout).toContain('Goodbye  choice 1\n')
  })

  test('lets nothing of the model steer the terminal', async () => {
    const evil = 'a\u001b]0;owned\u0007b\u009b31mc\rd\u202ee'
    const answer = {
      ...RESPONSES.plain,
      model: evil,
      output: [
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: evil, annotations: [] }],
        },
        {
          id: 'fc_1',
          type: 'function_call',
          call_id: 'call_1',
          name: evil,
          arguments: evil,
          status: 'completed',
        },
        { id: 'x', type: evil },
      ],
      status: 'incomplete',
      incomplete_details: { reason: evil },
    }
    const error = { error: { message: evil, type: 'server_error' } }
    for (const body of [answer, error]) {
      const { stdout, stderr } = await blocks('openai-responses', JSON.stringify(body))
      expect(stdout).toContain('a')
      expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    }
  })

  test('uses no colour where nobody sees it', async () => {
    const { stdout } = await blocks('openai-chat', SMALL['openai-chat'])
    expect(stdout).not.toContain('\u001b')
  })
})

describe('with --json', () => {
  const json = async (
    wire: WireName,
    input: string,
  ): Promise<{ code: number | null; body: Record<string, unknown> }> => {
    const { code, stdout } = await blocks(wire, input, '--json')
    expect(stdout).toMatch(/^\{.*\}\n$/)
    return { code, body: JSON.parse(stdout) as Record<string, unknown> }
  }

  test.each(WIRE_NAMES)(
    '%s prints one object with blocks, finishReason and usage',
    async (wire) => {
      const { code, body } = await json(wire, SMALL[wire])
      expect(code).toBe(0)
      expect(body).toEqual({
        id: expect.any(String) as string,
        model: 'm',
        blocks: [
          {
            type: 'text',
            id: expect.any(String) as string,
            index: 0,
            text: 'It rains.',
            isComplete: true,
          },
          {
            type: 'tool-call',
            id: 'call_1',
            index: 1,
            name: 'weather',
            arguments: '{"city":"Bern"}',
            dialect: 'function',
            isComplete: true,
          },
        ],
        finishReason: 'tool-calls',
        vendorFinishReason: WORDS[wire],
        usage: expect.objectContaining({ inputTokens: 12, outputTokens: 34 }) as object,
      })
      expect((await json(wire, toLines(SMALL[wire]))).body['blocks']).toEqual(body['blocks'])
    },
  )

  test('tells each kind of block by its own fields', async () => {
    const { body } = await json('anthropic-messages', JSON.stringify(MESSAGES.rich))
    expect(body['blocks']).toMatchObject([
      { type: 'thinking', text: 'They want the weather.', signature: 'c2lnbmVk', redacted: false },
      { type: 'thinking', text: '', signature: 'aGlkZGVu', redacted: true },
      { type: 'text', text: 'I look it up. ' },
      { type: 'server-tool', id: 'srvtoolu_1', name: 'web_search', arguments: '{"query":"Bern"}' },
      { type: 'tool-result', name: 'web_search', callId: 'srvtoolu_1' },
      { type: 'text', text: 'It rains.', citations: [{ type: 'web_search_result_location' }] },
      { type: 'opaque', vendorType: 'container_upload' },
      { type: 'tool-call', id: 'toolu_1', name: 'weather', arguments: '{"city":"Bern","days":3}' },
      { type: 'tool-call', id: 'toolu_2', name: 'time', arguments: '' },
    ])
  })

  test('has the error beside what came before it, and exit 1', async () => {
    const sse = SMALL['openai-chat']
    const { code, body } = await json(
      'openai-chat',
      sse.slice(0, sse.indexOf('data: [DONE]')).replace('"tool_calls"}]', 'null}]'),
    )
    expect(code).toBe(1)
    expect(body).toMatchObject({
      finishReason: null,
      error: { kind: 'cut', message: 'The upstream ended before it gave a finish_reason' },
      blocks: [{ type: 'text' }, { type: 'tool-call' }],
    })
  })

  test('reads a JSON error as an answer without blocks', async () => {
    const { code, body } = await json(
      'anthropic-messages',
      '{"type":"error","error":{"type":"overloaded_error","message":"Busy"}}',
    )
    expect({ code, body }).toEqual({
      code: 1,
      body: {
        id: null,
        model: null,
        blocks: [],
        finishReason: null,
        usage: null,
        error: { kind: 'overloaded', message: 'Busy', code: 'overloaded_error' },
      },
    })
  })
})
