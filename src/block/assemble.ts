/**
 * Events to blocks and the state of the stream. Neighbours: any wire's decoder gives events,
 * `processor.ts` and the commands read the state. Knows no wire: three formats, one assembler.
 */
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

export function createAssembler(limits: AssemblerLimits = {}): Assembler {
  const maxChars = limits.maxMessageChars ?? MAX_MESSAGE_CHARS
  const blocks: StreamBlock[] = []
  const growing = new Map<BlockInfo, GrowingBlock>()
  /** For frames that speak of a block after its end. */
  const complete = new Map<BlockInfo, StreamBlock>()
  let chars = 0
  const state: Mutable<StreamState> = {
    id: undefined,
    model: undefined,
    wire: undefined,
    vendor: undefined,
    blocks,
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

  function growingOf(info: BlockInfo): GrowingBlock {
    let one = growing.get(info)
    if (one === undefined) {
      one = createGrowingBlock(info)
      growing.set(info, one)
      blocks.push(one.block)
    }
    return one
  }

  function grow(info: BlockInfo, event: Extract<StreamEvent, { type: 'block-delta' }>): void {
    const one = growingOf(info)
    state.currentBlock = one.block
    const { delta } = event
    chars += sizeOf(delta)
    if (chars > maxChars)
      throw new SluiceError(
        'message-too-large',
        `Cannot hold a message over ${maxChars} characters: got ${chars}`,
      )
    one.grow(delta)
  }

  function apply(event: StreamEvent): StreamState {
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
        state.currentBlock = growingOf(event.block).block
        break
      case 'block-delta':
        grow(event.block, event)
        break
      case 'block-stop': {
        const one = growingOf(event.block)
        one.complete(event.vendor, event.isCut)
        growing.delete(event.block)
        complete.set(event.block, one.block)
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
          state.currentBlock = growing.get(event.block)?.block ?? complete.get(event.block)
        break
      case 'ping':
    }
    return state
  }

  return { state, apply }
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
