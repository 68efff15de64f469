/**
 * Events to Anthropic frames. Neighbours: `../encoder.ts` lets frames pass that nobody touched and
 * calls this writer for the rest. Owns the grammar of the wire: blocks one after another, dense
 * indices, no empty text, one signature at the end of a thinking block, a stop reason that agrees
 * with what was delivered (reference `wire-formats.md` 5).
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { jsonShape } from '../../base/json-shape.ts'
import { toObject, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { Delta, EventOf, StreamEvent, WireName } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import { laterReason, type FinishReason } from '../../event/finish.ts'
import { createLossList } from '../../event/loss.ts'
import { mergeUsage, type Usage } from '../../event/usage.ts'
import { writeEvent, type Written } from '../../sse/encode.ts'
import { createEncoder as createModes, type Writer } from '../encoder.ts'
import { seal, unseal } from '../envelope.ts'
import { createToolIds, PLAIN_ID, randomId, toId } from '../ids.ts'
import type { Encoder, EncoderOptions } from '../wire.ts'
import { NAME, type ContentBlockJson, type DeltaJson } from './json.ts'
import { writeError, writeStopReason, writeUsage } from './terms.ts'

export const createEncoder = (options: EncoderOptions = {}): Encoder =>
  createModes(NAME, createWriter(options))

const DELTA_HEAD = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":'
const TEXT_DELTA = ',"delta":{"type":"text_delta","text":'
const THINKING_DELTA = ',"delta":{"type":"thinking_delta","thinking":'
const JSON_DELTA = ',"delta":{"type":"input_json_delta","partial_json":'

/** The block that the client is being told of. */
interface OpenBlock {
  readonly info: BlockInfo
  /** Its index on the wire, once its start has been written. */
  index: number | undefined
  /** The text so far of what must be looked at as a whole: arguments, thinking to be sealed. */
  readonly text: Fragments
  signature: string | undefined
}

