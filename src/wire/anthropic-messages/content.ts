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
  const base = { id: toText(content['id']) ?? `block_${index}`, index, vendor: content }
  if (type === 'text') return { info: { ...base, type: 'text' }, deltas: textDeltas(content) }
  if (type === 'thinking')
    return { info: { ...base, type, redacted: false }, deltas: thinkingDeltas(content) }
  if (type === 'redacted_thinking') {
    const signature = toText(content['data'])
    return {
      info: { ...base, type: 'thinking', redacted: true },
      deltas: signature === undefined ? [] : [{ type: 'signature', signature }],
    }
  }
  const name = toText(content['name']) ?? UNNAMED
  if (SERVER_RUN.has(type))
    return { info: { ...base, type: 'server-tool', name }, deltas: argumentDeltas(content) }
  // A call of a kind we do not know may be one that the client runs, so it is held like any other.
  if (type.endsWith('tool_use')) {
    const dialect = type === 'tool_use' ? 'function' : 'unknown'
    const namespace = toText(content['toolset_name'])
    const set = namespace === undefined ? {} : { namespace }
    const id = toText(content['id']) ?? (createId === undefined ? base.id : `call_${createId()}`)
    const info = { ...base, id, type: 'tool-call', name, dialect, ...set } as const
    return { info, deltas: argumentDeltas(content) }
  }
  if (type.endsWith('_tool_result')) {
    const callId = toText(content['tool_use_id']) ?? ''
    return {
      info: { ...base, type: 'tool-result', name: type.slice(0, -'_tool_result'.length), callId },
      deltas: [],
    }
  }
  return { info: { ...base, type: 'opaque', vendorType: type }, deltas: [] }
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
