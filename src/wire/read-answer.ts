/**
 * A JSON answer is a collected stream: it is read by the same decoder, as the few frames that would
 * say it whole. So no policy and no translation can treat the two differently. Neighbours: each
 * wire's `answer.ts` says which frames.
 */
import { stringifyExact } from '../base/json-exact.ts'
import type { JsonObject } from '../base/json.ts'
import type { StreamEvent } from '../event/event.ts'
import { createFrame } from '../sse/frame.ts'
import type { Decoder } from './wire.ts'

/** The events of those payloads. They have no step: there is no frame that could leave as it came. */
export function readPayloads(
  decoder: Decoder,
  payloads: readonly (JsonObject | string)[],
): readonly StreamEvent[] {
  const events: StreamEvent[] = []
  for (const payload of payloads) {
    const data = typeof payload === 'string' ? payload : stringifyExact(payload)
    for (const event of decoder.push(createFrame(undefined, data))) events.push(event)
  }
  for (const event of decoder.end()) events.push(event)
  return events.map(({ step: _step, ...event }) => event)
}
