/**
 * What it costs to hold an event back, about, in bytes. Neighbours: the stages that hold events have a limit by it. An event
 * of one letter costs as much as a page of text: it has its frame, its JSON and its own object.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { StreamEvent } from '../event/event.ts'

/** An answer of 128,000 tokens, a frame each, stays below it. */
export const MAX_HELD_BYTES = 128 * 1024 * 1024

const EVENT_BYTES = 256

export function weightOf(event: StreamEvent): number {
  const frame = event.step?.frame
  const said = event.type === 'block-delta' && 'text' in event.delta ? event.delta.text.length : 0
  const read = frame?.data?.length ?? said
  // One frame may stand for many: their bytes wait with it.
  return EVENT_BYTES + read + Math.max(read, frame?.size ?? 0)
}

export const tooMuch = (max: number, forWhom: string): SluiceError =>
  new SluiceError(
    'message-too-large',
    `Cannot hold more than ${Math.round(max / 1024 / 1024)} MB of an answer for ${forWhom}`,
  )
