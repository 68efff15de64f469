/**
 * The circle as a worker sees it: what it tells goes to the first process, which hands it on. Neighbours:
 * `server/workers.ts` carries the messages; `hub.ts` is the other end.
 */
import { createListeners } from '../approvals/listeners.ts'
import { isMeant, type Circle, type Gone, type Letter } from './circle.ts'

export type CircleMessage =
  | { readonly type: 'letter'; readonly letter: Letter }
  | { readonly type: 'gone'; readonly gone: Gone }
  /** Asked by a worker, and answered with the same number once everything before was sent. */
  | { readonly type: 'catch-up'; readonly ask: number }

export interface MessageCircle extends Circle {
  take(message: CircleMessage): void
}

/** The first process is busy with little: one that does not answer is gone, or Postgres is. */
const CATCH_UP_MS = 1000

export function createMessageCircle(
  self: string,
  send: (message: CircleMessage) => void,
): MessageCircle {
  const letters = createListeners<Letter>()
  const gone = createListeners<(who: string) => boolean>()
  const waiting = new Map<number, () => void>()
  let asks = 0
  return {
    self,
    tell: (news, to) => send({ type: 'letter', letter: { from: self, to, news } }),
    onLetter: letters.add,
    onGone: gone.add,
    catchUp: () =>
      new Promise((resolve) => {
        const ask = asks++
        const late = setTimeout(over, CATCH_UP_MS).unref()
        function over(): void {
          clearTimeout(late)
          waiting.delete(ask)
          resolve()
        }
        waiting.set(ask, over)
        send({ type: 'catch-up', ask })
      }),
    take(message) {
      if (message.type === 'letter') letters.tell(message.letter)
      else if (message.type === 'gone') gone.tell(isMeant(message.gone))
      else waiting.get(message.ask)?.()
    },
  }
}