function createWriter(options: EncoderOptions): Writer {
  const createId = options.createId ?? randomId
  const losses = createLossList()
  const toolIds = createToolIds(PLAIN_ID, 128)
  let source: WireName | undefined
  let isStarted = false
  let isOver = false
  let nextIndex = 0
  let open: OpenBlock | undefined
  /** Blocks that this wire has no room for: their events go by. */
  const left = new WeakSet<BlockInfo>()
  const done = new WeakSet<BlockInfo>()
  let hasToolCall = false
  let refusal: Fragments | undefined
  let reason: FinishReason | undefined
  let finish: EventOf<'finish'> | undefined
  let usage: Usage | undefined
  let usageEvent: EventOf<'usage'> | undefined

  const emit = (out: Written[], type: string, payload: object): void => {
    out.push(writeEvent(type, JSON.stringify({ type, ...payload })))
  }

  function start(out: Written[], event?: EventOf<'message-start'>): void {
    if (isStarted) return
    isStarted = true
    const vendor = event?.wire === NAME ? event.vendor : undefined
    const message = {
      id: toId('msg_', event?.id ?? '', createId),
      type: 'message',
      role: 'assistant',
      model: event?.model ?? '',
      ...vendor,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: toObject(vendor?.['usage']) ?? { ...writeUsage(event?.usage), output_tokens: 0 },
    }
    emit(out, 'message_start', { message })
  }

  function startBlock(info: BlockInfo, out: Written[]): void {
    if (done.has(info) || left.has(info) || open?.info === info) return
    start(out)
    stopBlock(out)
    if (!hasRoom(info)) {
      left.add(info)
      return
    }
    open = { info, index: undefined, text: createFragments(), signature: undefined }
    // Text and thinking open with their first piece, so that none is ever empty.
    if (info.type !== 'text' && info.type !== 'refusal' && info.type !== 'thinking') openBlock(open, out)
    else if (isWholeAtStart(info)) openBlock(open, out)
  }

  function hasRoom(info: BlockInfo): boolean {
    if (source === NAME && info.vendor !== undefined) return true
    if (info.type === 'server-tool' || info.type === 'tool-result')
      losses.add('dropped', `${info.type} ${info.name}`)
    else if (info.type === 'opaque') losses.add('dropped', `block ${info.vendorType}`)
    else return true
    return false
  }

  /** A sealed thinking block of our own wire has no deltas: all of it stands in its start. */
  const isWholeAtStart = (info: BlockInfo): boolean =>
    info.type === 'thinking' && info.redacted && source === NAME && info.vendor !== undefined

  function openBlock(block: OpenBlock, out: Written[]): number {
    if (block.index !== undefined) return block.index
    block.index = nextIndex++
    emit(out, 'content_block_start', { index: block.index, content_block: toContentBlock(block.info) })
    return block.index
  }

  function toContentBlock(info: BlockInfo): ContentBlockJson | JsonObject {
    const vendor = source === NAME ? info.vendor : undefined
    switch (info.type) {
      case 'text':
      case 'refusal':
        return vendor === undefined
          ? { type: 'text', text: '' }
          : { ...vendor, text: '', ...('citations' in vendor ? { citations: vendor['citations'] === null ? null : [] } : {}) }
      case 'thinking':
        if (isWholeAtStart(info)) return info.vendor ?? {}
        return { ...vendor, type: 'thinking', thinking: '', signature: '' }
      case 'tool-call':
        hasToolCall = true
        return { type: 'tool_use', name: info.name, ...vendor, id: toolIds.take(info.id), input: {} }
      case 'server-tool':
        return { ...vendor, input: {} }
      case 'tool-result':
      case 'opaque':
        return vendor ?? {}
    }
  }

  function growBlock(info: BlockInfo, delta: Delta, out: Written[]): void {
    if (left.has(info) || done.has(info)) return
    if (open?.info !== info) startBlock(info, out)
    const block = open
    if (block === undefined || block.info !== info || isWholeAtStart(info)) return
    switch (delta.type) {
      case 'text':
        if (delta.text === '') return
        if (info.type === 'refusal') (refusal ??= createFragments()).add(delta.text)
        return emitPiece(block, TEXT_DELTA, delta.text, out)
      case 'thinking':
        if (delta.text === '') return
        if (source !== NAME) block.text.add(delta.text)
        return emitPiece(block, THINKING_DELTA, delta.text, out)
      case 'signature':
        block.signature = delta.signature
        return
      case 'arguments':
        return growArguments(block, delta.text, out)
      case 'citation':
        if (source === NAME) emitDelta(block, { type: 'citations_delta', citation: delta.citation }, out)
        else losses.add('dropped', 'citation')
        return
      case 'other':
        if (source === NAME) emitDelta(block, delta.raw, out)
        return
    }
  }

  function growArguments(block: OpenBlock, text: string, out: Written[]): void {
    if (text === '') return
    if (!isCustom(block.info)) {
      block.text.add(text)
      return emitPiece(block, JSON_DELTA, text, out)
    }
    // Free text has no place here: it becomes the one string of an object.
    const opening = block.text.length === 0 ? '{"input":"' : ''
    block.text.add(text)
    emitPiece(block, JSON_DELTA, opening + JSON.stringify(text).slice(1, -1), out)
  }

  /** The deltas of which there are thousands: one string instead of objects (`bench/core.ts`). */
  function emitPiece(block: OpenBlock, head: string, text: string, out: Written[]): void {
    const index = block.index ?? openBlock(block, out)
    out.push(`${DELTA_HEAD}${index}${head}${JSON.stringify(text)}}}\n\n`)
  }

  const emitDelta = (block: OpenBlock, delta: DeltaJson | JsonObject, out: Written[]): void =>
    emit(out, 'content_block_delta', { index: openBlock(block, out), delta })

  function stopBlock(out: Written[]): void {
    const block = open
    if (block === undefined) return
    open = undefined
    done.add(block.info)
    const { info } = block
    if (info.type === 'thinking' && !isWholeAtStart(info)) writeSignature(block, out)
    if (info.type === 'tool-call' && !closeArguments(block, out)) return
    if (block.index !== undefined) emit(out, 'content_block_stop', { index: block.index })
  }

  function writeSignature(block: OpenBlock, out: Written[]): void {
    const isShown = block.index !== undefined || block.signature !== undefined
    if (!isShown) return
    const signature = source === NAME ? block.signature : signatureOf(block)
    if (signature !== undefined) emitDelta(block, { type: 'signature_delta', signature }, out)
  }

  function signatureOf(block: OpenBlock): string {
    const native = unseal(block.signature)
    if (native?.wire === NAME && native.signature !== undefined) return native.signature
    return seal({
      wire: source ?? NAME,
      text: block.text.toString(),
      ...(block.signature === undefined ? {} : { signature: block.signature }),
      ...(sealedItem === undefined ? {} : { item: sealedItem }),
    })
  }
  let sealedItem: JsonObject | undefined

  /** Says the end of the arguments; false when they are such that a client would throw on them. */
  function closeArguments(block: OpenBlock, out: Written[]): boolean {
    if (block.text.length === 0) {
      const nothing = isCustom(block.info) ? '{"input":""}' : '{}'
      emitPiece(block, JSON_DELTA, nothing, out)
      return true
    }
    if (isCustom(block.info)) {
      emitPiece(block, JSON_DELTA, '"}', out)
      return true
    }
    const text = block.text.toString()
    const shape = jsonShape(text)
    if (shape === 'cut' || (shape === 'whole' && text.trimStart().startsWith('{'))) return true
    if (shape === 'empty') return true
    fail(
      { kind: 'bad-stream', message: `The arguments of the call "${nameOf(block.info)}" are no JSON object` },
      out,
    )
    return false
  }

  function stop(out: Written[]): void {
    start(out)
    stopBlock(out)
    if (isOver) return
    isOver = true
    emit(out, 'message_delta', { delta: endOf(), usage: endUsage(), ...restOf(usageEvent) })
    emit(out, 'message_stop', {})
  }

  function endOf(): JsonObject {
    const because = reason ?? 'stop'
    const isRefused = refusal !== undefined && because === 'stop'
    const word = writeStopReason(isRefused ? 'refusal' : because, hasToolCall)
    const vendor = source === NAME ? finish?.vendor : undefined
    const isVendors = finish?.vendorReason !== undefined && because === 'other'
    if (because === 'other' && vendor === undefined) losses.add('approximated', `finish ${finish?.vendorReason ?? ''}`)
    const details =
      word === 'refusal' && vendor === undefined
        ? { stop_details: { type: 'refusal', category: null, explanation: refusal?.toString() ?? null } }
        : {}
    return {
      stop_sequence: finish?.stopSequence ?? null,
      ...details,
      ...(vendor === undefined ? {} : endFields(vendor)),
      stop_reason: isVendors && vendor !== undefined ? (finish?.vendorReason ?? word) : word,
    }
  }

  function endUsage(): JsonObject {
    const vendor = source === NAME ? toObject(usageEvent?.vendor?.['usage']) : undefined
    return { ...(vendor ?? writeUsage(usage)), ...(vendor !== undefined && vendor['output_tokens'] === undefined ? { output_tokens: usage?.outputTokens ?? 0 } : {}) }
  }

  /** Top-level fields of the vendor's `message_delta` that we do not know, such as `context_management`. */
  function restOf(event: EventOf<'usage'> | undefined): JsonObject {
    if (source !== NAME || event?.vendor === undefined) return {}
    const { type: _type, delta: _delta, usage: _usage, ...rest } = event.vendor
    return rest
  }

  function fail(error: StreamFault, out: Written[]): void {
    if (isOver) return
    isOver = true
    open = undefined
    const vendor = source === NAME || source === undefined ? error.vendor : undefined
    const body = writeError(error)
    const isOwn = source === NAME && vendor !== undefined && typeof vendor['type'] === 'string'
    out.push(writeEvent('error', JSON.stringify(isOwn ? { ...body, error: vendor } : body)))
  }

  function note(event: StreamEvent): void {
    if (event.type === 'message-start') source = event.wire
    else if (event.type === 'usage') {
      usage = mergeUsage(usage, event.usage)
      usageEvent = event
    } else if (event.type === 'finish') {
      reason = laterReason(reason, event.reason)
      finish = event
    }
  }

  return {
    track(event) {
      switch (event.type) {
        case 'message-start':
          isStarted = true
          usage = mergeUsage(usage, event.usage)
          note(event)
          return
        case 'block-start':
          open = { info: event.block, index: nextIndex++, text: createFragments(), signature: undefined }
          if (event.block.type === 'tool-call') {
            hasToolCall = true
            toolIds.take(event.block.id)
          }
          return
        case 'block-delta':
          if (open?.info !== event.block) return
          if (event.delta.type === 'arguments') open.text.add(event.delta.text)
          return
        case 'block-stop':
          done.add(event.block)
          if (open?.info === event.block) open = undefined
          return
        case 'message-stop':
        case 'error':
          isOver = true
          return
        default:
          note(event)
      }
    },
    write(event, out) {
      if (isOver || (event.choice ?? 0) !== 0) {
        if ((event.choice ?? 0) !== 0 && event.type === 'block-start') losses.add('dropped', 'choice')
        return
      }
      note(event)
      switch (event.type) {
        case 'message-start':
          usage = mergeUsage(usage, event.usage)
          return start(out, event)
        case 'block-start':
          return startBlock(event.block, out)
        case 'block-delta':
          return growBlock(event.block, event.delta, out)
        case 'block-stop':
          if (open?.info !== event.block) return
          sealedItem = event.vendor
          stopBlock(out)
          sealedItem = undefined
          return
        case 'message-stop':
          return stop(out)
        case 'ping':
          return emit(out, 'ping', {})
        case 'error':
          return fail(event.error, out)
        case 'finish':
        case 'usage':
        case 'other':
      }
    },
    close(out) {
      fail({ kind: 'cut', message: 'The upstream ended before its message had stopped' }, out)
    },
    keepalive: () => writeEvent('ping', '{"type":"ping"}'),
    losses: () => losses.list(),
  }
}

const isCustom = (info: BlockInfo): boolean => info.type === 'tool-call' && info.dialect === 'custom'

const nameOf = (info: BlockInfo): string => ('name' in info ? info.name : info.type)

/** The fields of the vendor's own end, without those that we decide. */
function endFields(vendor: JsonObject): JsonObject {
  const known = ['stop_sequence', 'stop_details', 'container']
  return Object.fromEntries(Object.entries(vendor).filter(([key]) => known.includes(key)))
}
