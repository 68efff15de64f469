/**
 * An answer that came whole, before whoever acts, and then to the client as a stream or as one body. Neighbours:
 * `live.ts` is the way for a stream under way; both go through the same policies, so that none is skipped on either.
 */
import type { JsonObject } from '../base/json.ts'
import { createAssembler } from '../block/assemble.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamEvent } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Loss } from '../event/loss.ts'
import type { Engine, EngineOut } from '../policy/engine.ts'
import type { EncoderOptions, Wire } from '../wire/wire.ts'
import { createAnswerOut, type AnswerOutOptions, type Delivered } from './answer-out.ts'
import type { Departure } from './departure.ts'
import { CUT, toActedFault } from './fault-status.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { OnHalt } from './relay.ts'

type CreateEngine = ((out: EngineOut) => Engine) | undefined

/** All events through whoever acts; resolves when all is sent that will be, or the client has left. */
function act(
  events: Iterable<StreamEvent>,
  createEngine: CreateEngine,
  client: Departure,
  out: Pick<EngineOut, 'state' | 'send'> & { readonly onHalt?: OnHalt | undefined },
): Promise<void> {
  const { state, send, onHalt } = out
  let offHalt = (): void => {}
  return new Promise<void>((resolve, reject) => {
    const engine = createEngine?.({
      state,
      send,
      done: resolve,
      halt() {},
      pause() {},
      resume() {},
    })
    if (engine !== undefined && onHalt !== undefined)
      offHalt = onHalt((fault) => {
        engine.leave()
        send({ type: 'error', error: fault })
        resolve()
      })
    if (engine !== undefined)
      client.onLeave(() => {
        engine.leave()
        resolve()
      })
    try {
      for (const event of events) (engine ?? { push: send }).push(event)
      if (engine === undefined || client.hasLeft) resolve()
      else engine.end()
    } catch (error) {
      engine?.leave()
      reject(error instanceof Error ? error : new Error('An answer could not be acted on'))
    }
  }).finally(() => offHalt())
}

export interface MadeStream extends Omit<AnswerOutOptions, 'onPause' | 'onResume'> {
  readonly createEngine: CreateEngine
  /** Ends it when all calls are stopped, where no gate sees to that. */
  readonly onHalt?: OnHalt | undefined
  createBeat(keepalive: (asEvent: boolean) => void): Heartbeat
}

/** Writes an answer that came whole as a stream of frames. */
export async function writeMade(
  events: Iterable<StreamEvent>,
  options: MadeStream,
): Promise<Delivered> {
  let drained = (): void => {}
  let isPaused = false
  const out = createAnswerOut({
    ...options,
    onPause() {
      isPaused = true
      beat.paused()
    },
    onResume() {
      isPaused = false
      beat.resumed()
      drained()
    },
  })
  const beat = options.createBeat((asEvent) => out.keepalive(asEvent))
  const { client } = options
  /** Not while all of it is pushed: that leaves in one write. */
  let isFlushing = true
  const flush = (): void => {
    isFlushing = false
    out.flush()
  }
  try {
    const acted = act(events, options.createEngine, client, {
      state: out.state,
      onHalt: options.onHalt,
      send(event) {
        out.emit(event)
        beat.said()
        if (isFlushing) return
        isFlushing = true
        process.nextTick(flush)
      },
    })
    // What stands before a block that is held does not wait with it.
    flush()
    await acted
  } catch (error) {
    out.emit({ type: 'error', error: toActedFault(error) })
  }
  out.flush()
  // A client that reads slowly still gets its end behind all the rest.
  if (isPaused && !client.hasLeft)
    await new Promise<void>((resolve) => {
      drained = resolve
      client.onLeave(resolve)
    })
  beat.stop()
  const delivered = out.end(client.hasLeft)
  // All was said at once: who left before it had taken that has not heard the end.
  return { ...delivered, isHeard: delivered.isHeard && !client.hasLeft }
}

export interface MadeBody {
  readonly body: JsonObject | undefined
  readonly state: StreamState
  readonly fault: StreamFault | undefined
  readonly losses: readonly Loss[]
  /** Whether all events were sent, in order and none beside them. */
  readonly isUntouched: boolean
}

/** Collects an answer into one JSON body; `undefined` when it ended as an error. */
export async function collectMade(
  events: readonly StreamEvent[],
  options: {
    readonly wire: Wire
    readonly encoder: EncoderOptions | undefined
    readonly createEngine: CreateEngine
    readonly client: Departure
  },
): Promise<MadeBody> {
  const assembler = createAssembler()
  let sent = 0
  let isUntouched = true
  let thrown: StreamFault | undefined
  const { state } = assembler
  try {
    await act(events, options.createEngine, options.client, {
      state,
      send(event) {
        if (event !== events[sent++]) isUntouched = false
        assembler.apply(event)
      },
    })
  } catch (error) {
    thrown = toActedFault(error)
  }
  const fault = thrown ?? state.error ?? (state.isStopped ? undefined : CUT)
  if (sent !== events.length) isUntouched = false
  const base = { state, fault, isUntouched }
  if (fault !== undefined) return { ...base, losses: [], body: undefined }
  const { body, losses } = options.wire.writeAnswer(state, options.encoder)
  return { ...base, losses, body }
}
