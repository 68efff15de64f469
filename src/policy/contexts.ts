/**
 * The contexts of one exchange, from the first policy that is asked to the last that is closed. Neighbours: `engine.ts` and
 * `requests.ts` ask for them, `exchange/` closes them when there was no answer. Every policy is told of its end once,
 * behind all that it still does, and nobody waits longer for that than the policy's own time.
 */
import { FewMap } from '../base/few.ts'
import type { StreamState } from '../block/state.ts'
import { Context } from './context.ts'
import { toFailureName } from './failure-name.ts'
import type { PolicyHost } from './host.ts'
import type { Installed } from './policy.ts'

interface Open {
  readonly context: Context
  work: Promise<unknown>[] | undefined
  isEnded: boolean
}

export class Contexts {
  private readonly host: PolicyHost
  private readonly made = new FewMap<Installed, Open>()
  private closing: Promise<void>[] | undefined

  constructor(host: PolicyHost) {
    this.host = host
  }

  /** Each policy has one context for the whole exchange. */
  of(installed: Installed): Context {
    return this.openOf(installed).context
  }

  /** Work of a policy that nobody waits for: it is closed behind it. Never rejects. */
  wait(installed: Installed, work: Promise<unknown>): void {
    const open = this.openOf(installed)
    open.work ??= []
    open.work.push(work.catch((error: unknown) => this.warn(installed, error)))
  }

  /** The answer is over: all are told, and closed. */
  finish(state: StreamState): void {
    for (const [installed, open] of this.made.entries()) this.end(installed, open, state)
  }

  /** Closes those that are not: there was no answer, or nobody waits for it. Their signals are aborted. */
  close(): void {
    for (const [installed, open] of this.made.entries()) {
      if (open.isEnded) continue
      open.context.leave()
      this.end(installed, open, undefined)
    }
  }

  /** All are closed; `undefined` when they are already. */
  settled(): Promise<void> | undefined {
    return this.closing === undefined ? undefined : Promise.all(this.closing).then(() => undefined)
  }

  private openOf(installed: Installed): Open {
    let open = this.made.get(installed)
    if (open === undefined) {
      const context = new Context(this.host, installed.policy)
      this.made.set(installed, (open = { context, work: undefined, isEnded: false }))
    }
    return open
  }

  private warn({ policy }: Installed, error: unknown): void {
    const name = toFailureName(error)
    this.host.log(policy).warn('A policy failed at the end', { policy: policy.name, error: name })
  }

  private end(installed: Installed, open: Open, state: StreamState | undefined): void {
    if (open.isEnded) return
    open.isEnded = true
    const { policy, timeoutMs } = installed
    if (state !== undefined)
      try {
        const going = policy.onFinish?.(state, open.context)
        if (going instanceof Promise) this.wait(installed, going)
      } catch (error) {
        this.warn(installed, error)
      }
    if (open.work === undefined) return this.closeOne(installed, open)
    this.closing ??= []
    this.closing.push(within(timeoutMs, open.work).then(() => this.closeOne(installed, open)))
  }

  private closeOne(installed: Installed, { context }: Open): void {
    try {
      // By its type it gives nothing back; an `async` one does, and nobody else would hear of its failure.
      const going: unknown = installed.policy.close?.(context)
      if (going instanceof Promise) going.catch((error: unknown) => this.warn(installed, error))
    } catch (error) {
      this.warn(installed, error)
    }
    context.leave()
  }
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
