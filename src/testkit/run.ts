/**
 * One answer through the real engine, in the world of a test. Neighbours: `policy/engine.ts` is what runs in the
 * gateway too; `exchange.ts` has the request before it, `result.ts` says what came of both.
 */
import { createAssembler } from '../block/assemble.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamEvent } from '../event/event.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { createEngine, type Contexts } from '../policy/engine.ts'
import type { PolicyHost } from '../policy/host.ts'
import type { Installed } from '../policy/policy.ts'

export interface Ran {
  /** What left, in order, before the calls of one message are put together for wires that want that. */
  readonly sent: readonly StreamEvent[]
  readonly state: StreamState
}

export interface RunOptions {
  readonly installed: readonly Installed[]
  readonly host: PolicyHost
  readonly contexts: Contexts
}

export function runAnswer(events: Iterable<StreamEvent>, options: RunOptions): Promise<Ran> {
  const assembler = createAssembler()
  const sent: StreamEvent[] = []
  const ran: Ran = { sent, state: assembler.state }
  return new Promise((resolve) => {
    const send = (event: StreamEvent): void => {
      sent.push(event)
      assembler.apply(event)
    }
    const engine = createEngine(
      { ...options, leavesTogether: false },
      {
        state: assembler.state,
        send,
        done: () => resolve(ran),
        halt() {},
        pause() {},
        resume() {},
      },
    )
    try {
      for (const event of events) engine.push(event)
      engine.end()
    } catch (error) {
      // As the gateway does: what it cannot finish ends with an error.
      engine.leave()
      send({ type: 'error', error: { kind: 'internal', message: wordsOf(error) } })
      resolve(ran)
    }
  })
}

const wordsOf = (error: unknown): string =>
  error instanceof SluiceError ? error.message : 'The gateway could not finish this answer'
