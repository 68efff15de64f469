/**
 * Blocks to output items: one item open at a time, each with its whole lifecycle. Neighbours:
 * `encode.ts` decides what is written and wraps it into a response. Keeps the finished items, since
 * the terminal event repeats them all and an SDK believes that one.
 */
import { FewMap, FewSet } from '../../base/few.ts'
import { createFragments } from '../../base/fragments.ts'
import { toText, type JsonObject } from '../../base/json.ts'
import { isNotice, type BlockInfo } from '../../event/block.ts'
import { takesDelta, type Delta } from '../../event/event.ts'
import { noteBlockLoss, type LossList } from '../../event/loss.ts'
import { citesBlocks } from '../citation.ts'
import { NAME } from './json.ts'
import { createCallWriter, type CallInfo, type CallWriter } from './call-writer.ts'
import { createMessageParts, messageOf, rawMessage, type MessageParts } from './message-parts.ts'
import { newItem, type OpenItem } from './open-item.ts'
import { ReasoningWriter, type ReasoningWriterOptions } from './reasoning-writer.ts'
import type { Passed } from './tracking.ts'

export interface ItemWriterOptions extends ReasoningWriterOptions {
  readonly emit: (type: string, payload: object) => void
  /** As `emit`, for what there are thousands of: the payload is JSON already, without its braces. */
  readonly emitRaw: (type: string, payload: string) => void
  readonly losses: LossList
  readonly takeToolId: (id: string) => string
  /** A name for this response that item ids are made of. */
  readonly responseKey: () => string
}

export interface ItemWriter {
  start(info: BlockInfo): void
  grow(info: BlockInfo, delta: Delta): void
  /** `isCut`: it ends in the middle. */
  stop(info: BlockInfo, final: JsonObject | undefined, isCut?: boolean): void
  /** Ends the item that is open, if any. */
  close(): void
  /** The place of an item that is passed on as the upstream wrote it. */
  takeIndex(): number
  /** That id, or one like it that no item has yet. */
  takeId(id: string): string
  /** An item left as it came: its place and id are taken. */
  keep(index: number, id: string): void
  /** Goes on with an item that left as it came. */
  resume(item: NonNullable<Passed['open']>): void
  /** Finished items by their place. */
  readonly output: Map<number, JsonObject>
  /** The same, in order, as JSON. */
  rawOutput(): string
  /** The arguments of a call end in the middle. */
  hasCutCall(): boolean
}

