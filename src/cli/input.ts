/**
 * A file or standard input to frames, or to one JSON answer. Neighbours: each command opens its input
 * here. Tells SSE, JSON lines and a JSON body apart by their first bytes, and reads no further than it
 * must: what can stream, streams.
 */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { parseExactObject } from '../base/json-exact.ts'
import { parseObject, type JsonObject } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { WireName } from '../event/event.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import type { Frame } from '../sse/frame.ts'
import { createJsonLinesDecoder } from '../sse/json-lines.ts'
import { recogniseWires } from '../wire/wires.ts'
import type { Recognised } from '../wire/wire.ts'

/** What was found in the input. */
export type Input =
  | {
      readonly type: 'stream'
      readonly wire: WireName
      readonly frames: AsyncIterable<readonly Frame[]>
    }
  | {
      readonly type: 'answer' | 'error'
      readonly wire: WireName
      readonly body: JsonObject
      readonly bytes: Uint8Array
    }

const MAX_BODY_BYTES = 64 * 1024 * 1024
const OPEN_BRACE = 0x7b
/** How many frames are held while none tells the wire. */
const MAX_UNKNOWN_FRAMES = 10_000

/** Opens `file`, or standard input without one. `wire` is the one the user named, if any. */
export async function openInput(
  file: string | undefined,
  wire: WireName | undefined,
): Promise<Input> {
  const source = await openSource(file)
  const first = await readUntilText(source)
  if (first.length === 0)
    throw new SluiceError('not-a-stream', `${nameOf(file)} is empty: there is no stream in it`)
  const isJson = firstByte(first) === OPEN_BRACE
  if (!isJson) return openStream(decodeFrames(first, source, createFrameDecoder()), file, wire)
  const line = await readUntilLine(first, source)
  const json = parseObject(decodeText(line.slice(0, lineEnd(line))))
  const known = json === undefined ? [] : recogniseWires(json)
  const isLines = json !== undefined && !known.some(({ as }) => as !== 'chunk')
  if (isLines) return openStream(decodeFrames(line, source, createJsonLinesDecoder()), file, wire)
  return await openBody(line, source, { file, wire })
}

/** A JSON body that may be spread over many lines, or JSON lines whose first line is cut. */
async function openBody(
  first: Uint8Array,
  source: AsyncIterator<Uint8Array>,
  of: { file: string | undefined; wire: WireName | undefined },
): Promise<Input> {
  const bytes = await readAll(first, source)
  const body = parseExactObject(decodeText(bytes))
  if (body === undefined) {
    if (of.wire !== undefined)
      return openStream(decodeFrames(bytes, source, createJsonLinesDecoder()), of.file, of.wire)
    throw new SluiceError('not-a-stream', `${nameOf(of.file)} begins like JSON, but is none`)
  }
  const known = recogniseWires(body).filter(({ as }) => as !== 'chunk')
  const wire = chooseWire(known, of)
  const as = known.find((one) => one.wire === wire)?.as
  return { type: as === 'error' ? 'error' : 'answer', wire, body, bytes }
}

function chooseWire(
  known: readonly { wire: WireName; as: Recognised }[],
  of: { file: string | undefined; wire: WireName | undefined },
): WireName {
  const names = known.map(({ wire }) => wire)
  if (of.wire !== undefined && (names.includes(of.wire) || names.length === 0)) {
    if (names.length > 0) return of.wire
    throw new SluiceError(
      'not-a-stream',
      `${nameOf(of.file)} is a JSON object, but no answer and no chunk of ${of.wire}`,
    )
  }
  const [only] = names
  if (of.wire !== undefined) throw wrongWire(of.file, of.wire, names)
  if (only === undefined)
    throw new SluiceError(
      'not-a-stream',
      `${nameOf(of.file)} is a JSON object of none of the wires`,
    )
  return only
}

const wrongWire = (
  file: string | undefined,
  wire: WireName,
  found: readonly WireName[],
): SluiceError =>
  new SluiceError(
    'wrong-wire',
    `${nameOf(file)} is not ${wire} but ${found.join(' or ')}: name that wire instead`,
  )

