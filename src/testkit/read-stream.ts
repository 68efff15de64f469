/**
 * A recording → its events, on whichever wire it was made. Neighbours: `test-policy.ts`; `cli/input.ts` opens files.
 */
import { parseExactObject } from '../base/json-exact.ts'
import { parseObject, type JsonObject } from '../base/json.ts'
import { chain } from '../base/stage.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { toBytes } from '../sse/encode.ts'
import { recogniseWires, WIRES } from '../wire/wires.ts'

/** SSE as text or bytes, whole or in pieces; a JSON answer; or events. */
export type TestStream =
  | string
  | Uint8Array
  | Iterable<Uint8Array>
  | AsyncIterable<Uint8Array>
  | readonly StreamEvent[]
  | JsonObject

export interface ReadStream {
  readonly events: readonly StreamEvent[]
  /** Where it was read; `undefined`: these are events. */
  readonly wire: WireName | undefined
}

export async function readStream(
  stream: TestStream,
  wire: WireName | undefined,
): Promise<ReadStream> {
  if (Array.isArray(stream) && stream.length > 0 && !(stream[0] instanceof Uint8Array))
    return { events: stream as readonly StreamEvent[], wire }
  if (typeof stream === 'string') return readBytes([toBytes(stream)], wire)
  if (stream instanceof Uint8Array) return readBytes([stream], wire)
  if (Symbol.iterator in stream) return readBytes([...(stream as Iterable<Uint8Array>)], wire)
  if (!(Symbol.asyncIterator in stream)) return readAnswer(stream, wire)
  const pieces: Uint8Array[] = []
  for await (const piece of stream as AsyncIterable<Uint8Array>) pieces.push(piece)
  return readBytes(pieces, wire)
}

function readBytes(pieces: readonly Uint8Array[], wire: WireName | undefined): ReadStream {
  const body = asJson(pieces)
  if (body !== undefined && recogniseWires(body).some(({ as }) => as !== 'chunk'))
    return readAnswer(body, wire)
  const name = wire ?? findWire(pieces)
  const stage = chain(createFrameDecoder(), WIRES[name].createDecoder())
  const events = pieces.flatMap((piece) => [...stage.push(piece)])
  return { events: [...events, ...stage.end()], wire: name }
}

const OPEN_BRACE = 0x7b

function asJson(pieces: readonly Uint8Array[]): JsonObject | undefined {
  if (pieces[0]?.find((byte) => byte > 0x20) !== OPEN_BRACE) return undefined
  const decoder = new TextDecoder()
  const text = pieces.map((piece) => decoder.decode(piece, { stream: true })).join('')
  return parseExactObject(text + decoder.decode())
}

function readAnswer(body: JsonObject, wire: WireName | undefined): ReadStream {
  const found = recogniseWires(body).find((one) => wire === undefined || one.wire === wire)
  if (found === undefined)
    throw new SluiceError(
      'not-a-stream',
      `This JSON is no answer of ${wire ?? 'any wire'}: onRequest is for requests`,
    )
  const of = WIRES[found.wire]
  if (found.as !== 'error') return { events: of.readAnswer(body), wire: found.wire }
  return { events: [{ type: 'error', error: of.readError(body) }], wire: found.wire }
}

/** The first frame that one wire alone knows tells. */
function findWire(pieces: readonly Uint8Array[]): WireName {
  const framer = createFrameDecoder()
  const frames = [...pieces.flatMap((piece) => [...framer.push(piece)]), ...framer.end()]
  for (const { data } of frames) {
    const json = data === undefined ? undefined : parseObject(data)
    const [only, ...others] = json === undefined ? [] : recogniseWires(json)
    if (only !== undefined && others.length === 0) return only.wire
  }
  throw new SluiceError(
    'not-a-stream',
    'Nothing in this stream tells its wire: say it, as in { wire: "openai-chat" }',
  )
}
