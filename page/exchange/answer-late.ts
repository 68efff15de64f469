/**
 * An answer that is watched from its middle on: whether a frame is where an answer begins, and what a beginning would have
 * said so that the rest can be read. Neighbours: `answer-guess.ts`. Only Messages cannot be read without its beginning.
 */
import type { JsonObject, WireName } from '../../src/index.ts'

export function isBeginning(wire: WireName, json: JsonObject): boolean {
  const type = json['type']
  switch (wire) {
    case 'anthropic-messages':
      return type === 'message_start' || type === 'error'
    case 'openai-responses':
      return typeof type === 'string' && !type.endsWith('.delta')
    case 'openai-chat':
      // Nothing in a chunk says where it stands.
      return true
  }
}

/** The frames of a block that has begun, as far as one of its pieces shows what it is. */
export function toBeginning(wire: WireName, json: JsonObject): string {
  if (wire !== 'anthropic-messages') return ''
  const usage = { input_tokens: 0, output_tokens: 0 }
  const message = { id: '', type: 'message', role: 'assistant', model: '', content: [], usage }
  const { index, delta } = json
  const start = { index, content_block: toBlock((delta as JsonObject | undefined)?.['type']) }
  return [
    toFrame('message_start', { message }),
    typeof index === 'number' && json['type'] !== 'content_block_start'
      ? toFrame('content_block_start', start)
      : '',
  ].join('')
}

function toBlock(delta: unknown): JsonObject {
  if (delta === 'thinking_delta') return { type: 'thinking', thinking: '', signature: '' }
  if (delta === 'input_json_delta') return { type: 'tool_use', id: '', name: '…', input: {} }
  return { type: 'text', text: '' }
}

const toFrame = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
