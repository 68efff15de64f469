/**
 * A scripted turn as Anthropic says it. Neighbours: `scripted.ts` is the contract.
 */
import {
  issue,
  pieces,
  sealOf,
  stepsOf,
  USAGE,
  type ScriptedFault,
  type WriteTurn,
  type WrittenFault,
} from './scripted.ts'

type Block = Record<string, unknown> & { type: string }

export const writeMessages: WriteTurn = (turn, serial, model) => {
  const { ending } = turn
  const prefix = `toolu_01Scripted${serial}`
  const steps = stepsOf(turn)
  const calls = issue(steps, prefix)
  const content = steps.map((step, i): Block => {
    if ('text' in step) return { type: 'text', text: step.text }
    if ('call' in step)
      return { type: 'tool_use', id: `${prefix}x${i}`, name: step.call.name, input: step.call.args }
    const signature = sealOf(`${serial}.${i}`, 'EuYBCkYIBR')
    if (step.thinking === '') return { type: 'redacted_thinking', data: signature }
    return { type: 'thinking', thinking: step.thinking, signature }
  })
  const usage = {
    input_tokens: USAGE.input - USAGE.cached,
    cache_read_input_tokens: USAGE.cached,
    cache_creation_input_tokens: 0,
    output_tokens: USAGE.output,
  }
  const message = {
    id: `msg_scripted${serial}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage,
  }
  const frames = [
    frame('message_start', {
      message: {
        ...message,
        content: [],
        stop_reason: null,
        usage: { ...usage, output_tokens: 1 },
      },
    }),
    frame('ping', {}),
    ...content.flatMap((block, index) => blockFrames(block, index)),
    ...ENDS[ending ?? 'none'],
    ...(ending === undefined
      ? [
          frame('message_delta', {
            delta: { stop_reason: message.stop_reason, stop_sequence: null },
            usage: { output_tokens: USAGE.output },
          }),
          frame('message_stop', {}),
        ]
      : []),
  ]
  const thoughts = content.filter(({ type }) => type.endsWith('thinking'))
  const seals = thoughts.map(({ signature, data }) => String(signature ?? data))
  const sequence = content
    .filter(({ type }) => type !== 'text')
    .map((block) => (block.type === 'tool_use' ? block['id'] : block))
  return { body: message, frames, issued: { calls, sequence, seals } }
}

const frame = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`

const ENDS = {
  none: [],
  cut: [],
  hang: [],
  error: [frame('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })],
}

function blockFrames(block: Block, index: number): readonly string[] {
  const delta = (fields: object): string => frame('content_block_delta', { index, delta: fields })
  const start = (fields: object): string =>
    frame('content_block_start', { index, content_block: fields })
  const stop = frame('content_block_stop', { index })
  if (block.type === 'thinking')
    return [
      start({ type: 'thinking', thinking: '', signature: '' }),
      ...pieces(String(block['thinking'])).map((thinking) =>
        delta({ type: 'thinking_delta', thinking }),
      ),
      delta({ type: 'signature_delta', signature: block['signature'] }),
      stop,
    ]
  if (block.type === 'redacted_thinking') return [start(block), stop]
  if (block.type === 'text')
    return [
      start({ type: 'text', text: '' }),
      ...pieces(String(block['text'])).map((text) => delta({ type: 'text_delta', text })),
      stop,
    ]
  return [
    start({ ...block, input: {} }),
    delta({ type: 'input_json_delta', partial_json: '' }),
    ...pieces(JSON.stringify(block['input'])).map((json) =>
      delta({ type: 'input_json_delta', partial_json: json }),
    ),
    stop,
  ]
}

const error = (type: string, message: string): object => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_scripted',
})

export const MESSAGES_FAULTS: Readonly<Record<ScriptedFault, WrittenFault>> = {
  context: {
    status: 400,
    body: error('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
  },
  overload: { status: 529, body: error('overloaded_error', 'Overloaded') },
  'rate-limit': {
    status: 429,
    headers: { 'retry-after': '7' },
    body: error('rate_limit_error', 'This request would exceed your rate limit'),
  },
  auth: { status: 401, body: error('authentication_error', 'invalid x-api-key') },
  quota: { status: 402, body: error('billing_error', 'Your credit balance is too low') },
}

export const messagesError = (message: string): object => error('invalid_request_error', message)
