/**
 * What has been said of an answer, as far as it is needed to end it well at any moment. Neighbours: `gate.ts` and
 * `filter.ts` end answers early.
 */
import { FewMap } from '../base/few.ts'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'

export interface Ending {
  note(event: StreamEvent): void
  /** Ends it: what is open is closed, `last` is said, then the finish, if none was, and the end. */
  close(last: readonly StreamEvent[], send: (event: StreamEvent) => void): void
}

export const createEnding = (): Ending => new Said()

class Said implements Ending {
  private readonly open = new FewMap<BlockInfo, number | undefined>()
  private isStarted = false
  /** Whole calls, which wait to be run. */
  private calls = 0
  private hasFinish = false
  private isStopped = false

  note(event: StreamEvent): void {
    switch (event.type) {
      case 'message-start':
        this.isStarted = true
        return
      case 'block-start':
        this.open.set(event.block, event.choice)
        return
      case 'block-stop':
        this.open.delete(event.block)
        if (event.block.type === 'tool-call' && (event.choice ?? 0) === 0) this.calls += 1
        return
      case 'finish':
        this.hasFinish ||= (event.choice ?? 0) === 0
        return
      case 'message-stop':
      case 'error':
        this.isStopped = true
        return
      case 'block-delta':
      case 'usage':
      case 'ping':
      case 'other':
    }
  }

  close(last: readonly StreamEvent[], send: (event: StreamEvent) => void): void {
    if (this.isStopped) return
    this.isStopped = true
    if (!this.isStarted) send({ type: 'message-start', id: '', model: '' })
    for (const [block, choice] of this.open.entries()) {
      // Of JSON everybody sees that it breaks off, of a free text nobody does.
      const isCut = block.type === 'tool-call' && block.dialect === 'custom'
      const of = choice === undefined ? {} : { choice }
      send({ type: 'block-stop', block, ...(isCut ? { isCut } : {}), ...of })
    }
    for (const event of last) send(event)
    // A reason that the client was told stays: a second one could make a refusal a normal end.
    if (!this.hasFinish) send({ type: 'finish', reason: this.calls > 0 ? 'tool-calls' : 'stop' })
    send({ type: 'message-stop' })
  }
}
