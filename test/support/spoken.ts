/**
 * What a provider says, from a few plain pieces to the bytes of its wire, streamed or as one JSON body. Written
 * by hand and not by the encoders, so that they are not their own witnesses. Neighbours: `upstream.ts` plays the
 * bytes, `crossing.ts` puts a gateway before it. Knows nothing of ours.
 */
import type { WireName } from '../../src/event/event.ts'

type Json = Readonly<Record<string, unknown>>

export type Piece =
  | { readonly thinking: string; readonly seal: string }
  | { readonly text: string }
  | { readonly call: string; readonly id: string; readonly args: string }

export interface Spoken {
  readonly id?: string
  readonly pieces: readonly Piece[]
  readonly isCut?: boolean
  readonly usage?: { readonly input: number; readonly cached?: number; readonly output: number }
}

/** A frame with a name, as Messages and Responses have them. */
export const named = (type: string, rest: Json = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`

export const chatData = (rest: Json): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', ...rest })}\n\n`

export const chunk = (delta: Json, finish_reason: string | null = null, more: Json = {}): string =>
  chatData({ choices: [{ index: 0, delta, finish_reason }], ...more })

/** One call, or a piece of one, in a chunk of Chat. */
export const callChunk = (index: number, fn: Json, more: Json = {}): string =>
  chunk({ tool_calls: [{ index, ...more, function: fn }] })

export const DONE = 'data: [DONE]\n\n'

export const JSON_TYPE = { 'content-type': 'application/json' }

/** As a reply of `upstream.ts`, streamed if the request asks for it. */
export function reply(
  wire: WireName,
  spoken: Spoken,
  request: { readonly body: Uint8Array },
): { body: string; headers?: Readonly<Record<string, string>> } {
  const { stream } = JSON.parse(Buffer.from(request.body).toString()) as { stream?: boolean }
  return stream === true
    ? { body: sayStream(wire, spoken) }
    : { body: JSON.stringify(sayJson(wire, spoken)), headers: JSON_TYPE }
}

export function sayStream(wire: WireName, spoken: Spoken): string {
  switch (wire) {
    case 'anthropic-messages':
      return streamMessages(spoken)
    case 'openai-chat':
      return streamChat(spoken)
    case 'openai-responses':
      return streamResponses(spoken)
  }
}

export function sayJson(wire: WireName, spoken: Spoken): Json {
  switch (wire) {
    case 'anthropic-messages':
      return toMessage(spoken)
    case 'openai-chat':
      return toCompletion(spoken)
    case 'openai-responses':
      return toResponse(spoken, 'completed')
  }
}

const USAGE: NonNullable<Spoken['usage']> = { input: 12, output: 34 }
const hasCall = ({ pieces }: Spoken): boolean => pieces.some((piece) => 'call' in piece)

function messagesUsage({ usage = USAGE }: Spoken): Json {
  const cached = usage.cached ?? 0
  return {
    input_tokens: usage.input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: usage.output,
  }
}

function toMessage(spoken: Spoken): Json {
  return {
    id: spoken.id ?? 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: spoken.pieces.map((piece) =>
      'call' in piece
        ? {
            type: 'tool_use',
            id: piece.id,
            name: piece.call,
            input: JSON.parse(piece.args) as Json,
          }
        : 'text' in piece
          ? { type: 'text', text: piece.text }
          : { type: 'thinking', thinking: piece.thinking, signature: piece.seal },
    ),
    stop_reason: spoken.isCut === true ? 'max_tokens' : hasCall(spoken) ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: messagesUsage(spoken),
  }
}

function streamMessages(spoken: Spoken): string {
  const { stop_reason, usage, ...message } = toMessage(spoken)
  const blocks = spoken.pieces.map((piece, index) => {
    const delta = (fields: Json): string => named('content_block_delta', { index, delta: fields })
    const start = (content_block: Json): string =>
      named('content_block_start', { index, content_block })
    const body =
      'call' in piece
        ? start({ type: 'tool_use', id: piece.id, name: piece.call, input: {} }) +
          delta({ type: 'input_json_delta', partial_json: piece.args })
        : 'text' in piece
          ? start({ type: 'text', text: '' }) + delta({ type: 'text_delta', text: piece.text })
          : start({ type: 'thinking', thinking: '', signature: '' }) +
            delta({ type: 'thinking_delta', thinking: piece.thinking }) +
            delta({ type: 'signature_delta', signature: piece.seal })
    return body + named('content_block_stop', { index })
  })
  return [
    named('message_start', { message: { ...message, content: [], stop_reason: null, usage } }),
    ...blocks,
    named('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }),
    named('message_stop'),
  ].join('')
}

function chatUsage({ usage = USAGE }: Spoken): Json {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
  }
}

const chatFinish = (spoken: Spoken): string =>
  spoken.isCut === true ? 'length' : hasCall(spoken) ? 'tool_calls' : 'stop'

const details = (text: string, seal: string): Json => ({
  reasoning: text,
  reasoning_details: [
    { type: 'reasoning.text', text, signature: seal, format: 'unknown', index: 0 },
  ],
})

const toCall = (piece: Extract<Piece, { call: string }>): Json => ({
  id: piece.id,
  type: 'function',
  function: { name: piece.call, arguments: piece.args },
})

function toCompletion(spoken: Spoken): Json {
  const calls = spoken.pieces.flatMap((piece) => ('call' in piece ? [toCall(piece)] : []))
  const text = spoken.pieces.map((piece) => ('text' in piece ? piece.text : '')).join('')
  const thought = spoken.pieces.find((piece) => 'thinking' in piece)
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(thought === undefined ? {} : details(thought.thinking, thought.seal)),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return {
    id: spoken.id ?? 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: chatFinish(spoken) }],
    usage: chatUsage(spoken),
  }
}

