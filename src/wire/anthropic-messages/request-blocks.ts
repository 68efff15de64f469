/**
 * The content of a client's message to parts of ours. Neighbours: `request-turns.ts` has the messages,
 * `request-media.ts` the images and documents. Each part keeps the client's own block, for its own wire.
 * Knows no target.
 */
import { stringifyExact } from '../../base/json-exact.ts'
import { isObject, parseObject, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { OpaquePart, Part, ThinkingPart, ToolResultPart } from '../../request/part.ts'
import { unseal } from '../envelope.ts'
import { NAME } from './json.ts'
import { joinTexts, readDocument, readImage, readText } from './request-media.ts'
import type { Findings } from './request-problems.ts'
import { toCache } from './request-tools.ts'

export function readContent(content: unknown, path: string, found: Findings): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  // Some clients keep an assistant message without words as `null`.
  if (content === null || content === undefined) return []
  if (!Array.isArray(content)) {
    found.problems.add(path, 'Send a string or a list of content blocks')
    return []
  }
  return content.flatMap((block: unknown, i) => readBlock(block, `${path}[${i}]`, found) ?? [])
}

function readBlock(block: unknown, path: string, found: Findings): Part | undefined {
  const type = toText(toObject(block)?.['type'])
  if (!isObject(block) || type === undefined) {
    found.problems.add(path, 'Send a content block: an object with a "type"')
    return undefined
  }
  switch (type) {
    case 'text':
      return readText(block, path, found)
    case 'image':
      return readImage(block)
    case 'document':
      return readDocument(block, found)
    case 'thinking':
      return readThinking(block, toText(block['signature']), false)
    case 'redacted_thinking':
      return readThinking(block, toText(block['data']), true)
    case 'tool_use':
      return readCall(block, path, found)
    case 'tool_result':
      return readResult(block, path, found)
    case 'compaction':
      return readCompaction(block, path, found)
    case 'container_upload':
      found.needed.push({
        path,
        message:
          'Files in a container exist at their own vendor only: put the content in the message',
      })
      return toOpaque(block)
    default:
      return toOpaque(block)
  }
}

/** Sealed by the vendor, or by another wire's vendor and carried through this client in our envelope. */
function readThinking(
  block: JsonObject,
  signature: string | undefined,
  isRedacted: boolean,
): ThinkingPart {
  const text = toText(block['thinking']) ?? ''
  const base = { type: 'thinking', vendor: block, ...toCache(block) } as const
  if (signature === undefined) return { ...base, text, seal: undefined }
  const sealed = unseal(signature)
  if (sealed === undefined) {
    const seal = { wire: NAME, signature, ...(isRedacted ? { isRedacted } : {}) } as const
    return { ...base, text, seal }
  }
  const { wire, issuer, redacted, item } = sealed
  return {
    ...base,
    text: sealed.text === '' ? text : sealed.text,
    seal: {
      wire,
      ...(issuer === undefined ? {} : { issuer }),
      ...(sealed.signature === undefined ? {} : { signature: sealed.signature }),
      ...(redacted === true ? { isRedacted: true } : {}),
      ...(item === undefined ? {} : { item }),
    },
  }
}

function readCall(block: JsonObject, path: string, found: Findings): Part | undefined {
  const id = toText(block['id'])
  const name = toText(block['name'])
  const namespace = toText(block['toolset_name'])
  const input = toArguments(block['input'])
  if (id === undefined) found.problems.add(`${path}.id`, 'Give the id of the call')
  else if (name === undefined) found.problems.add(`${path}.name`, 'Give the name of the tool')
  else if (input === undefined)
    found.problems.add(`${path}.input`, 'Send the input of the call as a JSON object')
  else
    return {
      type: 'tool-call',
      id,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      dialect: 'function',
      arguments: input,
      vendor: block,
      ...toCache(block),
    }
  return undefined
}

/** Some clients keep the input as the text it came in. */
function toArguments(input: unknown): string | undefined {
  if (input === undefined || input === null || input === '') return '{}'
  if (typeof input === 'string') return parseObject(input) === undefined ? undefined : input
  if (!isObject(input)) return undefined
  try {
    return stringifyExact(input)
  } catch {
    return undefined // Nested deeper than the engine writes.
  }
}

function readResult(block: JsonObject, path: string, found: Findings): Part | undefined {
  const callId = toText(block['tool_use_id'])
  if (callId === undefined) {
    found.problems.add(`${path}.tool_use_id`, 'Name the call that this is the result of')
    return undefined
  }
  const parts = readContent(block['content'], `${path}.content`, found)
  return {
    type: 'tool-result',
    callId,
    dialect: 'function',
    parts: parts.flatMap(inResult),
    isError: block['is_error'] === true,
    vendor: block,
    ...toCache(block),
  }
}

function inResult(part: Part): ToolResultPart['parts'] {
  if (part.type === 'text' || part.type === 'image' || part.type === 'document') return [part]
  if (part.type === 'opaque') return [part]
  return part.vendor === undefined ? [] : [toOpaque(part.vendor)]
}

/** What stood before it is gone, so its words must not get lost; the sealed form no other vendor can read. */
function readCompaction(block: JsonObject, path: string, found: Findings): Part {
  const text = toText(block['content']) ?? joinTexts(block['content'])
  if (text === '')
    found.needed.push({
      path,
      message: 'Only the vendor that wrote this compaction can read it: send the messages instead',
    })
  return { ...toOpaque(block), ...(text === '' ? {} : { text }) }
}

/** Something that only this wire can say, and what it comes to in words. */
function toOpaque(block: JsonObject): OpaquePart {
  const type = toText(block['type']) ?? 'block'
  const name = toText(block['name'])
  const text = inWords(type, block)
  return {
    type: 'opaque',
    what: name === undefined ? type : `${type} ${name}`,
    vendor: block,
    ...(text === undefined ? {} : { text }),
    ...toCache(block),
  }
}

function inWords(type: string, block: JsonObject): string | undefined {
  if (type === 'search_result') {
    const head = [toText(block['title']), toText(block['source'])]
    const lines = [...head, joinTexts(block['content'])].filter((line) => Boolean(line))
    return lines.length === 0 ? undefined : lines.join('\n')
  }
  const reference = toText(block['tool_name'])
  if (type === 'tool_reference' && reference !== undefined)
    return `The tool "${reference}" can be called now.`
  if (type === 'browser_state') return describe(block)
  return undefined
}

/** The state of a browser is a few plain fields: models read them as they are. */
function describe(block: JsonObject): string | undefined {
  const { type: _type, cache_control: _cache, ...rest } = block
  try {
    return JSON.stringify(rest)
  } catch {
    return undefined
  }
}
