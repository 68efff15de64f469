/**
 * The provider of the benchmark, a process of its own: answers every POST with the frames of its wire,
 * as fast as they are taken or one every 20 ms. Plain `node:net`, so that it is not what is measured.
 * Neighbours: `run.ts` forks it and is told the port, `load.ts` names the pace in the model's name.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { WireName } from '../../src/index.ts'
import { benchFrames, PATHS, STAMP_DIGITS, type BenchFrame } from './frames.ts'

const HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n',
)
const END = Buffer.from('0\r\n\r\n')
const PACE = 20

const FRAMES = Object.fromEntries(
  Object.entries(PATHS).map(([wire, path]) => [path, benchFrames(wire as WireName)]),
)

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
    const frames = FRAMES[request.path]
    if (frames === undefined) socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
    else if (request.isPaced) sendPaced(socket, frames)
    else sendFast(socket, frames)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit())

interface BenchRequest {
  readonly length: number
  readonly path: string
  readonly isPaced: boolean
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
  return { length: end, path, isPaced: bytes.subarray(head, end).includes('bench-paced') }
}

function chunkedEnd(bytes: Buffer, head: number): number | undefined {
  const end = bytes.indexOf('\r\n0\r\n\r\n', head)
  return end === -1 ? undefined : end + 7
}

/** One frame a turn, so that frames stay apart on their way, and no more than the socket takes. */
function sendFast(socket: Socket, frames: readonly BenchFrame[]): void {
  let next = 0
  const send = (): void => {
    const frame = frames[next++]
    if (socket.destroyed) return
    if (frame === undefined) socket.write(END)
    else if (socket.write(frame.bytes)) setImmediate(send)
    else socket.once('drain', send)
  }
  socket.write(HEAD)
  setImmediate(send)
}

function sendPaced(socket: Socket, frames: readonly BenchFrame[]): void {
  let next = 0
  socket.write(HEAD)
  const timer = setInterval(() => {
    const frame = frames[next++]
    if (frame !== undefined && !socket.destroyed) {
      socket.write(stamped(frame))
      return
    }
    clearInterval(timer)
    if (!socket.destroyed) socket.write(END)
  }, PACE)
}

/** The frame with the time written into it. */
function stamped({ bytes, stampAt }: BenchFrame): Buffer {
  if (stampAt === undefined) return bytes
  const copy = Buffer.from(bytes)
  copy.write(String(process.hrtime.bigint()).padStart(STAMP_DIGITS, '0'), stampAt, 'latin1')
  return copy
}
