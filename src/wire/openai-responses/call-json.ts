/**
 * A call as an output item. Neighbours: `call-writer.ts` writes it when the call begins and when it is
 * over. What is to be done is always what the block says, never what the upstream said: a policy may
 * have changed it.
 */
import { parseObject, toList, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { OpenItem } from './open-item.ts'

export interface CallSaid {
  readonly info: Extract<BlockInfo, { type: 'tool-call' }>
  /** The upstream's own item, on its own wire. */
  readonly vendor: JsonObject | undefined
  /** The arguments. */
  readonly text: string
}

/** A call of a function that another wire's model made: what nearly all are. */
export const isPlain = ({ info, vendor }: Pick<CallSaid, 'info' | 'vendor'>): boolean =>
  vendor === undefined && info.dialect === 'function' && info.namespace === undefined

/** What `callJson` says of a plain one, written as JSON; so are the arguments. */
export const rawCall = (item: OpenItem, name: string, text: string, status: string): string =>
  `{"id":${JSON.stringify(item.id)},"call_id":${JSON.stringify(item.callId)},"type":"function_call","name":${JSON.stringify(name)},"arguments":${text},"status":${JSON.stringify(status)}}`

export function callJson(item: OpenItem, { info, vendor, text }: CallSaid): JsonObject {
  if (isPlain({ info, vendor }))
    return {
      id: item.id,
      call_id: item.callId,
      type: 'function_call',
      name: info.name,
      arguments: text,
    }
  const base = { ...vendor, id: item.id, call_id: item.callId }
  const placed =
    vendor === undefined && info.namespace !== undefined ? { namespace: info.namespace } : {}
  if (info.dialect === 'custom')
    return { ...base, ...placed, type: 'custom_tool_call', name: info.name, input: text }
  const field = actionField(vendor)
  if (field !== undefined) return { ...base, [field]: actionOf(field, text) }
  // A call of a kind we do not know has what it has; only what it calls its arguments is ours to say.
  if (info.dialect === 'unknown' && vendor !== undefined)
    return 'arguments' in vendor ? { ...base, arguments: text } : base
  return { ...base, ...placed, type: 'function_call', name: info.name, arguments: text }
}

/** Where a built-in call keeps what is to be done. */
export const actionField = (vendor: JsonObject | undefined): string | undefined =>
  ['action', 'operation', 'actions'].find((field) => vendor?.[field] !== undefined)

function actionOf(field: string, text: string): unknown {
  const action = parseObject(text) ?? {}
  return field === 'actions' ? toList(action['actions']) : action
}
