/**
 * Events to blocks and the state of the stream. Neighbours: any wire's decoder gives events,
 * `processor.ts` and the commands read the state. Knows no wire: three formats, one assembler.
 */
import { FewMap } from '../base/few.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { BlockInfo, StreamBlock } from '../event/block.ts'
import type { Delta, StreamEvent } from '../event/event.ts'
import { laterReason } from '../event/finish.ts'
import { mergeUsage } from '../event/usage.ts'
import { createGrowingBlock, type GrowingBlock } from './growing-block.ts'
import type { StreamState } from './state.ts'

export interface AssemblerLimits {
  /** The most characters that all blocks of a message may have together. */
  readonly maxMessageChars?: number
}

const MAX_MESSAGE_CHARS = 256 * 1024 * 1024

export interface Assembler {
  /** The same object all along, always as of the last event. */
  readonly state: StreamState
  apply(event: StreamEvent): StreamState
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

export const createAssembler = (limits: AssemblerLimits = {}): Assembler => new Assembling(limits)

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class Assembling implements Assembler {
  readonly state: Mutable<StreamState>
  private readonly maxChars: number
  private readonly blocks: StreamBlock[] = []
  private readonly growing = new FewMap<BlockInfo, GrowingBlock>()
  /** For frames that speak of a block after its end. */
  private readonly complete = new FewMap<BlockInfo, StreamBlock>()
  private chars = 0

  constructor({ maxMessageChars = MAX_MESSAGE_CHARS }: AssemblerLimits) {
    this.maxChars = maxMessageChars
    this.state = {
      id: undefined,
      model: undefined,
      wire: undefined,
      vendor: undefined,
      blocks: this.blocks,
      currentBlock: undefined,
      justCompleted: undefined,
      finishReason: undefined,
      vendorFinishReason: undefined,
      stopSequence: undefined,
      explanation: undefined,
      usage: undefined,
      error: undefined,
      isStopped: false,
    }
  }

  /** A field: people take it out of the object. */
  readonly apply = (event: StreamEvent): StreamState => {
    const { state } = this
    state.justCompleted = undefined
    state.currentBlock = undefined
    switch (event.type) {
      case 'message-start':
        state.id = event.id
        state.model = event.model
        state.wire = event.wire
        state.vendor = event.vendor
        state.usage = mergeUsage(state.usage, event.usage)
        break
      case 'block-start':
        state.currentBlock = this.growingOf(event.block).block
        break
      case 'block-delta':
        this.grow(event.block, event.delta)
        break
      case 'block-stop': {
        const one = this.growingOf(event.block)
        one.complete(event.vendor, event.isCut)
        this.growing.delete(event.block)
        this.complete.set(event.block, one.block)
        state.currentBlock = one.block
        state.justCompleted = one.block
        break
      }
      case 'finish':
        // Several answers: the state speaks of the first, whose blocks are the ones without a choice.
        if ((event.choice ?? 0) !== 0) break
        state.finishReason = laterReason(state.finishReason, event.reason)
        if (state.finishReason !== event.reason) break
        state.vendorFinishReason = event.vendorReason
        state.stopSequence = event.stopSequence
        state.explanation = event.explanation
        break
      case 'usage':
        state.usage = mergeUsage(state.usage, event.usage)
        break
      case 'message-stop':
        state.isStopped = true
        break
      case 'error':
        state.error = event.error
        break
      case 'other':
        if (event.block !== undefined)
          state.currentBlock =
            this.growing.get(event.block)?.block ?? this.complete.get(event.block)
        break
      case 'ping':
    }
    return state
  }

  private growingOf(info: BlockInfo): GrowingBlock {
    let one = this.growing.get(info)
    if (one === undefined) {
      one = createGrowingBlock(info)
      this.growing.set(info, one)
      this.blocks.push(one.block)
    }
    return one
  }

  private grow(info: BlockInfo, delta: Delta): void {
    const one = this.growingOf(info)
    this.state.currentBlock = one.block
    this.chars += sizeOf(delta)
    if (this.chars > this.maxChars)
      throw new SluiceError(
        'message-too-large',
        `Cannot hold a message over ${this.maxChars} characters: got ${this.chars}`,
      )
    one.grow(delta)
  }
}

function sizeOf(delta: Delta): number {
  switch (delta.type) {
    case 'text':
    case 'thinking':
    case 'arguments':
      return delta.text.length
    case 'signature':
      return delta.signature.length
    case 'citation':
      return JSON.stringify(delta.citation).length
    case 'other':
      return JSON.stringify(delta.raw).length
  }
}
