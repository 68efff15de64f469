/**
 * A stream from bytes to events and back, in a line each. Uses the library's face only.
 */
import {
  chain,
  createAssembler,
  createFrameDecoder,
  createStreamContext,
  toBytes,
  WIRES,
  type Encoder,
  type EncoderOptions,
  type StreamEvent,
  type StreamProcessor,
  type StreamState,
  type WireName,
} from '../../src/index.ts'
import { joinBytes, toUtf8 } from './bytes.ts'

/** All events of a body that comes in those pieces. */
export function decodeAll(wire: WireName, pieces: readonly Uint8Array[]): StreamEvent[] {
  const stage = chain(createFrameDecoder(), WIRES[wire].createDecoder())
  const events = pieces.flatMap((piece) => [...stage.push(piece)])
  return [...events, ...stage.end()]
}

/** What the encoder writes for those events, its end included. */
export function encodeAll(
  wire: WireName,
  events: readonly StreamEvent[],
  options?: EncoderOptions,
): Uint8Array {
  const encoder = WIRES[wire].createEncoder(options)
  const written = events.flatMap((event) => [...encoder.push(event)])
  return joinBytes([...written, ...encoder.end()].map(toBytes))
}

/** The state that those events lead to. */
export function assemble(events: readonly StreamEvent[]): StreamState {
  const assembler = createAssembler()
  for (const event of events) assembler.apply(event)
  return assembler.state
}

/** What a client of the wire has read once the body is over. */
export const stateOf = (wire: WireName, body: Uint8Array | string): StreamState =>
  assemble(decodeAll(wire, [typeof body === 'string' ? toUtf8(body) : body]))

export interface Processed {
  /** What the client gets. */
  readonly body: Uint8Array
  readonly isVerbatim: boolean
  readonly sent: readonly StreamEvent[]
}

/** Runs a body through a processor and writes what it sends on the same wire. */
export async function processBody(
  wire: WireName,
  body: Uint8Array,
  processor: StreamProcessor,
): Promise<Processed> {
  const encoder: Encoder = WIRES[wire].createEncoder()
  const written: Uint8Array[] = []
  const sent: StreamEvent[] = []
  const context = createStreamContext({
    send(event) {
      sent.push(event)
      for (const one of encoder.push(event)) written.push(toBytes(one))
    },
    keepalive() {
      for (const one of encoder.keepalive()) written.push(toBytes(one))
    },
  })
  await processor.process(decodeAll(wire, [body]), context)
  for (const one of encoder.end()) written.push(toBytes(one))
  return { body: joinBytes(written), isVerbatim: encoder.isVerbatim, sent }
}
