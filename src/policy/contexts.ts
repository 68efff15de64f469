/**
 * The contexts of one exchange, from the first policy that is asked to the last that is closed. Neighbours: `engine.ts` and
 * `requests.ts` ask for them, `exchange/` closes them when there was no answer. Every policy is told of its end once,
 * behind all that it still does, and nobody waits longer for that than the policy's own time.
 */
import type { StreamState } from '../block/state.ts'
import { Context } from './context.ts'
import { toFailureName } from './failure-name.ts'
import type { PolicyHost } from './host.ts'
import type { Installed } from './policy.ts'

export interface Contexts {
  /** Each policy has one context for the whole exchange. */
  (installed: Installed): Context
  /** Work of a policy that nobody waits for: it is closed behind it. Never rejects. */
  wait(installed: Installed, work: Promise<unknown>): void
  /** The answer is over: all are told, and closed. */
  finish(state: StreamState): void
  /** Closes those that are not: there was no answer, or nobody waits for it. Their signals are aborted. */
  close(): void
  /** All are closed; `undefined` when they are already. */
  settled(): Promise<void> | undefined
}

interface Open {
  readonly context: Context
  work: Promise<unknown>[] | undefined
  isEnded: boolean
}

export function createContexts(host: PolicyHost): Contexts {
  const made = new Map<Installed, Open>()
  let closing: Promise<void>[] | undefined

  function openOf(installed: Installed): Open {
    let open = made.get(installed)
    if (open === undefined) {
      const context = new Context(host, installed.policy)
      made.set(installed, (open = { context, work: undefined, isEnded: false }))
    }
    return open
  }

  function wait(installed: Installed, work: Promise<unknown>): void {
    const open = openOf(installed)
    open.work ??= []
    open.work.push(work.catch((error: unknown) => warn(installed, error)))
  }

  function warn({ policy }: Installed, error: unknown): void {
    const name = toFailureName(error)
    host.log(policy).warn('A policy failed at the end', { policy: policy.name, error: name })
  }

  function end(installed: Installed, open: Open, state: StreamState | undefined): void {
    if (open.isEnded) return
    open.isEnded = true
    const { policy, timeoutMs } = installed
    if (state !== undefined)
      try {
        const going = policy.onFinish?.(state, open.context)
        if (going instanceof Promise) wait(installed, going)
      } catch (error) {
        warn(installed, error)
      }
    if (open.work === undefined) return closeOne(installed, open)
    closing ??= []
    closing.push(within(timeoutMs, open.work).then(() => closeOne(installed, open)))
  }

  function closeOne(installed: Installed, { context }: Open): void {
    try {
      // By its type it gives nothing back; an `async` one does, and nobody else would hear of its failure.
      const going: unknown = installed.policy.close?.(context)
      if (going instanceof Promise) going.catch((error: unknown) => warn(installed, error))
    } catch (error) {
      warn(installed, error)
    }
    context.leave()
  }

  return Object.assign((installed: Installed) => openOf(installed).context, {
    wait,
    finish(state: StreamState) {
      for (const [installed, open] of made) end(installed, open, state)
    },
    close() {
      for (const [installed, open] of made) {
        if (open.isEnded) continue
        open.context.leave()
        end(installed, open, undefined)
      }
    },
    settled: () => (closing === undefined ? undefined : Promise.all(closing).then(() => undefined)),
  })
}

/** Until all of it is done, or that time is up. */
function within(ms: number, work: readonly Promise<unknown>[]): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    void Promise.all(work).then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
