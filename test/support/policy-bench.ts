/**
 * The engine with policies that a test names, without a wire: events in, events out, and what was recorded. Neighbours:
 * `gated.ts` does the same with bytes.
 */
export { Frame } from '../../src/sse/frame.ts'
import { createAssembler } from '../../src/block/assemble.ts'
import type { StreamState } from '../../src/block/state.ts'
import type { StreamEvent } from '../../src/event/event.ts'
import type { FinishReason } from '../../src/event/finish.ts'
import { textBlock, toolCallBlock } from '../../src/event/make.ts'
import { Contexts, createEngine, type Engine } from '../../src/policy/engine.ts'
import type { PolicyHost } from '../../src/policy/host.ts'
import { install } from '../../src/policy/installed.ts'
import type { Installed, Policy, VerdictRecord } from '../../src/policy/policy.ts'
import { createHost } from './gated.ts'

export interface BenchOptions {
  readonly host?: Partial<PolicyHost>
  readonly leavesTogether?: boolean
}

export interface Bench {
  readonly engine: Engine
  readonly contexts: Contexts
  readonly host: PolicyHost
  readonly sent: readonly StreamEvent[]
  readonly state: StreamState
  readonly records: readonly VerdictRecord[]
  /** How often each was called. */
  readonly told: { done: number; halt: number; pause: number; resume: number }
  /** All is sent that will be. */
  readonly done: Promise<void>
  push(...events: readonly (StreamEvent | readonly StreamEvent[])[]): void
  /** Pushes that, ends it, and waits. */
  run(...events: readonly (StreamEvent | readonly StreamEvent[])[]): Promise<void>
  /** What left, a line for each block: `text Hello`, `call Bash {"a":1}`. */
  lines(): readonly string[]
}

/** A policy, with what its config says of it. */
export type Given = Policy | Installed

export function createBench(given: readonly Given[], options: BenchOptions = {}): Bench {
  const records: VerdictRecord[] = []
  const sent: StreamEvent[] = []
  const assembler = createAssembler()
  const told = { done: 0, halt: 0, pause: 0, resume: 0 }
  const host: PolicyHost = { ...createHost(records), ...options.host }
  const contexts = new Contexts(host)
  const installed = given.map((one) => ('policy' in one ? one : install(one)))
  let isDone = (): void => {}
  const done = new Promise<void>((resolve) => (isDone = resolve))
  const engine = createEngine(
    { installed, host, contexts, leavesTogether: options.leavesTogether ?? false },
    {
      state: assembler.state,
      send(event) {
        sent.push(event)
        assembler.apply(event)
      },
      done() {
        told.done += 1
        isDone()
      },
      halt: () => void (told.halt += 1),
      pause: () => void (told.pause += 1),
      resume: () => void (told.resume += 1),
    },
  )
  const push: Bench['push'] = (...events) => {
    for (const event of events.flat()) engine.push(event as StreamEvent)
  }
  return {
    engine,
    contexts,
    host,
    sent,
    state: assembler.state,
    records,
    told,
    done,
    push,
    async run(...events) {
      push(...events)
      engine.end()
      await done
    },
    lines: () =>
      assembler.state.blocks.map((block) =>
        block.type === 'tool-call'
          ? `call ${block.name} ${block.arguments}`
          : `${block.type} ${'text' in block ? block.text : ''}`,
      ),
  }
}

export const START: StreamEvent = { type: 'message-start', id: 'msg_1', model: 'm' }

export const END = (reason: FinishReason = 'tool-calls'): readonly StreamEvent[] => [
  { type: 'finish', reason },
  { type: 'message-stop' },
]

export const call = (
  args: Readonly<Record<string, unknown>> | string = { a: 1 },
  id = 'call_1',
): readonly StreamEvent[] => toolCallBlock({ id, name: 'Bash', args })

export const text = (words: string): readonly StreamEvent[] => textBlock(words)

/** A promise, and the ways to settle it. */
export function later<Value>(): {
  readonly promise: Promise<Value>
  resolve(value: Value): void
  reject(error: Error): void
} {
  let resolve: (value: Value) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve: (value) => resolve(value), reject: (error) => reject(error) }
}

/** All that can happen without anybody from outside has happened. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
