/**
 * The tool calls of one message leave together, and words of ours before them: on a wire where no text may follow a call
 * when the message comes back as history. Neighbours: `engine.ts` puts it last, for clients of such a wire. Does nothing
 * but wait and sort: what nobody changed leaves in the order in which it came.
 */
import { isNotice } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import type { PolicyStage, StageOut } from './stage.ts'
import { MAX_HELD_BYTES, tooMuch, weightOf } from './weight.ts'

export const createTogether = (out: StageOut, maxBytes = MAX_HELD_BYTES): PolicyStage =>
  new Together(out, maxBytes)

class Together implements PolicyStage {
  private readonly out: StageOut
  private readonly maxBytes: number
  /** From the first call on. */
  private waiting: StreamEvent[] | undefined
  private bytes = 0

  constructor(out: StageOut, maxBytes: number) {
    this.out = out
    this.maxBytes = maxBytes
  }

  push(event: StreamEvent): void {
    switch (event.type) {
      case 'block-start':
        if (event.block.type === 'tool-call') this.waiting ??= []
        break
      case 'finish':
      case 'message-stop':
        this.release()
        break
      case 'error':
        // Half an answer is none: its calls are not to be run.
        this.waiting = undefined
        break
      case 'message-start':
      case 'block-delta':
      case 'block-stop':
      case 'usage':
      case 'ping':
      case 'other':
    }
    if (this.waiting === undefined) this.out.send(event)
    else this.wait(event, this.waiting)
  }

  end(): void {
    this.release()
    this.out.ended()
  }

  passes(): boolean {
    return this.waiting === undefined
  }

  leave(): void {
    this.waiting = undefined
  }

  private wait(event: StreamEvent, events: StreamEvent[]): void {
    events.push(event)
    this.bytes += weightOf(event)
    if (this.bytes > this.maxBytes) throw tooMuch(this.maxBytes, 'the calls that leave together')
  }

  private release(): void {
    const events = this.waiting
    if (events === undefined) return
    this.waiting = undefined
    this.bytes = 0
    for (const event of events) if (isOurs(event)) this.out.send(event)
    for (const event of events) if (!isOurs(event)) this.out.send(event)
  }
}

const isOurs = (event: StreamEvent): boolean =>
  'block' in event && event.block !== undefined && isNotice(event.block)
