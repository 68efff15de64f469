/**
 * What has been said of an answer, as far as it is needed to end it well at any moment. Neighbours: `gate.ts` and
 * `filter.ts` end answers early.
 */
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'

export interface Ending {
  note(event: StreamEvent): void
  /** Ends it: what is open is closed, `last` is said, then the finish, if none was, and the end. */
  close(last: readonly StreamEvent[], send: (event: StreamEvent) => void): void
}

export function createEnding(): Ending {
  const open = new Map<BlockInfo, number | undefined>()
  let isStarted = false
  /** Whole calls, which wait to be run. */
  let calls = 0
  let hasFinish = false
  let isStopped = false
  return {
    note(event) {
      switch (event.type) {
        case 'message-start':
          isStarted = true
          return
        case 'block-start':
          open.set(event.block, event.choice)
          return
        case 'block-stop':
          open.delete(event.block)
          if (event.block.type === 'tool-call' && (event.choice ?? 0) === 0) calls += 1
          return
        case 'finish':
          hasFinish ||= (event.choice ?? 0) === 0
          return
        case 'message-stop':
        case 'error':
          isStopped = true
          return
        case 'block-delta':
        case 'usage':
        case 'ping':
        case 'other':
      }
    },
    close(last, send) {
      if (isStopped) return
      isStopped = true
      if (!isStarted) send({ type: 'message-start', id: '', model: '' })
      for (const [block, choice] of open) {
        // Of JSON everybody sees that it breaks off, of a free text nobody does.
        const isCut = block.type === 'tool-call' && block.dialect === 'custom'
        const of = choice === undefined ? {} : { choice }
        send({ type: 'block-stop', block, ...(isCut ? { isCut } : {}), ...of })
      }
      for (const event of last) send(event)
      // A reason that the client was told stays: a second one could make a refusal a normal end.
      if (!hasFinish) send({ type: 'finish', reason: calls > 0 ? 'tool-calls' : 'stop' })
      send({ type: 'message-stop' })
    },
  }
}
