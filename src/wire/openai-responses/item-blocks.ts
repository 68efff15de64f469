/**
 * The blocks of the output items of one response: which are open, which is next, and the events that they become. The parts
 * of a message are blocks, every other item is one block. Neighbours: `open-items.ts` reads what is said of them;
 * `items.ts` says what kind of block an item is.
 */
import { FewMap, FewSet } from '../../base/few.ts'
import { toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { Delta } from '../../event/event.ts'
import type { Decoding, OpenStep } from '../decoding.ts'
import { isCutText, readItem } from './items.ts'
import { createPart, type Part } from './open-part.ts'

export interface Item {
  readonly json: JsonObject
  /** The block, or for a message the block of each part. */
  readonly blocks: FewMap<number, Part>
  isDone: boolean
  /** The frame that added a message waits for the first part: it must not leave without it. */
  heldStep: OpenStep | undefined
}

/** The block of an item that is no message stands under this number. */
export const WHOLE = -1

export class ItemBlocks {
  /** By their place. */
  readonly items = new FewMap<number, Item>()
  readonly open = new FewSet<Part>()
  hasToolCall = false
  /** The frame that is read now. */
  step!: OpenStep
  private readonly decoding: Decoding
  private readonly createId: (() => string) | undefined
  private count = 0
  private lastStarted: Part | undefined
  private lastGrown: Part | undefined

  /** `createId` for a call that has no id. */
  constructor(decoding: Decoding, createId: (() => string) | undefined) {
    this.decoding = decoding
    this.createId = createId
  }

  itemOf(index: number, json?: JsonObject): Item {
    let item = this.items.get(index)
    if (item === undefined) {
      item = {
        json: json ?? { type: 'message', role: 'assistant' },
        blocks: new FewMap(),
        isDone: false,
        heldStep: undefined,
      }
      this.items.set(index, item)
    }
    return item
  }

  private start(item: Item, number: number, block: BlockInfo): Part {
    this.makeRoom()
    const part = createPart(block)
    item.blocks.set(number, part)
    this.open.add(part)
    this.lastStarted = part
    this.count += 1
    if (block.type === 'tool-call') this.hasToolCall = true
    this.decoding.emit({ type: 'block-start', block, vendor: item.json, step: this.step })
    this.releaseHeld(item, block)
    return part
  }

  /** The frame that is read now says that this item begins, and waits for its first block. */
  hold(item: Item): void {
    if (item.heldStep !== undefined) return
    item.heldStep = this.step
    this.decoding.hold(this.step)
  }

  releaseHeld(item: Item, block?: BlockInfo): void {
    const { heldStep } = item
    if (heldStep === undefined) return
    item.heldStep = undefined
    this.decoding.emit({ type: 'other', ...(block === undefined ? {} : { block }), step: heldStep })
  }

  /**
   * Another block begins. What nobody runs or reads piece by piece is over with that (a reasoning item
   * that its server closes after the message would hold the message back); text and calls go on until
   * they are done, and the new block waits for them.
   */
  private makeRoom(): void {
    // Only these two can be over: any other was looked at when it was one of them.
    for (const part of [this.lastStarted, this.lastGrown]) {
      if (part === undefined || !part.isOpen) continue
      const { type } = part.block
      if (type === 'text' || type === 'refusal') continue
      if (type !== 'tool-call' || part.isWhole()) this.stop(part)
    }
  }

  grow(part: Part, delta: Delta): void {
    part.hasText = true
    this.lastGrown = part
    if (delta.type === 'arguments' || delta.type === 'text') part.add(delta.text)
    this.decoding.emit({ type: 'block-delta', block: part.block, delta, step: this.step })
  }

  stop(part: Part, final?: JsonObject): void {
    if (!this.open.delete(part)) return
    part.isOpen = false
    this.decoding.emit({
      type: 'block-stop',
      block: part.block,
      ...(isCutText(part.block, final) ? { isCut: true } : {}),
      ...(final === undefined ? {} : { vendor: final }),
      step: this.step,
    })
  }

  /** A frame that says nothing new of a block still belongs to it: it repeats what is in there. */
  repeat(part: Part): void {
    this.decoding.emit({ type: 'other', block: part.block, step: this.step })
  }

  partOf(item: Item, json: JsonObject, type: 'text' | 'refusal'): Part {
    const number = typeof json['content_index'] === 'number' ? json['content_index'] : 0
    const known = item.blocks.get(number)
    return known !== undefined && (known.isOpen || known.block.type === type)
      ? known
      : this.startPart(item, number, type)
  }

  startPart(item: Item, number: number, type: 'text' | 'refusal'): Part {
    const id = toText(item.json['id']) ?? `block_${this.count}`
    return this.start(item, number, {
      id: number === 0 ? id : `${id}_${number}`,
      index: this.count,
      type,
      vendor: item.json,
    })
  }

  wholeOf(item: Item): Part {
    return (
      item.blocks.get(WHOLE) ??
      this.start(item, WHOLE, readItem(item.json, this.count, this.createId))
    )
  }

  /** A piece of a block that is over (its server closed it late or never): it opens another one. */
  reopened(item: Item, part: Part): Part {
    return part.isOpen
      ? part
      : this.start(item, WHOLE, {
          ...part.block,
          index: this.count,
          id: `${part.block.id}_${this.count}`,
        })
  }

  /** Another item takes that place. What waited for the old one has its turn. */
  forget(index: number): void {
    const old = this.items.get(index)
    if (old === undefined) return
    this.items.delete(index)
    this.releaseHeld(old)
  }
}
