/**
 * The body of a Chat client for a Chat server: as it came, but for what routing changes and for what the
 * client was given by us. Neighbours: `request-write.ts`. Knows of messages only where thinking stands in them.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import { dialectOf, type CallNames } from '../../request/call-names.ts'
import type { ModelRequest } from '../../request/request.ts'
import type { WriteOptions, WrittenRequest } from '../../request/write.ts'
import { withoutUndefined } from './request-fields.ts'
import { isOurs, readThinking, writeThinking } from './request-thinking.ts'

export function writeOwn(request: ModelRequest, options: WriteOptions): WrittenRequest {
  const { body } = request.source
  const messages = toList(body['messages'])
  const written = messages.map((message) =>
    isObject(message) && message['role'] === 'assistant' ? toAssistant(message, options) : message,
  )
  const isTouched = written.some((message, i) => message !== messages[i])
  return {
    ok: true,
    body: withoutUndefined({
      ...body,
      model: options.model,
      ...(isTouched ? { messages: written } : {}),
      ...writeStream(body, options),
    }),
    headers: {},
    losses: [],
    names: toNames(request),
    stop: [],
  }
}

/** `stream_options` is refused without a stream, and a stream that the client did not ask for is counted. */
function writeStream(body: JsonObject, { isStream, profile }: WriteOptions): JsonObject {
  if (isStream === (body['stream'] === true)) return {}
  const streamOptions = isStream && profile.takesStreamOptions ? { include_usage: true } : undefined
  return { stream: isStream, stream_options: streamOptions }
}

/** Names are the client's own on both sides. */
function toNames({ tools }: ModelRequest): CallNames {
  const known = new Map(
    tools.flatMap((tool) =>
      tool.type === 'server' ? [] : [[tool.name, { name: tool.name, dialect: dialectOf(tool) }]],
    ),
  )
  return {
    toTarget: (tool) => tool.name,
    toSource: (name) => known.get(name),
    isPlain: [...known.values()].every(({ dialect }) => dialect === 'function'),
    collision: undefined,
  }
}

/** Keeps its fields in their places, so that the text of a message is the same on every turn. */
function toAssistant(message: JsonObject, options: WriteOptions): JsonObject {
  const calls = toList(message['tool_calls'])
  const extended = calls.map((call) => withExtra(call, options))
  const isExtended = extended.some((call, i) => call !== calls[i])
  const ids = calls.map((call) => toText(toObject(call)?.['id'])).filter((id) => id !== undefined)
  const changes = {
    ...changeThinking(message, ids, options),
    ...(isExtended ? { tool_calls: extended } : {}),
  }
  return Object.keys(changes).length === 0 ? message : withoutUndefined({ ...message, ...changes })
}

/**
 * An envelope of ours is opened for whoever sealed it and taken out for all others, with the words that are
 * in it. What the server wants back and this client does not keep is put in again.
 */
function changeThinking(
  message: JsonObject,
  ids: readonly string[],
  options: WriteOptions,
): JsonObject {
  const details = toList(message['reasoning_details'])
  const thinking = readThinking(message)
  const isRefused = options.isUnsealed === true && details.length > 0
  if (isRefused || details.some((detail) => isObject(detail) && isOurs(detail)))
    return {
      reasoning_content: undefined,
      reasoning: undefined,
      reasoning_details: undefined,
      ...writeThinking(thinking, ids, options),
    }
  const isKept = thinking.length > 0 || hasThoughts(message['content'])
  const isKnown = ids.some((id) => (options.recall?.(id) ?? []).length > 0)
  return !isKept && isKnown ? writeThinking([], ids, options) : {}
}

const hasThoughts = (content: unknown): boolean =>
  toList(content).some((part) => toObject(part)?.['type'] === 'thinking')

/** What the server had on the call beside its own fields, such as Gemini's signature. */
function withExtra(call: unknown, options: WriteOptions): unknown {
  const id = toText(toObject(call)?.['id'])
  const extra = id === undefined ? undefined : options.recallExtra?.(id)
  if (!isObject(call) || extra === undefined) return call
  return Object.keys(extra).every((key) => key in call) ? call : { ...extra, ...call }
}
