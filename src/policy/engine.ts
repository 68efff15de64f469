/**
 * All policies of one exchange in their order, each a stage of the answer's events: a later one sees what an earlier one
 * let through. Neighbours: `exchange/` pushes events in and writes what comes out; `gate.ts`, `filter.ts`, `tap.ts` are
 * the stages. Knows no wire and no HTTP.
 */
import { NOTHING } from '../base/few.ts'
import type { StreamState } from '../block/state.ts'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { Context } from './context.ts'
import type { Contexts } from './contexts.ts'
import { createFilter } from './filter.ts'
import { createGate } from './gate.ts'
import type { PolicyHost } from './host.ts'
import { holdsCalls } from './installed.ts'
import { createLastLook } from './last-look.ts'
import { isLate } from './late.ts'
import type { Installed, Policy } from './policy.ts'
import type { PolicyStage, StageOut } from './stage.ts'
import { createShadowFilter } from './shadow-filter.ts'
import { createTap } from './tap.ts'
import { createTogether } from './together.ts'
import { deny, pass } from './verdict.ts'

export interface EngineOptions {
  readonly installed: readonly Installed[]
  readonly host: PolicyHost
  /** The contexts of these policies, where the request was before them already. */
  readonly contexts: Contexts
  /** Whether the client's wire takes no text behind a call: see `together.ts`. */
  readonly leavesTogether: boolean
}

export interface EngineOut {
  /** What has been sent so far. */
  readonly state: StreamState
  send(event: StreamEvent): void
  /** All has been sent that will be. */
  done(): void
  /** The answer is over sooner than its upstream: nothing more is wanted from there. */
  halt(): void
  /** More comes than is taken; and again it may. */
  pause(): void
  resume(): void
}

export interface Engine {
  push(event: StreamEvent): void
  end(): void
  passes(block: BlockInfo): boolean
  /** Whether further pieces of that block are only gathered, so that they may come as one. */
  gathers(block: BlockInfo): boolean
  leave(): void
  /** What goes on behind the answer is over: those in shadow, and whoever was told of its end. Bounded. */
  settled(): Promise<void> | undefined
}

export { Contexts } from './contexts.ts'

/** Denies every call while somebody has thrown the switch; the gates that follow would ask in vain. */
const HALT: Policy = {
  name: 'halt-all',
  judge: (_block, ctx) => {
    const reason = (ctx as Context).haltedBy()
    return reason === undefined ? pass() : deny(reason)
  },
}

export const HALT_GATE: Installed = {
  policy: HALT,
  onError: 'deny',
  timeoutMs: 1000,
  isShadow: false,
}

export const createEngine = (options: EngineOptions, out: EngineOut): Engine =>
  new Row(options, out)

/**
 * The stages in a row; it is also what the last of them sends to. A class, and not functions around what they share:
 * every answer that a policy sees has one, for as long as it takes.
 */
class Row implements Engine, StageOut {
  private readonly options: EngineOptions
  private readonly out: EngineOut
  private stages: readonly PolicyStage[] = NOTHING
  private isOver = false
  /** The upstream has said its end. */
  private hasEnded = false

  constructor(options: EngineOptions, out: EngineOut) {
    this.options = options
    this.out = out
    const { installed, host } = options
    if (installed.some(holdsCalls)) {
      this.add(createLastLook(HALT.name, host, this))
      if (options.leavesTogether) this.add(createTogether(this.next()))
    }
    for (let at = installed.length - 1; at >= 0; at--) {
      const one = installed[at]
      if (one !== undefined) this.addPolicy(one)
    }
  }

  // What comes from the upstream.

  push(event: StreamEvent): void {
    if (this.isOver || (this.hasEnded && isLate(event))) return
    this.hasEnded ||= event.type === 'message-stop'
    const first = this.stages[0]
    if (first === undefined) this.out.send(event)
    else first.push(event)
  }

  end(): void {
    const first = this.stages[0]
    try {
      if (first === undefined) this.ended()
      else first.end()
    } catch (error) {
      this.fail(error)
    }
  }

  passes(block: BlockInfo): boolean {
    return this.stages.every((stage) => stage.passes(block))
  }

  gathers(block: BlockInfo): boolean {
    // The first that does not let it pass is the one that decides.
    const first = this.stages.find((stage) => !stage.passes(block))
    return first?.gathers?.(block) === true
  }

  leave(): void {
    if (this.isOver) return
    const { installed, contexts } = this.options
    // Who hangs up behind the last event has heard it all; for anybody else nothing goes on.
    if (!this.out.state.isStopped) for (const one of installed) contexts.of(one).leave()
    this.close()
  }

  settled(): Promise<void> | undefined {
    return this.options.contexts.settled()
  }

  // What comes from the last stage.

  send(event: StreamEvent): void {
    this.out.send(event)
  }

  ended(): void {
    if (this.isOver) return
    this.close()
    this.out.done()
  }

  pause(): void {
    this.out.pause()
  }

  resume(): void {
    this.out.resume()
  }

  halt(): void {
    this.out.halt()
    this.ended()
  }

  /** From somebody who took time: nobody is on the stack to be told. */
  fail(error: unknown): void {
    if (this.isOver) return
    this.close()
    try {
      this.out.send({ type: 'error', error: { kind: 'internal', message: wordsOf(error) } })
    } catch {
      // Then it ends without a finish, which is an error too.
    }
    this.out.halt()
    this.out.done()
  }

  /** Once, however it ends. Those that still hold something hold it for nobody. */
  private close(): void {
    this.isOver = true
    for (const stage of this.stages) stage.leave()
    this.options.contexts.finish(this.out.state)
  }

  /** The row is built from its end. */
  private add(stage: PolicyStage): void {
    // Mostly there is one, and a list that is spread has room for seventeen.
    this.stages = this.stages.length === 0 ? [stage] : [stage, ...this.stages]
  }

  /** What the stage that is added next sends to. */
  private next(): StageOut {
    const first = this.stages[0]
    return first === undefined ? this : new Link(first, this.out, this)
  }

  private addPolicy(installed: Installed): void {
    const { policy, isShadow } = installed
    const { host, contexts } = this.options
    const given = { installed, host, context: contexts.of(installed) }
    if (isShadow || policy.onBlock !== undefined) {
      const watching = {
        installed,
        host,
        context: given.context,
        wait: (work: Promise<unknown>) => contexts.wait(installed, work),
      }
      if (isShadow && policy.onChunk !== undefined)
        this.add(createShadowFilter(watching, this.next()))
      if ((isShadow && policy.judge !== undefined) || policy.onBlock !== undefined)
        this.add(createTap(watching, this.next()))
    }
    if (isShadow) return
    if (policy.onChunk !== undefined) this.add(createFilter(given, this.next()))
    if (policy.judge !== undefined) this.add(createGate(given, this.next()))
  }
}

/** From one stage to the next. */
class Link implements StageOut {
  private readonly next: PolicyStage
  private readonly out: EngineOut
  private readonly row: StageOut

  constructor(next: PolicyStage, out: EngineOut, row: StageOut) {
    this.next = next
    this.out = out
    this.row = row
  }

  send(event: StreamEvent): void {
    this.next.push(event)
  }

  ended(): void {
    this.next.end()
  }

  pause(): void {
    this.out.pause()
  }

  resume(): void {
    this.out.resume()
  }

  halt(): void {
    this.out.halt()
    this.next.end()
  }

  fail(error: unknown): void {
    this.row.fail(error)
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof SluiceError ? error.message : 'The gateway could not finish this answer'
