/**
 * One choice to deltas: role first and once, calls with dense indices and one head, text in paragraphs,
 * the finish alone. Neighbours: `encode.ts` has one per choice and puts the envelope around each delta.
 */
import { FewSet } from '../../base/few.ts'
import { createFragments } from '../../base/fragments.ts'
import { toText, type JsonObject } from '../../base/json.ts'
import { isNotice, type BlockInfo } from '../../event/block.ts'
import {
  takesDelta,
  type Delta,
  type EventOf,
  type StreamEvent,
  type WireName,
} from '../../event/event.ts'
import { cutReason, laterReason, noteFinishLoss, type FinishReason } from '../../event/finish.ts'
import { noteBlockLoss, type LossList } from '../../event/loss.ts'
import { citesBlocks, toUrlCitation } from '../citation.ts'
import { CallDeltas, type OpenCall } from './call-deltas.ts'
import { NAME, type DeltaJson } from './json.ts'
import { toReasoningDetails } from './reasoning.ts'
import { writeFinish } from './terms.ts'
import { indexOf } from './vendor-call.ts'

export interface ChoiceWriterOptions {
  /** Writes a chunk with that delta, which is JSON already. */
  readonly emit: (delta: string) => void
  readonly emitFinish: (word: string) => void
  readonly losses: LossList
  readonly source: () => WireName | undefined
  readonly takeToolId: (id: string) => string
  /** The upstream that answers. */
  readonly issuer: string | undefined
  /** Whether the client knows tools of type `custom`. */
  readonly keepsCustom: boolean
}

export interface ChoiceWriter {
  giveRole(): void
  /** The role left as it came. Some servers never give one, and then it is ours to give. */
  noteRole(): void
  start(info: BlockInfo): void
  grow(info: BlockInfo, delta: Delta): void
  /** `isCut`: it ends in the middle. */
  stop(info: BlockInfo, final: JsonObject | undefined, isCut?: boolean): void
  note(finish: EventOf<'finish'>): void
  /** Ends the choice. */
  finish(): void
  /** An event left as it came: note what the client has now seen. */
  track(event: StreamEvent): void
}

interface OpenBlock extends OpenCall {
  readonly seals: string[]
  /** Where its text begins in the text of the choice. */
  textAt: number
  readonly citations: JsonObject[]
}

const openBlock = (info: BlockInfo, call: number): OpenBlock => ({
  info,
  call,
  text: createFragments(),
  seals: [],
  textAt: 0,
  citations: [],
})

/** Between paragraphs that are one text here. */
const GAP = '\n\n'

