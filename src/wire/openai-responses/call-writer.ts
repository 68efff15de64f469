/**
 * Call items, each from `added` to `done`. Neighbours: `item-writer.ts` opens the item and gives it its
 * place; `call-json.ts` is the item as JSON, `action-call.ts` the vendor's own tools when another vendor's
 * model calls them.
 */
import { jsonShape } from '../../base/json-shape.ts'
import { toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import { actionPrefix, toActionCall } from './action-call.ts'
import { actionField, callJson, isPlain, rawCall } from './call-json.ts'
import { rawPlaceOf, type OpenItem } from './open-item.ts'

export type CallInfo = Extract<BlockInfo, { type: 'tool-call' }>

/** How a call ended. */
interface CallEnd {
  readonly final: JsonObject | undefined
  readonly isCut: boolean
}

export interface CallWriterOptions {
  readonly emitRaw: (type: string, payload: string) => void
  /** `raw`: the item as JSON. */
  readonly add: (item: OpenItem, raw: string) => void
  readonly finish: (item: OpenItem, json: JsonObject, raw?: string) => void
  /** The upstream's own item, on its own wire. */
  readonly ownOf: (info: BlockInfo) => JsonObject | undefined
  /** An id with that prefix for the item at that place. */
  readonly createId: (prefix: string, index: number) => string
}

export interface CallWriter {
  /** What the id of its item begins with. */
  prefixOf(info: CallInfo): string
  open(item: OpenItem, info: CallInfo): void
  grow(item: OpenItem, text: string): void
  close(item: OpenItem, final: JsonObject | undefined, isCut: boolean): void
  /** The arguments of a call end in the middle. */
  readonly hasCutCall: boolean
}

export function createCallWriter(options: CallWriterOptions): CallWriter {
  const { emitRaw, add, finish, ownOf } = options

  const isActionCall = (info: BlockInfo): boolean => actionField(ownOf(info)) !== undefined

  /** A call of one of the vendor's own tools that another vendor's model made. */
  const isMadeAction = (info: BlockInfo): boolean =>
    info.type === 'tool-call' &&
    ownOf(info) === undefined &&
    actionPrefix(info.dialect) !== undefined

  function begin(item: OpenItem, info: CallInfo): void {
    const vendor = ownOf(info)
    const raw = isPlain({ info, vendor })
      ? rawCall(item, info.name, '""', 'in_progress')
      : JSON.stringify({ ...callJson(item, { info, vendor, text: '' }), status: 'in_progress' })
    add(item, raw)
  }

  /** Gives back what is left to close: arguments that are no action are a function's, for the client to refuse. */
  function closeAction(item: OpenItem, info: CallInfo): OpenItem | undefined {
    const said = item.text.toString()
    const action = toActionCall(info.dialect, said)
    if (action !== undefined) {
      const json = { id: item.id, call_id: item.callId, ...action }
      add(item, JSON.stringify({ ...json, status: 'in_progress' }))
      finish(item, { ...json, status: 'completed' })
      return undefined
    }
    const plain: CallInfo = { ...info, dialect: 'function' }
    const call = { ...item, info: plain, id: options.createId('fc', item.index) }
    begin(call, plain)
    if (said !== '')
      emitRaw(
        'response.function_call_arguments.delta',
        `${rawPlaceOf(call)},"delta":${JSON.stringify(said)}`,
      )
    return call
  }

  function closeCall(item: OpenItem, info: CallInfo, end: CallEnd): void {
    const said = item.text.toString()
    const text = said === '' && info.dialect !== 'custom' ? '{}' : said
    // Said twice and more until its answer is over, and written as JSON once.
    const literal = JSON.stringify(text)
    const place = rawPlaceOf(item)
    if (info.dialect === 'custom')
      emitRaw('response.custom_tool_call_input.done', `${place},"input":${literal}`)
    else if (!isActionCall(info)) {
      if (said === '')
        emitRaw('response.function_call_arguments.delta', `${place},"delta":${literal}`)
      emitRaw('response.function_call_arguments.done', `${place},"arguments":${literal}`)
    }
    const isCut = end.isCut || (info.dialect !== 'custom' && jsonShape(text) === 'cut')
    writer.hasCutCall ||= isCut
    const vendor = ownOf(info)
    const call = callJson(item, { info, vendor, text: isActionCall(info) ? said : text })
    const status = isCut ? 'incomplete' : (toText(end.final?.['status']) ?? 'completed')
    const raw = isPlain({ info, vendor }) ? rawCall(item, info.name, literal, status) : undefined
    finish(item, { ...call, status }, raw)
  }

  // A field and not a getter: what a getter in a literal costs stands in `base/bag.ts`.
  const writer: { -readonly [Key in keyof CallWriter]: CallWriter[Key] } = {
    hasCutCall: false,
    prefixOf: (info) =>
      (isMadeAction(info) ? actionPrefix(info.dialect) : undefined) ??
      (info.dialect === 'custom' ? 'ctc' : 'fc'),
    open(item, info) {
      // These items have no deltas, and half an action is none: it is said as a whole when it is over.
      if (!isMadeAction(info)) begin(item, info)
    },
    grow(item, text) {
      item.text.add(text)
      if (text === '' || isActionCall(item.info) || isMadeAction(item.info)) return
      const type = isCustom(item.info)
        ? 'response.custom_tool_call_input.delta'
        : 'response.function_call_arguments.delta'
      emitRaw(type, `${rawPlaceOf(item)},"delta":${JSON.stringify(text)}`)
    },
    close(item, final, isCut) {
      const { info } = item
      if (info.type !== 'tool-call') return
      const left = isMadeAction(info) ? closeAction(item, info) : item
      if (left?.info.type === 'tool-call') closeCall(left, left.info, { final, isCut })
    },
  }
  return writer
}

const isCustom = (info: BlockInfo): boolean =>
  info.type === 'tool-call' && info.dialect === 'custom'
