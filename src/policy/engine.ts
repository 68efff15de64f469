/**
 * All policies of one exchange in their order, each a stage of the answer's events: a later one sees what an earlier one
 * let through. Neighbours: `exchange/` pushes events in and writes what comes out; `gate.ts`, `filter.ts`, `tap.ts` are
 * the stages. Knows no wire and no HTTP.
 */
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

export { createContexts, type Contexts } from './contexts.ts'

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

export function createEngine(options: EngineOptions, out: EngineOut): Engine {
  const { host, installed, contexts } = options
  let isOver = false
  /** The upstream has said its end. */
  let hasEnded = false
  const stages: PolicyStage[] = []

  /** Once, however it ends. Those that still hold something hold it for nobody. */
  function close(): void {
    isOver = true
    for (const stage of stages) stage.leave()
    contexts.finish(out.state)
  }

  function finish(): void {
    if (isOver) return
    close()
    out.done()
  }

  /** From somebody who took time: nobody is on the stack to be told. */
  function fail(error: unknown): void {
    if (isOver) return
    close()
    try {
      out.send({ type: 'error', error: { kind: 'internal', message: wordsOf(error) } })
    } catch {
      // Then it ends without a finish, which is an error too.
    }
    out.halt()
    out.done()
  }

  const last: StageOut = {
    send: (event) => out.send(event),
    ended: finish,
    pause: () => out.pause(),
    resume: () => out.resume(),
    halt() {
      out.halt()
      finish()
    },
    fail,
  }

  /** The row is built from its end. */
  function add(create: (to: StageOut) => PolicyStage): void {
    const [next] = stages
    stages.unshift(create(next === undefined ? last : new Link(next, out, fail)))
  }

  function addPolicy(one: Installed): void {
    const { policy, isShadow } = one
    const given = { installed: one, host, context: contexts(one) }
    const watching = { ...given, wait: (work: Promise<unknown>) => contexts.wait(one, work) }
    if (isShadow && policy.onChunk !== undefined) add((to) => createShadowFilter(watching, to))
    if ((isShadow && policy.judge !== undefined) || policy.onBlock !== undefined)
      add((to) => createTap(watching, to))
    if (isShadow) return
    if (policy.onChunk !== undefined) add((to) => createFilter(given, to))
    if (policy.judge !== undefined) add((to) => createGate(given, to))
  }

  if (installed.some(holdsCalls)) {
    add((to) => createLastLook(HALT.name, host, to))
    if (options.leavesTogether) add(createTogether)
  }
  for (const one of installed.toReversed()) addPolicy(one)

  return {
    push(event) {
      if (isOver || (hasEnded && isLate(event))) return
      hasEnded ||= event.type === 'message-stop'
      const [first] = stages
      if (first === undefined) out.send(event)
      else first.push(event)
    },
    end() {
      const [first] = stages
      try {
        if (first === undefined) finish()
        else first.end()
      } catch (error) {
        fail(error)
      }
    },
    passes: (block) => stages.every((stage) => stage.passes(block)),
    gathers(block) {
      // The first that does not let it pass is the one that decides.
      const first = stages.find((stage) => !stage.passes(block))
      return first?.gathers?.(block) === true
    },
    leave() {
      if (isOver) return
      // Who hangs up behind the last event has heard it all; for anybody else nothing goes on.
      if (!out.state.isStopped) for (const one of installed) contexts(one).leave()
      close()
    },
    settled: () => contexts.settled(),
  }
}

/** From one stage to the next. A class: there are several, for as long as an answer takes. */
class Link implements StageOut {
  private readonly next: PolicyStage
  private readonly out: EngineOut
  private readonly onFailure: (error: unknown) => void

  constructor(next: PolicyStage, out: EngineOut, onFailure: (error: unknown) => void) {
    this.next = next
    this.out = out
    this.onFailure = onFailure
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
    this.onFailure(error)
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof SluiceError ? error.message : 'The gateway could not finish this answer'
