/**
 * The provider of the benchmark, a process of its own: answers every POST with the answer that the model's name asks
 * for, as fast as it is taken or at a pace. Plain `node:net`, so that it is not what is measured. Neighbours:
 * `start-upstream.ts` forks it and is told the port, `requests.ts` says what is asked for.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { WireName } from '../../src/index.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { benchAnswer, benchJson, PATHS, type BenchAnswer, type BenchFrame } from './frames.ts'
import { realStreams } from './real-streams.ts'
import { readWanted, type Wanted } from './requests.ts'
import { writeStamp } from './stamps.ts'

const HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n',
)
const END = Buffer.from('0\r\n\r\n')

const server = createServer((socket) => {
  socket.setNoDelay(true)
  // Whoever measures may leave at the end of a round.
  socket.on('error', () => {})
  let held: Buffer = Buffer.alloc(0)
  socket.on('data', (piece) => {
    held = held.length === 0 ? piece : Buffer.concat([held, piece])
    const request = readRequest(held)
    if (request === undefined) return
    held = held.subarray(request.length)
    answer(socket, request)
  })
})
server.listen(0, '127.0.0.1', 4096, () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit())

interface BenchRequest {
  readonly length: number
  readonly path: string
  readonly wanted: Wanted | undefined
}

/** One whole request at the start of those bytes. */
function readRequest(bytes: Buffer): BenchRequest | undefined {
  const head = bytes.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const text = bytes.toString('latin1', 0, head)
  const path = /^\w+ ([^ ?]+)/.exec(text)?.[1] ?? ''
  const size = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  const end = size === undefined ? chunkedEnd(bytes, head) : head + 4 + Number(size)
  if (end === undefined || bytes.length < end) return undefined
  return { length: end, path, wanted: readWanted(bytes.subarray(head, end)) }
}

function chunkedEnd(bytes: Buffer, head: number): number | undefined {
  const end = bytes.indexOf('\r\n0\r\n\r\n', head)
  return end === -1 ? undefined : end + 7
}

function answer(socket: Socket, { path, wanted }: BenchRequest): void {
  const wire = WIRE_NAMES.find((name) => path.endsWith(PATHS[name].slice('/v1'.length)))
  if (wire === undefined || wanted === undefined)
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
  else if (!wanted.isStream) void sendJson(socket, wire, wanted.chunks)
  else if (wanted.paceMs === 0) sendFast(socket, nextStream(wire, wanted.chunks))
  else sendPaced(socket, nextStream(wire, wanted.chunks), wanted.paceMs)
}

/** Where streams that were recorded are sent in place of made ones. */
const FOLDER = process.argv[2]
let sent = 0

function nextStream(wire: WireName, chunks: number): BenchAnswer {
  if (FOLDER === undefined) return benchAnswer(wire, chunks)
  const streams = realStreams(FOLDER, wire)
  return streams[sent++ % streams.length] ?? benchAnswer(wire, chunks)
}

/** One frame a turn, so that frames stay apart on their way, and no more than the socket takes. */
function sendFast(socket: Socket, { frameAt }: BenchAnswer): void {
  let next = 0
  const send = (): void => {
    const frame = frameAt(next++)
    if (socket.destroyed) return
    if (frame === undefined) socket.write(END)
    else if (socket.write(frame.bytes)) setImmediate(send)
    else socket.once('drain', send)
  }
  socket.write(HEAD)
  setImmediate(send)
}

/** The first frame at once, so that the time to the first byte is nobody's pause. */
function sendPaced(socket: Socket, { frameAt }: BenchAnswer, paceMs: number): void {
  let next = 0
  socket.write(HEAD)
  const send = (): void => {
    const frame = frameAt(next++)
    if (frame !== undefined && !socket.destroyed) {
      socket.write(stamped(frame))
      return
    }
    clearInterval(timer)
    if (!socket.destroyed) socket.write(END)
  }
  const timer = setInterval(send, paceMs)
  send()
}

/** The frame with the time written into it. */
function stamped({ bytes, stampAt }: BenchFrame): Buffer {
  if (stampAt === undefined) return bytes
  const copy = Buffer.from(bytes)
  writeStamp(copy, stampAt)
  return copy
}

const whole = new Map<string, Promise<Buffer>>()

async function sendJson(socket: Socket, wire: WireName, chunks: number): Promise<void> {
  const key = `${wire} ${chunks}`
  const made = whole.get(key) ?? makeJson(wire, chunks)
  whole.set(key, made)
  const bytes = await made
  if (!socket.destroyed) socket.write(bytes)
}

async function makeJson(wire: WireName, chunks: number): Promise<Buffer> {
  const body = await benchJson(wire, chunks)
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}
