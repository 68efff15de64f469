/**
 * Connections whose bytes come without a stream in between. Node makes a buffer of 64 KB for every read, puts it into the queue of
 * a stream and tells of it a tick later; for the small chunks of an answer that is a good part of what they cost (measured,
 * `bench/gateway`). Here all connections are read into one buffer (`onread` of `node:net`), the few bytes that came are
 * copied out, and whoever listens for `readable` is told at once. Neighbours: `dispatcher.ts` hands it to undici, which knows
 * nothing of it: `readable` and `read` mean what they always do.
 */
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import { append, NOTHING } from '../base/few.ts'

/** Read and copied out before anything else can happen, so that one serves all. */
const SHARED = Buffer.allocUnsafeSlow(64 * 1024)

const WAITING = Symbol('waiting')

interface DirectSocket extends Socket {
  [WAITING]?: Waiting
}

export function createConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector({ ...options, onread: { buffer: SHARED, callback: onRead } })
  return (where, callback) =>
    connect(where, (...result: Parameters<buildConnector.Callback>) => {
      const [error, socket] = result
      if (error === null) readDirectly(socket)
      callback(...result)
    })
}

function onRead(this: DirectSocket, size: number, buffer: Uint8Array): boolean {
  const bytes = Buffer.allocUnsafe(size)
  bytes.set(size === buffer.length ? buffer : buffer.subarray(0, size))
  const waiting = this[WAITING]
  // For anybody else it is a stream like any other.
  if (waiting === undefined || this.listenerCount('readable') === 0) return this.push(bytes)
  if (waiting.first === undefined) waiting.first = bytes
  else waiting.others = append(waiting.others, bytes)
  isReading = true
  try {
    this.emit('readable')
  } finally {
    isReading = false
    while (behind.length > 0) behind.shift()?.wasRead()
  }
  waiting.isStopped = waiting.first !== undefined
  return !waiting.isStopped
}

/** Who wants to know when all has been told that was read at once. */
export interface Reader {
  wasRead(): void
}

let isReading = false
const behind: Reader[] = []

/**
 * Tells once, when all that is being read has been told. A server that is fast sends many pieces in one packet: whoever puts
 * them together waits for the last. Where nothing is being read, as for what an upstream of our own says, that is the next tick.
 */
export function afterRead(reader: Reader): void {
  if (isReading) behind.push(reader)
  else process.nextTick(tell, reader)
}

const tell = (reader: Reader): void => reader.wasRead()

/** What came and was not taken yet: the next read waits for that. */
interface Waiting {
  /** Mostly it is one chunk. */
  first: Buffer | undefined
  others: Buffer[]
  isStopped: boolean
}

function readDirectly(socket: DirectSocket): void {
  const { read, unshift } = socket
  const waiting: Waiting = { first: undefined, others: NOTHING, isStopped: false }
  socket[WAITING] = waiting

  socket.read = (size?: number): unknown => {
    // With a size it is Node that asks, to begin or to end.
    if (size !== undefined) return read.call(socket, size)
    const { first } = waiting
    if (first === undefined) return null
    waiting.first = waiting.others.length === 0 ? undefined : waiting.others.shift()
    if (waiting.isStopped && waiting.first === undefined) {
      waiting.isStopped = false
      socket.resume()
    }
    return first
  }
  socket.unshift = (chunk: Buffer): void => {
    if (socket.listenerCount('readable') === 0) unshift.call(socket, chunk)
    else if (chunk.length > 0) {
      if (waiting.first !== undefined) waiting.others = [waiting.first, ...waiting.others]
      waiting.first = chunk
    }
  }
}
