/**
 * An answer that somebody acts on, or that must change its form: events through a processor to an
 * encoder or into one JSON body. Neighbours: `relay.ts` is the way for what nobody touches; `block/`
 * calls whoever acts. One way for streams and JSON answers, so that none is skipped on either.
 */
import type { ServerResponse } from 'node:http'
import type { JsonObject } from '../base/json.ts'
import { createAssembler } from '../block/assemble.ts'
import { createStreamContext, type StreamContextOptions } from '../block/context.ts'
import type { StreamProcessor } from '../block/processor.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamEvent } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Loss } from '../event/loss.ts'
import { toBytes, type Written } from '../sse/encode.ts'
import type { EncoderOptions, Wire } from '../wire/wire.ts'
import { createCheck } from './check.ts'
import { CUT } from './fault-status.ts'
import type { Heartbeat } from './heartbeat.ts'

/** Whoever acts on an answer. */
export type Actor = () => StreamProcessor

type Events = AsyncIterable<StreamEvent> | Iterable<StreamEvent>

export interface ActedOptions {
  readonly wire: Wire
  readonly actor: Actor | undefined
  readonly signal: AbortSignal
  readonly encoder?: EncoderOptions
}

/** What was delivered, and what is to be said of it. */
export interface Acted {
  readonly state: StreamState
  readonly fault: StreamFault | undefined
  readonly losses: readonly Loss[]
  readonly violations: number
  readonly bytesOut: number
  /** Whether the client was still there when the last event left. */
  readonly isHeard: boolean
  /** The frames that said the end, of a stream. */
  readonly last: readonly Written[]
}

export interface StreamOut extends ActedOptions {
  /** Its head has been written. */
  readonly response: ServerResponse
  /** Whether what is written is held to its grammar. */
  readonly isChecked: boolean
  /** The clock of a stream under way; a made one has none. */
  createBeat?(keepalive: (asEvent: boolean) => void): Heartbeat
}

/** Writes an answer as a stream of frames. */
export async function writeStream(events: Events, options: StreamOut): Promise<Acted> {
  const { wire, response, signal } = options
  const encoder = wire.createEncoder(options.encoder)
  const check = createCheck(wire, options.isChecked)
  const assembler = createAssembler()
  let bytesOut = 0
  const write = (written: readonly Written[]): void => {
    for (const one of written) {
      const bytes = toBytes(one)
      bytesOut += bytes.length
      check.push(bytes)
      response.write(bytes)
    }
  }
  const beat = options.createBeat?.((asEvent) => write(encoder.keepalive(asEvent)))
  let isHeard = false
  let last: readonly Written[] = []
  const send = async (event: StreamEvent): Promise<void> => {
    assembler.apply(event)
    if (event.type === 'message-stop' || event.type === 'error') isHeard ||= !signal.aborted
    const written = encoder.push(event)
    if (event.type === 'message-stop') last = written
    if (written.length === 0) return
    write(written)
    beat?.said()
    if (!response.writableNeedDrain) return
    beat?.paused()
    await drained(response, signal)
    beat?.resumed()
  }
  try {
    await run(events, options, { send, keepalive: () => write(encoder.keepalive()) })
  } catch (error) {
    // Whoever acts has failed, or a limit was passed: the answer ends here, and not as a success.
    write(encoder.push({ type: 'error', error: toActedFault(error) }))
  } finally {
    write(encoder.end())
    beat?.stop()
  }
  return {
    state: assembler.state,
    fault: encoder.fault,
    losses: encoder.losses(),
    violations: check.end(),
    bytesOut,
    isHeard,
    last,
  }
}

export interface ActedJson extends Acted {
  readonly body: JsonObject | undefined
  /** Whether all events were sent, in order and none beside them. */
  readonly isUntouched: boolean
}

/** Collects an answer into one JSON body; `undefined` when it ended as an error. */
export async function writeJson(
  events: readonly StreamEvent[],
  options: ActedOptions,
): Promise<ActedJson> {
  const assembler = createAssembler()
  let sent = 0
  let isUntouched = true
  let thrown: StreamFault | undefined
  try {
    await run(events, options, {
      send(event) {
        if (event !== events[sent++]) isUntouched = false
        assembler.apply(event)
      },
    })
  } catch (error) {
    thrown = toActedFault(error)
  }
  const { state } = assembler
  const fault = thrown ?? state.error ?? (state.isStopped ? undefined : CUT)
  if (sent !== events.length) isUntouched = false
  const base = { state, fault, isUntouched, violations: 0, bytesOut: 0, isHeard: false, last: [] }
  if (fault !== undefined) return { ...base, losses: [], body: undefined }
  const { body, losses } = options.wire.writeAnswer(state, options.encoder)
  return { ...base, losses, body }
}

/** What a client is told of an error of ours. */
export const toActedFault = (error: unknown): StreamFault => ({
  kind: 'internal',
  message:
    error instanceof Error && error.name === 'SluiceError'
      ? error.message
      : 'The gateway could not finish this answer',
})

async function run(
  events: Events,
  { actor, signal }: ActedOptions,
  out: Pick<StreamContextOptions, 'send' | 'keepalive'>,
): Promise<void> {
  if (actor === undefined) {
    for await (const event of events) await out.send(event)
    return
  }
  await untilLeft(actor().process(events, createStreamContext({ ...out, signal })), signal)
}

/** Whoever acts may wait for something that never comes; once the client has left, nobody waits along. */
async function untilLeft(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let leave = (): void => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    await Promise.race([work, left])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    response.on('drain', done)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}