export const createItemWriter = (options: ItemWriterOptions): ItemWriter => new Items(options)

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class Items implements ItemWriter {
  /** Finished items by their place. */
  readonly output = new Map<number, JsonObject>()
  private readonly options: ItemWriterOptions
  private readonly emitRaw: ItemWriterOptions['emitRaw']
  private readonly losses: LossList
  /** Finished items as JSON: the terminal event says them again. */
  private readonly raws = new FewMap<JsonObject, string>()
  private open: OpenItem | undefined
  private nextIndex = 0
  private readonly ids = new FewSet<string>()
  private idCounts: Map<string, number> | undefined
  private readonly parts: MessageParts
  private thoughts: ReasoningWriter | undefined
  private caller: CallWriter | undefined
  /** The block whose part is open. */
  private current: BlockInfo | undefined
  /** Citations of the growing text whose place is known when it is over. */
  private citations: JsonObject[] = []

  constructor(options: ItemWriterOptions) {
    this.options = options
    this.emitRaw = options.emitRaw
    this.losses = options.losses
    this.parts = createMessageParts(options)
  }

  /** Most answers have none. */
  private calls(): CallWriter {
    this.caller ??= createCallWriter({
      emitRaw: this.options.emitRaw,
      add: (item, raw) => this.add(item, raw),
      finish: (item, json, raw) => this.finish(item, json, raw),
      ownOf: (info) => this.ownOf(info),
      createId: (prefix, index) => this.createId(prefix, index),
    })
    return this.caller
  }

  start(info: BlockInfo): void {
    if (info.type === 'tool-call') this.openCall(info)
  }

  grow(info: BlockInfo, delta: Delta): void {
    if (!takesDelta(info, delta)) return
    switch (delta.type) {
      case 'text':
        if (info.type === 'text' || info.type === 'refusal') this.growPart(info, delta.text)
        return
      case 'thinking':
        return this.growReasoning(info, delta.text)
      case 'signature':
        if (info.type === 'thinking') this.openReasoning(info).signature = delta.signature
        return
      case 'arguments':
        if (this.open?.info === info && info.type === 'tool-call')
          this.calls().grow(this.open, delta.text)
        return
      case 'citation':
        if (citesBlocks(this.options.source())) this.citations.push(delta.citation)
        else if (this.open?.part === 'output_text')
          this.parts.annotate(this.open, delta.citation, this.isOwn(info))
        return
      case 'other':
    }
  }

  stop(info: BlockInfo, final: JsonObject | undefined, isCut?: boolean): void {
    if (info.type === 'text' || info.type === 'refusal') {
      if (this.current === info && this.open !== undefined) {
        for (const citation of this.citations)
          this.parts.annotate(this.open, citation, this.isOwn(info))
        if (this.isOwn(info)) this.open.final = final
      }
      this.citations = []
      return
    }
    if (this.open?.info === info) return this.close(final, isCut)
    if (info.type === 'thinking' || info.type === 'tool-call') return
    if (this.isOwn(info)) this.passItem(info, final)
    else noteBlockLoss(this.losses, info)
  }

  takeIndex(): number {
    this.close()
    return this.nextIndex++
  }

  keep(index: number, id: string): void {
    this.nextIndex = Math.max(this.nextIndex, index + 1)
    this.ids.add(id)
  }

  resume(item: NonNullable<Passed['open']>): void {
    const { info } = item
    const isPart = (info.type === 'text' || info.type === 'refusal') && item.text !== undefined
    this.current = isPart ? info : undefined
    this.open = {
      ...newItem(item),
      parts: [...item.parts],
      rawParts: item.parts.map((part) => JSON.stringify(part)),
      text: createFragments(item.text),
      part: isPart ? (info.type === 'refusal' ? 'refusal' : 'output_text') : undefined,
      callId: info.id,
    }
  }

  rawOutput(): string {
    const items = outputOf(this.output).map((item) => this.raws.get(item) ?? JSON.stringify(item))
    return `[${items.join(',')}]`
  }

  hasCutCall(): boolean {
    return this.caller?.hasCutCall === true
  }

  private isOwn(info: BlockInfo): boolean {
    return this.options.source() === NAME && info.vendor !== undefined
  }

  private openItem(info: BlockInfo, prefix: string): OpenItem {
    const index = this.nextIndex++
    const own = this.isOwn(info) ? toText(info.vendor?.['id']) : undefined
    const id = own === undefined ? this.createId(prefix, index) : this.takeId(own)
    return newItem({ info, index, id })
  }

  private createId(prefix: string, index: number): string {
    return this.takeId(`${prefix}_${this.options.responseKey()}_${index}`)
  }

  takeId(id: string): string {
    let unique = id
    while (this.ids.has(unique)) {
      this.idCounts ??= new Map()
      const count = (this.idCounts.get(id) ?? 0) + 1
      this.idCounts.set(id, count)
      unique = `${id}_${count}`
    }
    this.ids.add(unique)
    return unique
  }

  private add(item: OpenItem, raw: string): void {
    this.emitRaw('response.output_item.added', `"output_index":${item.index},"item":${raw}`)
  }

  private finish(item: OpenItem, json: JsonObject, raw = JSON.stringify(json)): void {
    this.output.set(item.index, json)
    this.raws.set(json, raw)
    this.emitRaw('response.output_item.done', `"output_index":${item.index},"item":${raw}`)
  }

  // Messages: text and refusal blocks are parts.

  private openMessage(info: BlockInfo): OpenItem {
    if (this.open !== undefined && this.isSameMessage(this.open, info)) return this.open
    this.close()
    this.open = this.openItem(info, 'msg')
    const vendor = this.ownOf(info)
    this.add(
      this.open,
      vendor === undefined
        ? rawMessage(this.open, 'in_progress', '')
        : JSON.stringify({ ...messageOf(this.open, vendor), status: 'in_progress', content: [] }),
    )
    return this.open
  }

  private closeMessage(item: OpenItem): void {
    this.parts.close(item)
    const vendor = this.ownOf(item.info)
    const json = { ...messageOf(item, vendor), status: 'completed', content: item.parts }
    const raw =
      vendor === undefined ? rawMessage(item, 'completed', item.rawParts.join(',')) : undefined
    this.finish(item, json, raw)
  }

  private isSameMessage(item: OpenItem, info: BlockInfo): boolean {
    return (
      (item.info.type === 'text' || item.info.type === 'refusal') &&
      item.info.vendor === info.vendor &&
      !isNotice(item.info) &&
      !isNotice(info)
    )
  }

  private growPart(info: BlockInfo, text: string): void {
    if (text === '') return
    const type = info.type === 'refusal' ? 'refusal' : 'output_text'
    const isGrowing = this.open?.part === type && this.current === info
    const item = isGrowing && this.open !== undefined ? this.open : this.openMessage(info)
    // Adjacent text from elsewhere is one text that was cut up: it goes on in the same part.
    if (!isGrowing) {
      this.parts.open(item, type, this.isOwn(info))
      item.blockAt = item.text.length
    }
    this.current = info
    this.parts.grow(item, type, text)
  }

  // Reasoning.

  private openReasoning(info: BlockInfo): OpenItem {
    if (this.open?.info === info) return this.open
    this.close()
    this.open = this.openItem(info, 'rs')
    this.add(this.open, JSON.stringify({ id: this.open.id, type: 'reasoning', summary: [] }))
    return this.open
  }

  private growReasoning(info: BlockInfo, text: string): void {
    if (text !== '') this.reasoning().grow(this.openReasoning(info), text)
  }

  /** Most answers have none. */
  private reasoning(): ReasoningWriter {
    return (this.thoughts ??= new ReasoningWriter(this.options))
  }

  // Calls.

  private ownOf(info: BlockInfo): JsonObject | undefined {
    return this.isOwn(info) ? info.vendor : undefined
  }

  private openCall(info: CallInfo): void {
    this.close()
    const item = this.openItem(info, this.calls().prefixOf(info))
    item.callId = this.options.takeToolId(info.id)
    this.open = item
    this.calls().open(item, info)
  }

  close(final?: JsonObject, isCut = false): void {
    const item = this.open
    if (item === undefined) return
    this.open = undefined
    switch (item.info.type) {
      case 'text':
      case 'refusal':
        return this.closeMessage(item)
      case 'thinking':
        return this.finish(item, this.reasoning().close(item, final))
      case 'tool-call':
        return this.calls().close(item, final, isCut)
      case 'server-tool':
      case 'tool-result':
      case 'opaque':
    }
  }

  /** An item of this wire that we have nothing to say about: whole, as it was. */
  private passItem(info: BlockInfo, final: JsonObject | undefined): void {
    this.close()
    const item = this.openItem(info, 'item')
    const json = { ...info.vendor, ...final, id: item.id }
    this.add(item, JSON.stringify(json))
    this.finish(item, json)
  }
}

/** The items in their order. By place, and not as a list: an upstream may number them as it likes. */
export const outputOf = (output: ReadonlyMap<number, JsonObject>): readonly JsonObject[] =>
  [...output].toSorted(([a], [b]) => a - b).map(([, item]) => item)