export const createChoiceWriter = (options: ChoiceWriterOptions): ChoiceWriter =>
  new Deltas(options)

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class Deltas implements ChoiceWriter {
  private readonly options: ChoiceWriterOptions
  private readonly losses: LossList
  private readonly done = new FewSet<BlockInfo>()
  private hasRole = false
  private nextCall = 0
  private hasToolCall = false
  private textLength = 0
  /** The message item that the last text was part of, on the wire that has them. */
  private lastItem: JsonObject | undefined
  private hasThinking = false
  private needsGap = false // text has been written, and something else since
  private isAfterNotice = false
  private hasCutCall = false
  private open: OpenBlock | undefined
  private reason: FinishReason | undefined
  private ending: EventOf<'finish'> | undefined
  private isFinished = false
  private hasCallSince = false
  private caller: CallDeltas | undefined

  constructor(options: ChoiceWriterOptions) {
    this.options = options
    this.losses = options.losses
  }

  private isOwn(): boolean {
    return this.options.source() === NAME
  }

  private emitRaw(delta: string): void {
    this.giveRole()
    this.options.emit(delta)
  }

  private emitDelta(delta: DeltaJson): void {
    this.emitRaw(JSON.stringify(delta))
  }

  giveRole(): void {
    if (this.hasRole) return
    this.hasRole = true
    this.options.emit('{"role":"assistant","content":""}')
  }

  start(info: BlockInfo): void {
    if (this.done.has(info) || this.open?.info === info) return
    this.close()
    const isCall = info.type === 'tool-call'
    this.open = openBlock(info, isCall ? this.nextCall++ : -1)
    if (this.textLength > 0 && info.type !== 'text') this.needsGap = true
    if (isCall) this.writeHead(info, this.open.call)
    else if (!this.isOwn()) noteBlockLoss(this.losses, info)
  }

  private writeHead(info: Extract<BlockInfo, { type: 'tool-call' }>, index: number): void {
    this.hasToolCall = true
    this.hasCallSince = true
    this.calls().writeHead(info, index)
  }

  /** Many answers have none. */
  private calls(): CallDeltas {
    this.caller ??= new CallDeltas({
      emit: (delta) => this.emitRaw(delta),
      takeToolId: this.options.takeToolId,
      keepsCustom: this.options.keepsCustom,
      isOwn: () => this.isOwn(),
    })
    return this.caller
  }

  grow(info: BlockInfo, delta: Delta): void {
    if (this.done.has(info) || !takesDelta(info, delta)) return
    if (this.open?.info !== info) this.start(info)
    const block = this.open
    if (block === undefined) return
    switch (delta.type) {
      case 'text':
        return this.writeText(block, delta.text)
      case 'thinking':
        if (delta.text === '') return
        if (block.text.length === 0 && this.hasThinking && !this.isOwn())
          this.emitDelta({ reasoning_content: GAP })
        this.hasThinking = true
        block.text.add(delta.text)
        return this.emitRaw(`{"reasoning_content":${JSON.stringify(delta.text)}}`)
      case 'signature':
        block.seals.push(delta.signature)
        return
      case 'arguments':
        if (info.type === 'tool-call') this.calls().grow(block, delta.text)
        return
      case 'citation':
        if (citesBlocks(this.options.source())) block.citations.push(delta.citation)
        else this.writeCitation(block, delta.citation)
        return
      case 'other':
    }
  }

  private writeText(block: OpenBlock, text: string): void {
    if (text === '') return
    if (block.info.type === 'refusal') return this.emitDelta({ refusal: text })
    if (block.info.type !== 'text') return
    if (block.text.length === 0) this.openParagraph(block)
    block.text.add(text)
    this.textLength += text.length
    this.emitRaw(`{"content":${JSON.stringify(text)}}`)
  }

  /** Text that a call or a thought stood between, or that is another message, is another paragraph. */
  private openParagraph(block: OpenBlock): void {
    const isOther =
      this.options.source() === 'openai-responses' && this.lastItem !== block.info.vendor
    // Words of ours stand apart, also from text that came as one.
    const isApart = isNotice(block.info) || this.isAfterNotice
    this.isAfterNotice = isNotice(block.info)
    if (this.textLength > 0 && (isApart || ((this.needsGap || isOther) && !this.isOwn()))) {
      this.emitDelta({ content: GAP })
      this.textLength += GAP.length
    }
    this.needsGap = false
    this.lastItem = block.info.vendor
    block.textAt = this.textLength
  }

  private writeCitation(block: OpenBlock, citation: JsonObject): void {
    const extent = { start: block.textAt, end: this.textLength }
    const annotation = this.isOwn()
      ? citation
      : toUrlCitation(citation, this.options.source(), extent)
    if (annotation === undefined)
      this.losses.add('dropped', `citation ${toText(citation['type']) ?? ''}`.trim())
    // An entry without an index makes the vendor's Python client throw.
    else this.emitDelta({ annotations: [{ index: 0, ...annotation }] })
  }

  private close(final?: JsonObject, isCut = false): void {
    const block = this.open
    if (block === undefined) return
    this.open = undefined
    const { info, seals } = block
    this.done.add(info)
    for (const citation of block.citations) this.writeCitation(block, citation)
    if (info.type === 'tool-call' && this.calls().close(block, isCut)) this.hasCutCall = true
    if (info.type === 'thinking' && seals.length > 0) {
      const sealed = {
        seals,
        text: block.text.toString(),
        source: this.options.source(),
        issuer: this.options.issuer,
        redacted: info.redacted,
        item: final,
      }
      this.emitDelta({ reasoning_details: toReasoningDetails(sealed) })
    }
    if (this.isOwn() && info.type === 'server-tool' && info.vendor !== undefined)
      this.emitDelta({ executed_tools: [info.vendor] })
  }

  /** A word of the upstream's that says more than ours, and agrees with what was delivered. */
  private ownFinish(because: FinishReason): string | undefined {
    const word = this.isOwn() ? this.ending?.vendorReason : undefined
    const isKept =
      because === 'other' ? !this.hasToolCall : word === 'function_call' && this.hasToolCall
    return isKept ? word : undefined
  }

  noteRole(): void {
    this.hasRole = true
  }

  stop(info: BlockInfo, final: JsonObject | undefined, isCut?: boolean): void {
    if (this.open?.info === info) this.close(final, isCut)
  }

  note(event: EventOf<'finish'>): void {
    this.reason = laterReason(this.reason, event.reason)
    this.ending = event
  }

  finish(): void {
    // Told as it came; only a call that was written since needs another word.
    if (this.isFinished && !this.hasCallSince) return
    this.close()
    this.giveRole()
    const because = cutReason(this.reason ?? 'stop', this.hasCutCall)
    if (!this.isOwn()) {
      if (this.ending?.explanation !== undefined)
        this.emitDelta({ refusal: this.ending.explanation })
      noteFinishLoss(this.losses, because, this.ending?.vendorReason)
    }
    this.options.emitFinish(this.ownFinish(because) ?? writeFinish(because, this.hasToolCall))
  }

  track(event: StreamEvent): void {
    switch (event.type) {
      case 'block-start': {
        const isCall = event.block.type === 'tool-call'
        // The index that the upstream gave, right or wrong, is the one that the client knows.
        const index = indexOf(event.block) ?? this.nextCall
        this.open = openBlock(event.block, isCall ? index : -1)
        if (!isCall) return
        this.nextCall = Math.max(this.nextCall, index) + 1
        this.hasToolCall = true
        this.options.takeToolId(event.block.id)
        return
      }
      case 'block-delta':
        if (this.open?.info === event.block && 'text' in event.delta)
          this.open.text.add(event.delta.text)
        if (event.delta.type === 'text') this.textLength += event.delta.text.length
        return
      case 'block-stop':
        this.done.add(event.block)
        if (this.open?.info === event.block) this.open = undefined
        return
      case 'finish':
        this.isFinished = true
        return
      case 'message-start':
      case 'usage':
      case 'message-stop':
      case 'ping':
      case 'error':
      case 'other':
    }
  }
}
