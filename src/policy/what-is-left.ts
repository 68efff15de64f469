/**
 * What is left of an answer behind a gate, and what its finish says of that. Neighbours: `gate.ts` counts. An answer whose
 * calls were all denied asks for nothing any more; what says that it was cut short stays. An answer of which nothing is left
 * says so: a turn without a word is refused as history, and nobody would know why it is silent.
 */
import type { BlockInfo } from '../event/block.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'
import { NOTICE, noticeBlock } from './notice.ts'

export interface WhatIsLeft {
  leaves(block: BlockInfo): void
  /** It does not, and a policy made so many calls in its place. */
  dropped(block: BlockInfo, made: number): void
  /** What leaves for the finish; the same event where nothing is to be changed. */
  finishOf(event: EventOf<'finish'>): readonly StreamEvent[]
}

interface Count {
  /** Blocks that a client shows or runs: thinking alone is no answer. */
  said: number
  /** Whether thinking was the last to leave: it belongs to what follows it, and is refused without. */
  endsInThought: boolean
  lost: number
  callsLeft: number
  callsLost: number
  callsMade: number
}

const newCount = (): Count => ({
  said: 0,
  endsInThought: false,
  lost: 0,
  callsLeft: 0,
  callsLost: 0,
  callsMade: 0,
})

export const createWhatIsLeft = (): WhatIsLeft => new Counts()

class Counts implements WhatIsLeft {
  private readonly first = newCount()
  private others: Map<number, Count> | undefined

  leaves(block: BlockInfo): void {
    const count = this.countOf(block.choice)
    count.endsInThought = block.type === 'thinking'
    if (block.type !== 'thinking') count.said += 1
    if (block.type === 'tool-call') count.callsLeft += 1
  }

  dropped(block: BlockInfo, made: number): void {
    const count = this.countOf(block.choice)
    count.lost += 1
    count.callsMade += made
    if (block.type === 'tool-call') count.callsLost += 1
  }

  finishOf(event: EventOf<'finish'>): readonly StreamEvent[] {
    const count = this.countOf(event.choice)
    const finish = withReason(event, count)
    if (count.lost === 0 || (count.said > 0 && !count.endsInThought)) return [finish]
    const words = count.said === 0 ? 'This answer' : 'The rest of this answer'
    const notice = noticeBlock(`${NOTICE} ${words} was withheld.`, event.choice)
    return [...notice, finish]
  }

  private countOf(choice: number | undefined): Count {
    if (choice === undefined || choice === 0) return this.first
    this.others ??= new Map()
    let found = this.others.get(choice)
    if (found === undefined) this.others.set(choice, (found = newCount()))
    return found
  }
}

function withReason(event: EventOf<'finish'>, count: Count): EventOf<'finish'> {
  const reason =
    event.reason === 'tool-calls' && count.callsLost > 0 && count.callsLeft === 0
      ? 'stop'
      : event.reason === 'stop' && count.callsMade > 0 && count.callsLeft > 0
        ? 'tool-calls'
        : event.reason
  if (reason === event.reason) return event
  return {
    type: 'finish',
    reason,
    ...(event.choice === undefined ? {} : { choice: event.choice }),
  }
}