/** Looks at frames until one tells which wire this is, then gives them all back. */
async function openStream(
  frames: AsyncIterator<readonly Frame[]>,
  file: string | undefined,
  wire: WireName | undefined,
): Promise<Input> {
  const seen: (readonly Frame[])[] = []
  let count = 0
  let hasFields = false
  /** Wires that all speak of what was found, such as a bare error. */
  let several: readonly WireName[] = []
  let isStrange = false
  while (count < MAX_UNKNOWN_FRAMES) {
    const next = await frames.next()
    if (next.done === true) break
    seen.push(next.value)
    count += next.value.length
    for (const frame of next.value) {
      hasFields ||=
        frame.data !== undefined ||
        frame.event !== undefined ||
        frame.stray?.startsWith('error') === true
      const json = frame.data === undefined ? undefined : parseObject(frame.data)
      if (json === undefined) continue
      const names = recogniseWires(json).map((one) => one.wire)
      if (names.length === 0) isStrange = true
      else if (wire === undefined && names.length > 1) several = names
      else if (wire !== undefined && !names.includes(wire)) throw wrongWire(file, wire, names)
      else
        return {
          type: 'stream',
          wire: wire ?? names[0] ?? 'openai-chat',
          frames: replay(seen, frames),
        }
    }
  }
  // Cut so early that nothing tells the wire: the user's word is good enough, if it is a stream at all.
  if (wire !== undefined && hasFields && !isStrange)
    return { type: 'stream', wire, frames: replay(seen, frames) }
  if (several.length > 0)
    throw new SluiceError(
      'wrong-wire',
      `${nameOf(file)} may be ${several.join(' or ')}: name the wire`,
    )
  throw new SluiceError(
    'not-a-stream',
    `${nameOf(file)} is no stream of any wire: neither SSE nor JSON lines`,
  )
}

async function* replay(
  seen: readonly (readonly Frame[])[],
  rest: AsyncIterator<readonly Frame[]>,
): AsyncGenerator<readonly Frame[]> {
  yield* seen
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
}

async function* decodeFrames(
  first: Uint8Array,
  source: AsyncIterator<Uint8Array>,
  decoder: ReturnType<typeof createFrameDecoder>,
): AsyncGenerator<readonly Frame[]> {
  yield decoder.push(first)
  for (let next = await source.next(); next.done !== true; next = await source.next())
    yield decoder.push(next.value)
  yield decoder.end()
}

async function openSource(file: string | undefined): Promise<AsyncIterator<Uint8Array>> {
  if (file === undefined || file === '-') return process.stdin[Symbol.asyncIterator]()
  const found = await stat(file).catch((cause: unknown) => {
    throw new SluiceError('wrong-use', `Cannot read "${file}": there is no such file`, { cause })
  })
  if (found.isDirectory())
    throw new SluiceError('wrong-use', `Cannot read "${file}": it is a folder`)
  return createReadStream(file)[Symbol.asyncIterator]()
}

/** White space, and the bytes of a byte order mark. */
const SPACE_OR_MARK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** Bytes up to the first that is no white space and no byte order mark. */
async function readUntilText(source: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let bytes: Uint8Array = new Uint8Array(0)
  while (firstByte(bytes) === undefined) {
    const next = await source.next()
    if (next.done === true) return firstByte(bytes) === undefined ? new Uint8Array(0) : bytes
    bytes = join([bytes, next.value])
  }
  return bytes
}

function firstByte(bytes: Uint8Array): number | undefined {
  return bytes.find((byte) => !SPACE_OR_MARK.has(byte))
}

async function readUntilLine(
  first: Uint8Array,
  source: AsyncIterator<Uint8Array>,
): Promise<Uint8Array> {
  const parts = [first]
  let size = first.length
  while (lineEnd(parts.at(-1) ?? first) === undefined && size < MAX_BODY_BYTES) {
    const next = await source.next()
    if (next.done === true) break
    parts.push(next.value)
    size += next.value.length
  }
  return join(parts)
}

/** Where the first line that says something ends. */
function lineEnd(bytes: Uint8Array): number | undefined {
  const start = bytes.findIndex((byte) => byte > 0x20)
  const end = bytes.indexOf(0x0a, Math.max(start, 0))
  return end === -1 ? undefined : end
}

async function readAll(first: Uint8Array, source: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const parts = [first]
  let size = first.length
  for (let next = await source.next(); next.done !== true; next = await source.next()) {
    parts.push(next.value)
    size += next.value.length
    if (size > MAX_BODY_BYTES)
      throw new SluiceError(
        'frame-too-large',
        `Cannot hold a JSON body over ${MAX_BODY_BYTES} bytes: got ${size}`,
      )
  }
  return join(parts)
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)
}

const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const nameOf = (file: string | undefined): string =>
  file === undefined || file === '-' ? 'Standard input' : `"${file}"`
