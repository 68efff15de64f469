/**
 * All policies of one exchange in their order, each a stage of the answer's events: a later one sees what an earlier one
 * let through. Neighbours: `exchange/` pushes events in and writes what comes out; `gate.ts`, `filter.ts`, `tap.ts` are
 * the stages. Knows no wire and no HTTP.
 */
import type { StreamState } from '../block/state.ts'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import { Context } from './context.ts'
import { createFilter } from './filter.ts'
import { createGate } from './gate.ts'
import type { PolicyHost } from './host.ts'
import { holdsCalls } from './installed.ts'
import type { Installed, Policy } from './policy.ts'
import type { PolicyStage, StageOut } from './stage.ts'
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
  leave(): void
}

/** Each policy has one context for the whole exchange. */
export type Contexts = (installed: Installed) => Context

export function createContexts(host: PolicyHost): Contexts {
  const made = new Map<Installed, Context>()
  return (installed) => {
    let context = made.get(installed)
    if (context === undefined) made.set(installed, (context = new Context(host, installed.policy)))
    return context
  }
}

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
  /** Work that goes on after the answer: those in shadow, and whoever is told of its end. */
  const stages: PolicyStage[] = []

  function finish(): void {
    if (isOver) return
    isOver = true
    tellFinish()
    out.done()
  }

  function tellFinish(): void {
    for (const one of installed) {
      const context = contexts(one)
      tell(one, () => one.policy.onFinish?.(out.state, context))
      tell(one, () => one.policy.close?.(context))
      context.leave()
    }
  }

  function tell({ policy }: Installed, work: () => void | Promise<void>): void {
    const warn = (error: unknown): void => {
      const name = error instanceof Error ? error.name : typeof error
      host.log(policy).warn('A policy failed at the end', { policy: policy.name, error: name })
    }
    try {
      const going = work()
      if (going instanceof Promise) going.catch(warn)
    } catch (error) {
      warn(error)
    }
  }

  /** What a stage gives goes to the next one, or out. Looked up late: the row is built from its end. */
  function outOf(next: PolicyStage | undefined): StageOut {
    return {
      send: (event) => (next === undefined ? out.send(event) : next.push(event)),
      ended: () => (next === undefined ? finish() : next.end()),
      pause: () => out.pause(),
      resume: () => out.resume(),
      halt() {
        out.halt()
        if (next === undefined) finish()
        else next.end()
      },
    }
  }

  function add(create: (to: StageOut) => PolicyStage): void {
    stages.unshift(create(outOf(stages[0])))
  }

  if (options.leavesTogether && installed.some(holdsCalls)) add(createTogether)
  for (const one of installed.toReversed()) {
    const { policy, isShadow } = one
    const given = { installed: one, host, context: contexts(one) }
    if (isShadow || policy.onBlock !== undefined)
      add((to) => createTap({ ...given, wait: (work) => void work }, to))
    if (isShadow) continue
    if (policy.onChunk !== undefined) add((to) => createFilter(given, to))
    if (policy.judge !== undefined) add((to) => createGate(given, to))
  }

  return {
    push(event) {
      if (isOver) return
      const [first] = stages
      if (first === undefined) out.send(event)
      else first.push(event)
    },
    end() {
      const [first] = stages
      if (first === undefined) finish()
      else first.end()
    },
    passes: (block) => stages.every((stage) => stage.passes(block)),
    leave() {
      if (isOver) return
      isOver = true
      for (const stage of stages) stage.leave()
      tellFinish()
    },
  }
}
