/**
 * A whole answer: what is left when a stream has been collected. Neighbours: `block/assemble.ts`
 * makes one from events, each wire's `answer.ts` writes one as JSON. Knows no wire.
 */
import type { JsonObject } from '../base/json.ts'
import type { StreamBlock } from './block.ts'
import type { WireName } from './event.ts'
import type { StreamFault } from './fault.ts'
import type { FinishReason } from './finish.ts'
import type { Usage } from './usage.ts'

export interface Answer {
  readonly id: string | undefined
  readonly model: string | undefined
  /** The wire it was read from, and the vendor's own envelope there. */
  readonly wire?: WireName | undefined
  readonly vendor?: JsonObject | undefined
  readonly blocks: readonly StreamBlock[]
  readonly finishReason: FinishReason | undefined
  readonly vendorFinishReason: string | undefined
  readonly stopSequence: string | undefined
  readonly explanation: string | undefined
  readonly usage: Usage | undefined
  readonly error: StreamFault | undefined
  readonly isStopped: boolean
}

/** Whether the arguments of a call end in the middle. */
export const hasCutCall = (answer: Answer): boolean =>
  answer.blocks.some((block) => {
    if (block.type !== 'tool-call') return false
    const parsed = block.parseArguments()
    return !parsed.ok && parsed.reason === 'cut'
  })
