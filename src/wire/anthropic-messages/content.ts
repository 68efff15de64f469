/**
 * One content block of the vendor's to a block of ours: what it is, and what it already holds when it
 * opens. Neighbours: `decode.ts` and `answer.ts`, for which a block in a JSON answer is one that opens
 * full. Knows no stream.
 */
import { stringifyExact } from '../../base/json-exact.ts'
import { toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import { UNNAMED, type BlockInfo } from '../../event/block.ts'
import type { Delta } from '../../event/event.ts'

export interface ReadBlock {
  readonly info: BlockInfo
  /** What the block holds from the start. Normally nothing; results and sealed thinking come whole. */
  readonly deltas: readonly Delta[]
}

const SERVER_RUN = new Set(['server_tool_use', 'mcp_tool_use'])

export function readContentBlock(
  content: JsonObject,
  index: number,
  createId?: () => string,
): ReadBlock {
  const type = toText(content['type']) ?? ''
  const id = toText(content['id']) ?? `block_${index}`
  // Said field by field: a spread of a few fields costs more than all the rest of this.
  if (type === 'text')
    return { info: { id, index, vendor: content, type }, deltas: textDeltas(content) }
  if (type === 'thinking')
    return {
      info: { id, index, vendor: content, type, redacted: false },
      deltas: thinkingDeltas(content),
    }
  if (type === 'redacted_thinking') {
    const signature = toText(content['data'])
    return {
      info: { id, index, vendor: content, type: 'thinking', redacted: true },
      deltas: signature === undefined ? [] : [{ type: 'signature', signature }],
    }
  }
  const name = toText(content['name']) ?? UNNAMED
  if (SERVER_RUN.has(type))
    return {
      info: { id, index, vendor: content, type: 'server-tool', name },
      deltas: argumentDeltas(content),
    }
  // A call of a kind we do not know may be one that the client runs, so it is held like any other.
  if (type.endsWith('tool_use')) {
    const dialect = type === 'tool_use' ? 'function' : 'unknown'
    const namespace = toText(content['toolset_name'])
    const isNamed = toText(content['id']) !== undefined || createId === undefined
    const call = {
      id: isNamed ? id : `call_${createId()}`,
      index,
      vendor: content,
      type: 'tool-call',
      name,
      dialect,
    } as const
    const info = namespace === undefined ? call : { ...call, namespace }
    return { info, deltas: argumentDeltas(content) }
  }
  if (type.endsWith('_tool_result')) {
    const callId = toText(content['tool_use_id']) ?? ''
    return {
      info: {
        id,
        index,
        vendor: content,
        type: 'tool-result',
        name: type.slice(0, -'_tool_result'.length),
        callId,
      },
      deltas: [],
    }
  }
  return {
    info: { id, index, vendor: content, type: 'opaque', vendorType: type },
    deltas: [],
  }
}

/** The way back for a call of a set. The name alone is of no tool of a set: the client knows it by both. */
export const toolsetOf = ({ namespace }: { readonly namespace?: string | undefined }): JsonObject =>
  namespace === undefined ? {} : { toolset_name: namespace }

function textDeltas(content: JsonObject): Delta[] {
  const text = toText(content['text'])
  const deltas: Delta[] = text === undefined ? [] : [{ type: 'text', text }]
  for (const one of toList(content['citations'])) {
    const citation = toObject(one)
    if (citation !== undefined) deltas.push({ type: 'citation', citation })
  }
  return deltas
}

function thinkingDeltas(content: JsonObject): Delta[] {
  const text = toText(content['thinking'])
  const signature = toText(content['signature'])
  const deltas: Delta[] = text === undefined ? [] : [{ type: 'thinking', text }]
  if (signature !== undefined) deltas.push({ type: 'signature', signature })
  return deltas
}

function argumentDeltas(content: JsonObject): Delta[] {
  const input = toObject(content['input'])
  return input === undefined || Object.keys(input).length === 0
    ? []
    : [{ type: 'arguments', text: stringifyExact(input) }]
}
