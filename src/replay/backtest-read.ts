/**
 * A recorded answer → the events that an engine sees, as `exchange/read-frames.ts` gives them: what is alike and only passes or
 * is gathered is told at once. Neighbours: `backtest-run.ts` has the engine, `index-answer.ts` wants words. Nothing is written, so that nothing
 * else of the live path is needed. Measured by `bench/backtest.ts`.
 */
import { parseObject } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'
import { findForm, frameEnd } from '../exchange/known-forms.ts'
import type { PastStage } from '../exchange/past-stages.ts'
import { lonePieceOf, Run } from '../exchange/run.ts'
import type { Engine } from '../policy/engine.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import type { Frame } from '../sse/frame.ts'
import type { Wire } from '../wire/wire.ts'

export interface PastReader {
  /** Bytes of the answer, in order. */
  read(bytes: Buffer): void
  /** All of them are read. */
  end(): void
}

/** Who takes the events. */
export type PastTaker = Pick<Engine, 'push' | 'passes' | 'gathers'>

export interface PastAnswer {
  readonly wire: Wire
  readonly stages: readonly PastStage[]
  readonly taker: PastTaker
  /** No frame is longer. */
  readonly maxFrameBytes?: number
}

/** After so many runs in a row that ended as soon as they began, an answer is not made of any. */
const MAX_FAILED_RUNS = 4

/** An answer that streamed. */
export function createPastReader(answer: PastAnswer): PastReader {
  const { wire, stages, taker, maxFrameBytes } = answer
  const framer = createFrameDecoder(maxFrameBytes === undefined ? {} : { maxFrameBytes })
  const decoder = wire.createDecoder()
  let run: Run | undefined
  let failedRuns = 0

  function pass(event: StreamEvent, at: number): void {
    const stage = stages[at]
    if (stage === undefined) taker.push(event)
    else for (const next of stage.push(event)) pass(next, at + 1)
  }

  function readFrame(frame: Frame): void {
    run = undefined
    const events = decoder.push(frame)
    for (const event of events) pass(event, 0)
    const piece = lonePieceOf(events)
    if (piece !== undefined) beginRun(piece, frame)
  }

  function beginRun(event: EventOf<'block-delta'>, frame: Frame): void {
    const { block, delta } = event
    if (failedRuns > MAX_FAILED_RUNS || !('text' in delta) || event.choice !== undefined) return
    if (!taker.gathers(block)) {
      if (!taker.passes(block) || !stages.every((stage) => stage.passes?.(event))) return
    }
    const form = findForm(wire, frame.raw, delta.text)
    if (form === undefined) failedRuns += 1
    else run = new Run(form, undefined)
  }

  function endRun(): void {
    if (run !== undefined) failedRuns = run.hasTaken ? 0 : failedRuns + 1
    const events = run?.settle(framer, decoder) ?? []
    run = undefined
    for (const event of events) pass(event, 0)
  }

  return {
    read(bytes) {
      let at = 0
      while (at < bytes.length) {
        if (run !== undefined) {
          const end = run.take(bytes, at)
          if (end > at) {
            at = end
            continue
          }
          endRun()
        }
        const end = failedRuns > MAX_FAILED_RUNS ? bytes.length : frameEnd(bytes, at)
        for (const frame of framer.push(bytes.subarray(at, end))) readFrame(frame)
        at = end
      }
    },
    end() {
      endRun()
      for (const frame of framer.end()) readFrame(frame)
      for (const event of decoder.end()) pass(event, 0)
      for (const [at, stage] of stages.entries())
        for (const event of stage.end()) pass(event, at + 1)
    },
  }
}

/** An answer that came as one body. */
export function readPastBody(bytes: Buffer, { wire, stages, taker }: PastAnswer): void {
  const body = parseObject(bytes.toString('utf8'))
  if (body === undefined)
    throw new SluiceError('not-a-stream', 'An answer is neither a stream nor a JSON object')
  let events: readonly StreamEvent[] = wire.readAnswer(body)
  for (const stage of stages)
    events = [...events.flatMap((event) => [...stage.push(event)]), ...stage.end()]
  for (const event of events) taker.push(event)
}

/** Whether it is one JSON body: no line of SSE begins like that. */
export function isPastBody(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte > 0x20)
  return first === 0x7b
}
