/**
 * Calls as deltas of a choice: one head each, then the arguments as they come. Neighbours: `choice-writer.ts` gives a call its
 * index and has it begin and end.
 */
import type { Fragments } from '../../base/fragments.ts'
import { jsonShape } from '../../base/json-shape.ts'
import { fullName, type BlockInfo } from '../../event/block.ts'
import { restOfCall } from './vendor-call.ts'

export interface CallDeltasOptions {
  /** Writes a chunk with that delta, which is JSON already. */
  readonly emit: (delta: string) => void
  readonly takeToolId: (id: string) => string
  /** Whether the client knows tools of type `custom`. */
  readonly keepsCustom: boolean
  /** Whether the upstream speaks this wire too. */
  readonly isOwn: () => boolean
}

/** A call that is open; its block may be of another type, and then nothing is written. */
export interface OpenCall {
  readonly info: BlockInfo
  /** Its index. */
  readonly call: number
  /** Its arguments, so far. */
  readonly text: Fragments
}

type CallInfo = Extract<BlockInfo, { type: 'tool-call' }>

/** Of free text towards a client that knows only functions: the one string of an object. */
const OPENING = '{"input":"'

export class CallDeltas {
  private readonly options: CallDeltasOptions

  constructor(options: CallDeltasOptions) {
    this.options = options
  }

  writeHead(info: CallInfo, index: number): void {
    const { takeToolId, isOwn, emit } = this.options
    const head = { index, id: takeToolId(info.id) }
    const name = fullName(info)
    const extra = isOwn() ? restOfCall(info.vendor) : {}
    const call = this.isCustom(info)
      ? { ...head, type: 'custom' as const, custom: { name, input: '' } }
      : { ...extra, ...head, type: 'function' as const, function: { name, arguments: '' } }
    emit(JSON.stringify({ tool_calls: [call] }))
  }

  grow(call: OpenCall, text: string): void {
    if (text === '') return
    const opening = call.text.length === 0 ? OPENING : ''
    call.text.add(text)
    const isWrapped = this.isWrapped(call.info)
    this.write(call, isWrapped ? opening + JSON.stringify(text).slice(1, -1) : text)
  }

  /** Ends it; gives back whether its arguments end in the middle. */
  close(call: OpenCall, isCut: boolean): boolean {
    const isFreeText = call.info.type === 'tool-call' && call.info.dialect === 'custom'
    const isWrapped = this.isWrapped(call.info)
    const isEmpty = call.text.length === 0
    if (isCut) {
      // What is not whole is not closed: half a text must not look like one.
      if (isWrapped && isEmpty) this.write(call, OPENING)
      return true
    }
    if (isWrapped) this.write(call, isEmpty ? '{"input":""}' : '"}')
    else if (!isFreeText && isEmpty) this.write(call, '{}')
    else if (!isFreeText && !this.options.isOwn()) return jsonShape(call.text.toString()) === 'cut'
    return false
  }

  private write({ info, call }: OpenCall, piece: string): void {
    const body = this.isCustom(info) ? '"custom":{"input":' : '"function":{"arguments":'
    this.options.emit(`{"tool_calls":[{"index":${call},${body}${JSON.stringify(piece)}}}]}`)
  }

  private isCustom(info: BlockInfo): boolean {
    const { keepsCustom, isOwn } = this.options
    return info.type === 'tool-call' && info.dialect === 'custom' && (keepsCustom || isOwn())
  }

  /** Free text towards a client that knows only functions: the one string of an object. */
  private isWrapped(info: BlockInfo): boolean {
    return info.type === 'tool-call' && info.dialect === 'custom' && !this.isCustom(info)
  }
}
