/**
 * The official SDKs as judges: each reads a stream from a real server with its own accumulating helper
 * and says what message came out, or what it threw. Runs on the Node at hand, and in a child process
 * on another Node for SDK majors that need one, so it uses types that can be stripped.
 */
import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import type { WireName } from '../../src/event/event.ts'

/** What a client ended up with. */
export interface Judgement {
  error?: string
  text: string
  thinking: string
  calls: { id: string; name: string; arguments: string }[]
  finish: string | null
  usage: unknown
  /** The SDK's own message. */
  message?: unknown
}

export interface Sdks {
  Anthropic: typeof Anthropic
  OpenAI: typeof OpenAI
}

export async function judge(wire: WireName, url: string, sdks: Sdks): Promise<Judgement> {
  const empty: Judgement = { text: '', thinking: '', calls: [], finish: null, usage: null }
  try {
    switch (wire) {
      case 'anthropic-messages':
        return await judgeMessages(url, sdks.Anthropic)
      case 'openai-chat':
        return await judgeChat(url, sdks.OpenAI)
      case 'openai-responses':
        return await judgeResponses(url, sdks.OpenAI)
    }
  } catch (error) {
    return {
      ...empty,
      error: error instanceof Error ? `${error.constructor.name}: ${error.message}` : String(error),
    }
  }
}

async function judgeMessages(url: string, Client: typeof Anthropic): Promise<Judgement> {
  const client = new Client({ apiKey: 'none', baseURL: url.replace(/\/v1$/, ''), maxRetries: 0 })
  const stream = client.messages.stream({
    model: 'm',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'hi' }],
  })
  const message = await stream.finalMessage()
  const content = message.content as unknown as Record<string, unknown>[]
  return {
    text: content.map((block) => (block['type'] === 'text' ? String(block['text']) : '')).join(''),
    thinking: content
      .map((block) => (block['type'] === 'thinking' ? String(block['thinking']) : ''))
      .join(''),
    calls: content
      .filter((block) => block['type'] === 'tool_use')
      .map((block) => ({
        id: String(block['id']),
        name: String(block['name']),
        arguments: JSON.stringify(block['input']),
      })),
    finish: message.stop_reason,
    usage: message.usage,
    message,
  }
}

async function judgeChat(url: string, Client: typeof OpenAI): Promise<Judgement> {
  const client = new Client({ apiKey: 'none', baseURL: url, maxRetries: 0 })
  const stream = client.chat.completions.stream({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
  })
  // The SDK's accumulator overwrites fields it does not know, so reasoning is added up here.
  let thinking = ''
  stream.on('chunk', (chunk) => {
    const delta = chunk.choices[0]?.delta as Record<string, unknown> | undefined
    if (typeof delta?.['reasoning_content'] === 'string') thinking += delta['reasoning_content']
  })
  const completion = await stream.finalChatCompletion()
  const choice = completion.choices[0]
  const calls = (choice?.message.tool_calls ?? []) as unknown as Record<
    string,
    Record<string, unknown>
  >[]
  return {
    text: choice?.message.content ?? '',
    thinking,
    calls: calls.map((call) => ({
      id: String(call['id']),
      name: String(call['function']?.['name'] ?? call['custom']?.['name']),
      arguments: String(call['function']?.['arguments'] ?? call['custom']?.['input']),
    })),
    finish: choice?.finish_reason ?? null,
    usage: completion.usage,
    message: completion,
  }
}

async function judgeResponses(url: string, Client: typeof OpenAI): Promise<Judgement> {
  const client = new Client({ apiKey: 'none', baseURL: url, maxRetries: 0 })
  const stream = client.responses.stream({ model: 'm', input: 'hi' })
  const response = await stream.finalResponse()
  const output = response.output as unknown as Record<string, unknown>[]
  const texts = (item: Record<string, unknown>, key: string): string =>
    ((item[key] ?? []) as Record<string, unknown>[])
      .map((part) => (part['type'] === 'refusal' ? '' : String(part['text'] ?? '')))
      .join('')
  return {
    text: output.map((item) => (item['type'] === 'message' ? texts(item, 'content') : '')).join(''),
    thinking: output
      .map((item) => (item['type'] === 'reasoning' ? texts(item, 'summary') : ''))
      .join(''),
    calls: output
      .filter((item) => item['type'] === 'function_call' || item['type'] === 'custom_tool_call')
      .map((item) => ({
        id: String(item['call_id']),
        name: String(item['name']),
        arguments: String(item['arguments'] ?? item['input']),
      })),
    finish: response.status ?? null,
    usage: response.usage,
    message: response,
  }
}
