/**
 * Blocks to content blocks: one open at a time, each with its whole lifecycle. Neighbours: `encode.ts`
 * decides what is written and wraps it into a message. Text and thinking open with their first piece,
 * so that none is ever empty; a signature is said once, at the end.
 */
import { FewMap, FewSet } from '../../base/few.ts'
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { jsonShape } from '../../base/json-shape.ts'
import type { JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import { takesDelta, type Delta, type WireName } from '../../event/event.ts'
import { noteBlockLoss, type LossList } from '../../event/loss.ts'
import { seal, unseal } from '../envelope.ts'
import { ToolIds, PLAIN_ID } from '../ids.ts'
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

export const createContentWriter = (options: ContentWriterOptions): ContentWriter =>
  new Blocks(options)

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class Blocks implements ContentWriter {
  hasToolCall = false
  hasCutCall = false
  private readonly options: ContentWriterOptions
  private readonly emit: ContentWriterOptions['emit']
  private readonly losses: LossList
  private readonly toolIds: ToolIds
  /** Blocks that this wire has no room for: their events go by. */
  private readonly left = new FewSet<BlockInfo>()
  private readonly done = new FewSet<BlockInfo>()
  /** Blocks that left as they came and are still open, beside the last. */
  private readonly passedOpen = new FewMap<BlockInfo, OpenBlock>()
  private open: OpenBlock | undefined
  private nextIndex = 0
  private refused: Fragments | undefined
  private isBroken = false

  constructor(options: ContentWriterOptions) {
    this.options = options
    this.emit = options.emit
    this.losses = options.losses
    this.toolIds = new ToolIds(PLAIN_ID, 128, options.usedIds)
  }

  start(info: BlockInfo): void {
    if (this.done.has(info) || this.left.has(info) || this.open?.info === info) return
    this.close()
    if (this.isBroken) return
    if (!this.hasRoom(info)) {
      this.left.add(info)
      return
    }
    this.open = { info, index: undefined, text: createFragments(), signature: undefined }
    // Text and thinking open with their first piece, so that none is ever empty.
    if (info.type !== 'text' && info.type !== 'refusal' && info.type !== 'thinking')
      this.openBlock(this.open)
    else if (this.isWholeAtStart(info)) this.openBlock(this.open)
  }

  private hasRoom(info: BlockInfo): boolean {
    const isForeign = this.options.source() !== NAME || info.vendor === undefined
    if (isForeign) noteBlockLoss(this.losses, info)
    return (
      !isForeign ||
      (info.type !== 'server-tool' && info.type !== 'tool-result' && info.type !== 'opaque')
    )
  }

  /** A sealed thinking block of our own wire has no deltas: all of it stands in its start. */
  private isWholeAtStart(info: BlockInfo): boolean {
    return (
      info.type === 'thinking' &&
      info.redacted &&
      this.options.source() === NAME &&
      info.vendor !== undefined
    )
  }

  private openBlock(block: OpenBlock): number {
    if (block.index !== undefined) return block.index
    block.index = this.nextIndex++
    this.emit('content_block_start', {
      index: block.index,
      content_block: this.toContentBlock(block.info),
    })
    return block.index
  }

  private toContentBlock(info: BlockInfo): ContentBlockJson | JsonObject {
    const vendor = this.options.source() === NAME ? info.vendor : undefined
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
        if (this.isWholeAtStart(info)) return info.vendor ?? {}
        return { ...vendor, type: 'thinking', thinking: '', signature: '' }
      case 'tool-call':
        this.hasToolCall = true
        return {
          type: 'tool_use',
          ...vendor,
          id: this.toolIds.take(info.id),
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
  private recall(info: BlockInfo): void {
    const block = this.passedOpen.get(info)
    if (block === undefined) return
    this.passedOpen.delete(info)
    if (this.open !== undefined) this.passedOpen.set(this.open.info, this.open)
    this.open = block
  }

  grow(info: BlockInfo, delta: Delta): void {
    this.recall(info)
    if (this.left.has(info) || this.done.has(info) || !takesDelta(info, delta)) return
    if (this.open?.info !== info) this.start(info)
    const block = this.open
    if (block === undefined || block.info !== info || this.isWholeAtStart(info)) return
    switch (delta.type) {
      case 'text':
        if (delta.text === '') return
        if (info.type === 'refusal') (this.refused ??= createFragments()).add(delta.text)
        return this.emitPiece(block, TEXT_DELTA, delta.text)
      case 'thinking':
        if (delta.text === '') return
        if (this.options.source() !== NAME) block.text.add(delta.text)
        return this.emitPiece(block, THINKING_DELTA, delta.text)
      case 'signature':
        block.signature = delta.signature
        return
      case 'arguments':
        return this.growArguments(block, delta.text)
      case 'citation':
        if (this.options.source() === NAME)
          this.emitDelta(block, { type: 'citations_delta', citation: delta.citation })
        else this.losses.add('dropped', 'citation')
        return
      case 'other':
        if (this.options.source() === NAME) this.emitDelta(block, delta.raw)
        return
    }
  }

  private growArguments(block: OpenBlock, text: string): void {
    if (text === '') return
    if (!isCustom(block.info)) {
      block.text.add(text)
      return this.emitPiece(block, JSON_DELTA, text)
    }
    // Free text has no place here: it becomes the one string of an object.
    const opening = block.text.length === 0 ? OPENING : ''
    block.text.add(text)
    this.emitPiece(block, JSON_DELTA, opening + JSON.stringify(text).slice(1, -1))
  }

  /** The deltas of which there are thousands: one string instead of objects (`bench/core.ts`). */
  private emitPiece(block: OpenBlock, head: string, text: string): void {
    const index = block.index ?? this.openBlock(block)
    this.options.emitRaw(`${DELTA_HEAD}${index}${head}${JSON.stringify(text)}}}\n\n`)
  }

  private emitDelta(block: OpenBlock, delta: DeltaJson | JsonObject): void {
    this.emit('content_block_delta', { index: this.openBlock(block), delta })
  }

  close(final?: JsonObject): void {
    for (const block of this.passedOpen.values()) {
      this.closeOpen(undefined)
      this.open = block
    }
    this.passedOpen.clear()
    this.closeOpen(final)
  }

  private closeOpen(final: JsonObject | undefined, isCut = false): void {
    const block = this.open
    if (block === undefined) return
    this.open = undefined
    this.done.add(block.info)
    const { info } = block
    if (info.type === 'thinking' && !this.isWholeAtStart(info)) this.writeSignature(block, final)
    if (info.type === 'tool-call' && !this.closeArguments(block, isCut)) return
    if (block.index !== undefined) this.emit('content_block_stop', { index: block.index })
  }

  private writeSignature(block: OpenBlock, final: JsonObject | undefined): void {
    const isShown = block.index !== undefined || block.signature !== undefined
    if (!isShown) return
    const native = this.options.source() === NAME ? undefined : unseal(block.signature)
    if (native?.wire === NAME && native.redacted === true && block.index === undefined) {
      block.index = this.nextIndex++
      const content_block = { type: 'redacted_thinking', data: native.signature ?? '' }
      return this.emit('content_block_start', { index: block.index, content_block })
    }
    const signature =
      this.options.source() === NAME ? block.signature : this.signatureOf(block, final)
    if (signature !== undefined) this.emitDelta(block, { type: 'signature_delta', signature })
  }

  private signatureOf(block: OpenBlock, item: JsonObject | undefined): string {
    const native = unseal(block.signature)
    if (native?.wire === NAME && native.signature !== undefined) return native.signature
    return seal({
      wire: this.options.source() ?? NAME,
      issuer: this.options.issuer,
      text: block.text.toString(),
      ...(block.signature === undefined ? {} : { signature: block.signature }),
      ...(item === undefined ? {} : { item }),
    })
  }

  /** Says the end of the arguments; false when they are such that a client would throw on them. */
  private closeArguments(block: OpenBlock, isCut: boolean): boolean {
    if (isCut) {
      // What is not whole is not closed: half a text must not look like one.
      this.hasCutCall = true
      if (isCustom(block.info) && block.text.length === 0)
        this.emitPiece(block, JSON_DELTA, OPENING)
      return true
    }
    if (block.text.length === 0) {
      const nothing = isCustom(block.info) ? '{"input":""}' : '{}'
      this.emitPiece(block, JSON_DELTA, nothing)
      return true
    }
    if (isCustom(block.info)) {
      this.emitPiece(block, JSON_DELTA, '"}')
      return true
    }
    const text = block.text.toString()
    const shape = jsonShape(text)
    if (shape === 'cut') this.hasCutCall = true
    if (
      shape === 'cut' ||
      shape === 'empty' ||
      (shape === 'whole' && text.trimStart().startsWith('{'))
    )
      return true
    this.isBroken = true
    this.options.onBroken(`The arguments of the call "${nameOf(block.info)}" are no JSON object`)
    return false
  }

  stop(info: BlockInfo, final: JsonObject | undefined, isCut?: boolean): void {
    this.recall(info)
    if (this.open?.info === info) this.closeOpen(final, isCut)
  }

  trackStart(info: BlockInfo): void {
    // A wire that interleaves leaves several open: all of them must be closed.
    if (this.open !== undefined) this.passedOpen.set(this.open.info, this.open)
    this.open = { info, index: this.nextIndex++, text: createFragments(), signature: undefined }
    if (info.type !== 'tool-call') return
    this.hasToolCall = true
    this.toolIds.take(info.id)
  }

  trackDelta(info: BlockInfo, delta: Delta): void {
    const block = this.open?.info === info ? this.open : this.passedOpen.get(info)
    if (delta.type === 'arguments') block?.text.add(delta.text)
  }

  trackStop(info: BlockInfo): void {
    this.done.add(info)
    this.passedOpen.delete(info)
    if (this.open?.info === info) this.open = undefined
  }

  refusal(): string | undefined {
    return this.refused?.toString()
  }
}

const isCustom = (info: BlockInfo): boolean =>
  info.type === 'tool-call' && info.dialect === 'custom'

const nameOf = (info: BlockInfo): string => ('name' in info ? info.name : info.type)
