/**
 * Clients that keep a conversation as real ones do: each builds its history from what it was given, in its own
 * wire's words, and sends it again on every turn. They know nothing of ours: what a stream says is put together
 * here by hand. Neighbours: `raw-client.ts` sends; `test/gateway/long-session.test.ts` leads them through a day.
 */
import type { WireName } from '../../src/event/event.ts'
import { isObject, toObjects, type Json } from './api-rules.ts'

interface Asked {
  readonly id: string
  readonly name: string
  /** The arguments, parsed: a client that cannot read them is lost. */
  readonly args: Json
}

interface Result {
  readonly id: string
  readonly text: string
  readonly isError: boolean
}

export interface HistoryClient {
  say(text: string): void
  /** The body of the next request. */
  body(isStream: boolean): Json
  /** Takes an answer into the history; gives back what is to be run. */
  take(answer: Buffer, isStream: boolean): readonly Asked[]
  results(results: readonly Result[]): void
  /** Forgets so many messages or items from the start, and says what they were about. */
  compact(count: number, summary: string): void
  readonly history: readonly Json[]
}

export const createHistoryClient = (wire: WireName): HistoryClient => CLIENTS[wire](createHistory())

interface History {
  items: Json[]
}

const createHistory = (): History => ({ items: [] })

const CLIENTS: Readonly<Record<WireName, (history: History) => HistoryClient>> = {
  'anthropic-messages': messagesClient,
  'openai-chat': chatClient,
  'openai-responses': responsesClient,
}

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const TOOLS = ['read', 'run', 'write'].map((name) => ({ name, description: `To ${name}` }))

const framesOf = (bytes: Buffer): Json[] =>
  [...bytes.toString().matchAll(/^data: (\{.*)$/gm)].map(
    ([, data]) => JSON.parse(data ?? '') as Json,
  )

const parse = (text: unknown): Json => JSON.parse(String(text)) as Json
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function messagesClient(history: History): HistoryClient {
  const push = (role: string, content: Json[]): void => void history.items.push({ role, content })
  return {
    get history() {
      return history.items
    },
    say: (words) => push('user', [{ type: 'text', text: words }]),
    body: (stream) => ({
      model: 'm',
      max_tokens: 9000,
      system: [{ type: 'text', text: 'You code.', cache_control: { type: 'ephemeral' } }],
      tools: TOOLS.map((tool) => ({ ...tool, input_schema: SCHEMA })),
      thinking: { type: 'enabled', budget_tokens: 2048 },
      messages: history.items,
      stream,
    }),
    take(answer, isStream) {
      const content = isStream ? addUpMessages(answer) : toObjects(parse(answer)['content'])
      push('assistant', content)
      return content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({ id: text(id), name: text(name), args: input as Json }))
    },
    results: (results) =>
      push(
        'user',
        results.map(({ id, text: content, isError }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content,
          ...(isError ? { is_error: true } : {}),
        })),
      ),
    compact(count, summary) {
      const rest = history.items.slice(count)
      history.items = [{ role: 'user', content: [{ type: 'text', text: summary }] }, ...rest]
    },
  }
}

function addUpMessages(answer: Buffer): Json[] {
  const content: Json[] = []
  const json: string[] = []
  for (const { type, index, content_block, delta } of framesOf(answer)) {
    const at = Number(index)
    if (type === 'content_block_start') content.push({ ...(content_block as Json) })
    if (type === 'content_block_stop' && json[at] !== undefined)
      content[at] = { ...content[at], input: parse(json[at]) }
    if (type !== 'content_block_delta' || !isObject(delta)) continue
    const block = content[at] ?? {}
    if (delta['type'] === 'text_delta') block['text'] = text(block['text']) + text(delta['text'])
    if (delta['type'] === 'thinking_delta')
      block['thinking'] = text(block['thinking']) + text(delta['thinking'])
    if (delta['type'] === 'signature_delta') block['signature'] = delta['signature']
    if (delta['type'] === 'input_json_delta')
      json[at] = (json[at] ?? '') + text(delta['partial_json'])
  }
  return content
}

/** Keeps what its format has: no reasoning. */
function chatClient(history: History): HistoryClient {
  return {
    get history() {
      return history.items
    },
    say: (words) => void history.items.push({ role: 'user', content: words }),
    body: (stream) => ({
      model: 'm',
      max_completion_tokens: 9000,
      reasoning_effort: 'medium',
      tools: TOOLS.map((tool) => ({ type: 'function', function: { ...tool, parameters: SCHEMA } })),
      messages: [{ role: 'system', content: 'You code.' }, ...history.items],
      ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    }),
    take(answer, isStream) {
      const message = isStream ? addUpChat(answer) : messageOf(parse(answer))
      const calls = toObjects(message['tool_calls'])
      history.items.push({
        role: 'assistant',
        content: message['content'] ?? null,
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      })
      return calls.map((call) => {
        const fn = call['function'] as Json
        return { id: text(call['id']), name: text(fn['name']), args: parse(fn['arguments']) }
      })
    },
    results(results) {
      for (const { id, text: words, isError } of results)
        history.items.push({
          role: 'tool',
          tool_call_id: id,
          content: isError ? `Error: ${words}` : words,
        })
    },
    compact(count, summary) {
      history.items = [{ role: 'user', content: summary }, ...history.items.slice(count)]
    },
  }
}

const messageOf = (completion: Json): Json =>
  (toObjects(completion['choices'])[0]?.['message'] ?? {}) as Json

function addUpChat(answer: Buffer): Json {
  let content = ''
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = []
  for (const frame of framesOf(answer)) {
    const delta = (toObjects(frame['choices'])[0]?.['delta'] ?? {}) as Json
    content += text(delta['content'])
    for (const piece of toObjects(delta['tool_calls'])) {
      const at = Number(piece['index'])
      const fn = piece['function'] as Json
      calls[at] ??= { id: '', type: 'function', function: { name: '', arguments: '' } }
      calls[at].id ||= text(piece['id'])
      calls[at].function.name ||= text(fn['name'])
      calls[at].function.arguments += text(fn['arguments'])
    }
  }
  return { content: content === '' ? null : content, tool_calls: calls }
}

/** As Codex: stateless, and every item as it was done. */
function responsesClient(history: History): HistoryClient {
  const say = (words: string): Json => ({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: words }],
  })
  return {
    get history() {
      return history.items
    },
    say: (words) => void history.items.push(say(words)),
    body: (stream) => ({
      model: 'm',
      instructions: 'You code.',
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'medium', summary: 'auto' },
      parallel_tool_calls: true,
      tools: TOOLS.map((tool) => ({
        type: 'function',
        ...tool,
        strict: false,
        parameters: SCHEMA,
      })),
      input: history.items,
      stream,
    }),
    take(answer, isStream) {
      const items = isStream
        ? framesOf(answer)
            .filter(({ type }) => type === 'response.output_item.done')
            .map(({ item }) => item as Json)
        : toObjects(parse(answer)['output'])
      history.items.push(...items)
      return items
        .filter(({ type }) => type === 'function_call')
        .map((item) => ({
          id: text(item['call_id']),
          name: text(item['name']),
          args: parse(item['arguments']),
        }))
    },
    results(results) {
      for (const { id, text: words, isError } of results)
        history.items.push({
          type: 'function_call_output',
          call_id: id,
          output: isError ? `Error: ${words}` : words,
        })
    },
    compact(count, summary) {
      history.items = [say(summary), ...history.items.slice(count)]
    },
  }
}
