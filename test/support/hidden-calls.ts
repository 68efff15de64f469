/**
 * Answers with calls in them for a review with an attacker's eyes: whole, as a stream, and behind the end of another one.
 * Neighbours: `policies/review.test.ts`.
 */
import type { WireName } from '../../src/event/event.ts'

/** Stands in the arguments of every call, and must not reach a client. */
export const MARK = 'rm-the-moon'
export const ARGUMENTS = JSON.stringify({ command: MARK })

export const data = (json: object): string => `data: ${JSON.stringify(json)}\n\n`

/** A whole answer of one word, and then a call. */
export const LATE: Readonly<
  Record<WireName, readonly [answer: readonly string[], call: readonly string[]]>
> = {
  'anthropic-messages': [
    [
      data({ type: 'message_start', message: { id: 'm', model: 'm', content: [] } }),
      data({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      data({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } }),
      data({ type: 'content_block_stop', index: 0 }),
      data({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }),
      data({ type: 'message_stop' }),
    ],
    [
      data({
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 't', name: 'Bash', input: { command: MARK } },
      }),
      data({ type: 'content_block_stop', index: 1 }),
    ],
  ],
  'openai-chat': [
    [
      data({ id: 'c', choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: null }] }),
      data({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
      'data: [DONE]\n\n',
    ],
    [
      data({
        id: 'c',
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [{ index: 0, id: 't', function: { name: 'Bash', arguments: ARGUMENTS } }],
            },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    ],
  ],
  'openai-responses': [
    [
      data({ type: 'response.created', response: { id: 'r', model: 'm', output: [] } }),
      data({
        type: 'response.completed',
        response: { id: 'r', model: 'm', status: 'completed', output: [] },
      }),
    ],
    [
      data({
        type: 'response.output_item.done',
        output_index: 1,
        item: { type: 'function_call', call_id: 't', name: 'Bash', arguments: ARGUMENTS },
      }),
    ],
  ],
}

/** An answer with these calls, whole. */
export const MESSAGE = (...commands: readonly string[]): string =>
  JSON.stringify({
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'text', text: 'hi' },
      ...commands.map((command, at) => ({
        type: 'tool_use',
        id: `t${at}`,
        name: 'Bash',
        input: { command },
      })),
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 1, output_tokens: 1 },
  })

export const STREAM = (...commands: readonly string[]): string =>
  [
    data({ type: 'message_start', message: { id: 'm', model: 'm', content: [] } }),
    ...commands.flatMap((command, index) => [
      data({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `t${index}`, name: 'Bash', input: { command } },
      }),
      data({ type: 'content_block_stop', index }),
    ]),
    data({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} }),
    data({ type: 'message_stop' }),
  ].join('')
