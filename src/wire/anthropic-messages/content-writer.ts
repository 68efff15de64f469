/**
 * Blocks to content blocks: one open at a time, each with its whole lifecycle. Neighbours: `encode.ts`
 * decides what is written and wraps it into a message. Text and thinking open with their first piece,
 * so that none is ever empty; a signature is said once, at the end.
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { jsonShape } from '../../base/json-shape.ts'
import type { JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import { takesDelta, type Delta, type WireName } from '../../event/event.ts'
import { noteBlockLoss, type LossList } from '../../event/loss.ts'
import { seal, unseal } from '../envelope.ts'
import { createToolIds, PLAIN_ID } from '../ids.ts'
import { toolsetOf } from './content.ts'
import { NAME, type ContentBlockJson, type DeltaJson } from './json.ts'

export interface ContentWriterOptions {
  readonly emit: (type: string, payload: object) => void
  /** A frame that is text already: for what there are thousands of. */
  readonly emitRaw: (frame: string) => void
  readonly losses: LossList
  readonly source: () => WireName | undefined
  /** The upstream that answers. */
  readonly issuer: string | undefined
  readonly usedIds: ReadonlySet<string> | undefined
  /** A block that no client could read: the answer must end here. */
  readonly onBroken: (message: string) => void
}

export interface ContentWriter {
  start(info: BlockInfo): void
  grow(info: BlockInfo, delta: Delta): void
  /** `isCut`: it ends in the middle. */
  stop(info: BlockInfo, final: JsonObject | undefined, isCut?: boolean): void
  /** Ends the block that is open, if any. */
  close(): void
  /** A block began, grew or ended as it came: note what the client has now seen. */
  trackStart(info: BlockInfo): void
  trackDelta(info: BlockInfo, delta: Delta): void
  trackStop(info: BlockInfo): void
  readonly hasToolCall: boolean
  /** The arguments of a call end in the middle. */
  readonly hasCutCall: boolean
  /** The words of a refusal, which has no block of its own here. */
  refusal(): string | undefined
}

const DELTA_HEAD = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":'
const TEXT_DELTA = ',"delta":{"type":"text_delta","text":'
const THINKING_DELTA = ',"delta":{"type":"thinking_delta","thinking":'
const JSON_DELTA = ',"delta":{"type":"input_json_delta","partial_json":'

/** Of free text, which is the one string of an object here. */
const OPENING = '{"input":"'

/** The block that the client is being told of. */
interface OpenBlock {
  readonly info: BlockInfo
  /** Its index on the wire, once its start has been written. */
  index: number | undefined
  /** The text so far of what must be looked at as a whole: arguments, thinking to be sealed. */
  readonly text: Fragments
  signature: string | undefined
}

