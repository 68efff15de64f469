/**
 * A body that streams, from its bytes to events: what a library user begins with. Neighbours: the
 * framer and the wire's decoder, chained; `block/processor.ts` takes the events.
 */
import { chain } from '../base/stage.ts'
import type { StreamEvent } from '../event/event.ts'
import { createFrameDecoder, type FrameLimits } from '../sse/decode.ts'
import type { DecoderOptions, Wire } from './wire.ts'

/**
 * The events of an SSE body: of `response.body` from `fetch`, a file, or any other source of bytes.
 * Flow is pulled: a slow reader slows the source, and leaving the loop ends it.
 */
export async function* readEvents(
  wire: Wire,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: FrameLimits & DecoderOptions = {},
): AsyncGenerator<StreamEvent> {
  const stage = chain(createFrameDecoder(options), wire.createDecoder(options))
  for await (const piece of bytes) yield* stage.push(piece)
  yield* stage.end()
}
