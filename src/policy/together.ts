/**
 * The tool calls of one message leave together, and words of ours before them: on a wire where no text may follow a call
 * when the message comes back as history. Neighbours: `engine.ts` puts it last, for clients of such a wire. Does nothing
 * but wait and sort: what nobody changed leaves in the order in which it came.
 */
import type { StreamEvent } from '../event/event.ts'
import type { PolicyStage, StageOut } from './stage.ts'
import { MAX_HELD_BYTES, tooMuch, weightOf } from './weight.ts'

export function createTogether(out: StageOut, maxBytes = MAX_HELD_BYTES): PolicyStage {
  /** From the first call on. */
  let waiting: StreamEvent[] | undefined
  let bytes = 0

  function wait(event: StreamEvent, events: StreamEvent[]): void {
    events.push(event)
    bytes += weightOf(event)
    if (bytes > maxBytes) throw tooMuch(maxBytes, 'the calls that leave together')
  }

  function release(): void {
    const events = waiting
    if (events === undefined) return
    waiting = undefined
    bytes = 0
    for (const event of events) if (isNotice(event)) out.send(event)
    for (const event of events) if (!isNotice(event)) out.send(event)
  }

  return {
    push(event) {
      switch (event.type) {
        case 'block-start':
          if (event.block.type === 'tool-call') waiting ??= []
          break
        case 'finish':
        case 'message-stop':
          release()
          break
        case 'error':
          // Half an answer is none: its calls are not to be run.
          waiting = undefined
          break
        case 'message-start':
        case 'block-delta':
        case 'block-stop':
        case 'usage':
        case 'ping':
        case 'other':
      }
      if (waiting === undefined) out.send(event)
      else wait(event, waiting)
    },
    end() {
      release()
      out.ended()
    },
    passes: () => waiting === undefined,
    leave() {
      waiting = undefined
    },
  }
}

const isNotice = (event: StreamEvent): boolean =>
  'block' in event && event.block?.type === 'text' && event.block.isNotice === true