export function createContentWriter(options: ContentWriterOptions): ContentWriter {
  const { emit, losses } = options
  const toolIds = createToolIds(PLAIN_ID, 128, options.usedIds)
  /** Blocks that this wire has no room for: their events go by. */
  const left = new Set<BlockInfo>()
  const done = new Set<BlockInfo>()
  /** Blocks that left as they came and are still open, beside the last. */
  const passedOpen = new Map<BlockInfo, OpenBlock>()
  let open: OpenBlock | undefined
  let nextIndex = 0
  let refusal: Fragments | undefined
  let isBroken = false

  function start(info: BlockInfo): void {
    if (done.has(info) || left.has(info) || open?.info === info) return
    close()
    if (isBroken) return
    if (!hasRoom(info)) {
      left.add(info)
      return
    }
    open = { info, index: undefined, text: createFragments(), signature: undefined }
    // Text and thinking open with their first piece, so that none is ever empty.
    if (info.type !== 'text' && info.type !== 'refusal' && info.type !== 'thinking') openBlock(open)
    else if (isWholeAtStart(info)) openBlock(open)
  }

  function hasRoom(info: BlockInfo): boolean {
    const isForeign = options.source() !== NAME || info.vendor === undefined
    if (isForeign) noteBlockLoss(losses, info)
    return (
      !isForeign ||
      (info.type !== 'server-tool' && info.type !== 'tool-result' && info.type !== 'opaque')
    )
  }

  /** A sealed thinking block of our own wire has no deltas: all of it stands in its start. */
  const isWholeAtStart = (info: BlockInfo): boolean =>
    info.type === 'thinking' &&
    info.redacted &&
    options.source() === NAME &&
    info.vendor !== undefined

  function openBlock(block: OpenBlock): number {
    if (block.index !== undefined) return block.index
    block.index = nextIndex++
    emit('content_block_start', { index: block.index, content_block: toContentBlock(block.info) })
    return block.index
  }

  function toContentBlock(info: BlockInfo): ContentBlockJson | JsonObject {
    const vendor = options.source() === NAME ? info.vendor : undefined
    switch (info.type) {
      case 'text':
      case 'refusal':
        return vendor === undefined
          ? { type: 'text', text: '' }
          : {
              ...vendor,
              text: '',
              ...('citations' in vendor
                ? { citations: vendor['citations'] === null ? null : [] }
                : {}),
            }
      case 'thinking':
        if (isWholeAtStart(info)) return info.vendor ?? {}
        return { ...vendor, type: 'thinking', thinking: '', signature: '' }
      case 'tool-call':
        writer.hasToolCall = true
        return {
          type: 'tool_use',
          ...vendor,
          id: toolIds.take(info.id),
          name: info.name,
          ...toolsetOf(info),
          input: {},
        }
      case 'server-tool':
        return { ...vendor, input: {} }
      case 'tool-result':
      case 'opaque':
        return vendor ?? {}
    }
  }

  /** One of several blocks that are open at once goes on. */
  function recall(info: BlockInfo): void {
    const block = passedOpen.get(info)
    if (block === undefined) return
    passedOpen.delete(info)
    if (open !== undefined) passedOpen.set(open.info, open)
    open = block
  }

  function grow(info: BlockInfo, delta: Delta): void {
    recall(info)
    if (left.has(info) || done.has(info) || !takesDelta(info, delta)) return
    if (open?.info !== info) start(info)
    const block = open
    if (block === undefined || block.info !== info || isWholeAtStart(info)) return
    switch (delta.type) {
      case 'text':
        if (delta.text === '') return
        if (info.type === 'refusal') (refusal ??= createFragments()).add(delta.text)
        return emitPiece(block, TEXT_DELTA, delta.text)
      case 'thinking':
        if (delta.text === '') return
        if (options.source() !== NAME) block.text.add(delta.text)
        return emitPiece(block, THINKING_DELTA, delta.text)
      case 'signature':
        block.signature = delta.signature
        return
      case 'arguments':
        return growArguments(block, delta.text)
      case 'citation':
        if (options.source() === NAME)
          emitDelta(block, { type: 'citations_delta', citation: delta.citation })
        else losses.add('dropped', 'citation')
        return
      case 'other':
        if (options.source() === NAME) emitDelta(block, delta.raw)
        return
    }
  }

  function growArguments(block: OpenBlock, text: string): void {
    if (text === '') return
    if (!isCustom(block.info)) {
      block.text.add(text)
      return emitPiece(block, JSON_DELTA, text)
    }
    // Free text has no place here: it becomes the one string of an object.
    const opening = block.text.length === 0 ? OPENING : ''
    block.text.add(text)
    emitPiece(block, JSON_DELTA, opening + JSON.stringify(text).slice(1, -1))
  }

  /** The deltas of which there are thousands: one string instead of objects (`bench/core.ts`). */
  function emitPiece(block: OpenBlock, head: string, text: string): void {
    const index = block.index ?? openBlock(block)
    options.emitRaw(`${DELTA_HEAD}${index}${head}${JSON.stringify(text)}}}\n\n`)
  }

  const emitDelta = (block: OpenBlock, delta: DeltaJson | JsonObject): void =>
    emit('content_block_delta', { index: openBlock(block), delta })

  function close(final?: JsonObject): void {
    for (const block of passedOpen.values()) {
      closeOpen(undefined)
      open = block
    }
    passedOpen.clear()
    closeOpen(final)
  }

  function closeOpen(final: JsonObject | undefined, isCut = false): void {
    const block = open
    if (block === undefined) return
    open = undefined
    done.add(block.info)
    const { info } = block
    if (info.type === 'thinking' && !isWholeAtStart(info)) writeSignature(block, final)
    if (info.type === 'tool-call' && !closeArguments(block, isCut)) return
    if (block.index !== undefined) emit('content_block_stop', { index: block.index })
  }

  function writeSignature(block: OpenBlock, final: JsonObject | undefined): void {
    const isShown = block.index !== undefined || block.signature !== undefined
    if (!isShown) return
    const native = options.source() === NAME ? undefined : unseal(block.signature)
    if (native?.wire === NAME && native.redacted === true && block.index === undefined) {
      block.index = nextIndex++
      const content_block = { type: 'redacted_thinking', data: native.signature ?? '' }
      return emit('content_block_start', { index: block.index, content_block })
    }
    const signature = options.source() === NAME ? block.signature : signatureOf(block, final)
    if (signature !== undefined) emitDelta(block, { type: 'signature_delta', signature })
  }

  function signatureOf(block: OpenBlock, item: JsonObject | undefined): string {
    const native = unseal(block.signature)
    if (native?.wire === NAME && native.signature !== undefined) return native.signature
    return seal({
      wire: options.source() ?? NAME,
      issuer: options.issuer,
      text: block.text.toString(),
      ...(block.signature === undefined ? {} : { signature: block.signature }),
      ...(item === undefined ? {} : { item }),
    })
  }

  /** Says the end of the arguments; false when they are such that a client would throw on them. */
  function closeArguments(block: OpenBlock, isCut: boolean): boolean {
    if (isCut) {
      // What is not whole is not closed: half a text must not look like one.
      writer.hasCutCall = true
      if (isCustom(block.info) && block.text.length === 0) emitPiece(block, JSON_DELTA, OPENING)
      return true
    }
    if (block.text.length === 0) {
      const nothing = isCustom(block.info) ? '{"input":""}' : '{}'
      emitPiece(block, JSON_DELTA, nothing)
      return true
    }
    if (isCustom(block.info)) {
      emitPiece(block, JSON_DELTA, '"}')
      return true
    }
    const text = block.text.toString()
    const shape = jsonShape(text)
    if (shape === 'cut') writer.hasCutCall = true
    if (
      shape === 'cut' ||
      shape === 'empty' ||
      (shape === 'whole' && text.trimStart().startsWith('{'))
    )
      return true
    isBroken = true
    options.onBroken(`The arguments of the call "${nameOf(block.info)}" are no JSON object`)
    return false
  }

  // Fields and not getters: what a getter in a literal costs stands in `base/bag.ts`.
  const writer: { -readonly [Key in keyof ContentWriter]: ContentWriter[Key] } = {
    hasToolCall: false,
    hasCutCall: false,
    start,
    grow,
    stop(info, final, isCut) {
      recall(info)
      if (open?.info === info) closeOpen(final, isCut)
    },
    close: () => close(),
    trackStart(info) {
      // A wire that interleaves leaves several open: all of them must be closed.
      if (open !== undefined) passedOpen.set(open.info, open)
      open = { info, index: nextIndex++, text: createFragments(), signature: undefined }
      if (info.type !== 'tool-call') return
      writer.hasToolCall = true
      toolIds.take(info.id)
    },
    trackDelta(info, delta) {
      const block = open?.info === info ? open : passedOpen.get(info)
      if (delta.type === 'arguments') block?.text.add(delta.text)
    },
    trackStop(info) {
      done.add(info)
      passedOpen.delete(info)
      if (open?.info === info) open = undefined
    },
    refusal: () => refusal?.toString(),
  }
  return writer
}

const isCustom = (info: BlockInfo): boolean =>
  info.type === 'tool-call' && info.dialect === 'custom'

const nameOf = (info: BlockInfo): string => ('name' in info ? info.name : info.type)