function streamChat(spoken: Spoken): string {
  let calls = 0
  const pieces = spoken.pieces.map((piece) => {
    if ('text' in piece) return chunk({ content: piece.text })
    if ('thinking' in piece) return chunk(details(piece.thinking, piece.seal))
    const { function: fn, ...head } = toCall(piece) as { function: Json }
    const index = calls++
    return (
      callChunk(index, { name: piece.call, arguments: '' }, head) +
      callChunk(index, { arguments: fn['arguments'] })
    )
  })
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces,
    chunk({}, chatFinish(spoken)),
    chatData({ choices: [], usage: chatUsage(spoken) }),
    DONE,
  ]
    .join('')
    .replaceAll('"chatcmpl-1"', JSON.stringify(spoken.id ?? 'chatcmpl-1'))
}

function toItem(piece: Piece, at: number): Json {
  if ('thinking' in piece)
    return {
      id: `rs_${at}`,
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: piece.thinking }],
      encrypted_content: piece.seal,
    }
  if ('text' in piece)
    return {
      id: `msg_${at}`,
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: piece.text, annotations: [], logprobs: [] }],
    }
  const { id, call, args } = piece
  const own = { call_id: id, name: call, arguments: args, status: 'completed' }
  return { id: `fc_${id}`, type: 'function_call', ...own }
}

function toResponse(spoken: Spoken, status: string): Json {
  const { usage = USAGE } = spoken
  const isOver = status === 'completed'
  return {
    id: spoken.id ?? 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: isOver && spoken.isCut === true ? 'incomplete' : status,
    ...(isOver && spoken.isCut === true
      ? { incomplete_details: { reason: 'max_output_tokens' } }
      : {}),
    output: isOver ? spoken.pieces.map(toItem) : [],
    ...(isOver
      ? {
          usage: {
            input_tokens: usage.input,
            input_tokens_details: { cached_tokens: usage.cached ?? 0 },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: usage.input + usage.output,
          },
        }
      : {}),
  }
}

function streamResponses(spoken: Spoken): string {
  const events: [string, Json][] = [
    ['response.created', { response: toResponse(spoken, 'in_progress') }],
    ['response.in_progress', { response: toResponse(spoken, 'in_progress') }],
  ]
  spoken.pieces.forEach((piece, output_index) => {
    const item = toItem(piece, output_index)
    const at = { item_id: item['id'], output_index }
    const inPart = { ...at, content_index: 0 }
    const add = (fields: Json): void =>
      void events.push([
        'response.output_item.added',
        { output_index, item: { ...item, ...fields } },
      ])
    if ('call' in piece) {
      add({ arguments: '', status: 'in_progress' })
      events.push(
        ['response.function_call_arguments.delta', { ...at, delta: piece.args }],
        ['response.function_call_arguments.done', { ...at, arguments: piece.args }],
      )
    } else if ('text' in piece) {
      const part = { type: 'output_text', text: piece.text, annotations: [], logprobs: [] }
      add({ content: [], status: 'in_progress' })
      events.push(
        ['response.content_part.added', { ...inPart, part: { ...part, text: '' } }],
        ['response.output_text.delta', { ...inPart, delta: piece.text, logprobs: [] }],
        ['response.output_text.done', { ...inPart, text: piece.text, logprobs: [] }],
        ['response.content_part.done', { ...inPart, part }],
      )
    } else {
      const inSummary = { ...at, summary_index: 0 }
      const part = { type: 'summary_text', text: piece.thinking }
      add({ summary: [], encrypted_content: 'gAAAAcut' })
      events.push(
        ['response.reasoning_summary_part.added', { ...inSummary, part: { ...part, text: '' } }],
        ['response.reasoning_summary_text.delta', { ...inSummary, delta: piece.thinking }],
        ['response.reasoning_summary_text.done', { ...inSummary, text: piece.thinking }],
        ['response.reasoning_summary_part.done', { ...inSummary, part }],
      )
    }
    events.push(['response.output_item.done', { output_index, item }])
  })
  const end = spoken.isCut === true ? 'response.incomplete' : 'response.completed'
  events.push([end, { response: toResponse(spoken, 'completed') }])
  return events
    .map(([type, rest], sequence_number) => named(type, { sequence_number, ...rest }))
    .join('')
}
