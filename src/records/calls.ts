/**
 * Calls by name to a thread, with numbered answers. Neighbours: `client.ts` calls, `port.ts` answers. A call to a thread
 * that dies fails; so does one too many.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { FromThread, ToThread } from './message.ts'
import { toError } from './thread.ts'

export interface Calls {
  call<T>(name: string, values: readonly unknown[]): Promise<T>
  hear(message: FromThread): void
  /** All that wait fail, for this reason. */
  fail(why: string): void
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

const MAX_WAITING = 1000

/** `hold` is told while somebody waits: the process must not end under them. */
export function createCalls(
  post: (message: ToThread) => boolean,
  hold: (isHeld: boolean) => void,
): Calls {
  const waiting = new Map<number, Waiting>()
  let count = 0

  function end(call: number): void {
    waiting.delete(call)
    if (waiting.size === 0) hold(false)
  }

  return {
    call<T>(name: string, values: readonly unknown[]) {
      return new Promise<T>((resolve, reject) => {
        if (waiting.size >= MAX_WAITING)
          return reject(failed('too many ask at once: ask again later'))
        const call = ++count
        waiting.set(call, { resolve: resolve as Waiting['resolve'], reject })
        hold(true)
        if (post({ type: 'call', call, name, values })) return
        end(call)
        reject(failed('their thread is being started anew: ask again'))
      })
    },
    hear(message) {
      if (message.type !== 'answer' && message.type !== 'error') return
      const one = waiting.get(message.call)
      end(message.call)
      if (message.type === 'answer') one?.resolve(message.value)
      else one?.reject(toError(message.error))
    },
    fail(why) {
      for (const one of waiting.values()) one.reject(failed(why))
      waiting.clear()
      hold(false)
    },
  }
}

const failed = (why: string): SluiceError =>
  new SluiceError('wrong-use', `Cannot use the records: ${why}`)
