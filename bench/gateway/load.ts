/**
 * The clients of the benchmark: so many streams, so many at once, on kept connections. Plain `node:net`
 * and a few byte searches, so that it is not what is measured. Neighbours: `run.ts` points it at a
 * proxy, `upstream.ts` stamps the frames.
 */
import { connect, type Socket } from 'node:net'
import type { WireName } from '../../src/index.ts'
import { PATHS, STAMP_DIGITS, STAMP_MARK } from './frames.ts'

export interface Load {
  readonly name: string
  readonly isPaced: boolean
  readonly streams: number
  readonly atOnce: number
}

export interface LoadTarget {
  readonly port: number
  readonly wire: WireName
  /** Of the request's body. */
  readonly bodySize: number
}

/** Times in milliseconds. */
export interface LoadResult {
  readonly seconds: number
  readonly firstByte: readonly number[]
  /** From the upstream's write to the client's read, one per stamp. */
  readonly delays: readonly number[]
  /** Reads that a stream took: how far frames were joined on the way. */
  readonly readsPerStream: number
}

const END = Buffer.from('0\r\n\r\n')
const OK = 'HTTP/1.1 200'

export async function runLoad(load: Load, target: LoadTarget): Promise<LoadResult> {
  const request = makeRequest(load, target)
  const firstByte: number[] = []
  const delays: number[] = []
  let reads = 0
  let left = load.streams
  const start = performance.now()

  const client = async (index: number): Promise<void> => {
    // Not all in one millisecond: a hundred people do not press enter together.
    if (load.isPaced)
      await new Promise((resolve) => setTimeout(resolve, (index * 20) / load.atOnce))
    const socket = await open(target.port)
    while (left-- > 0) {
      const asked = performance.now()
      await readStream(socket, request, (piece, isFirst) => {
        reads++
        if (isFirst) firstByte.push(performance.now() - asked)
        if (load.isPaced) readStamps(piece, delays)
      })
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: load.atOnce }, (_, index) => client(index)))
  return {
    seconds: (performance.now() - start) / 1000,
    firstByte,
    delays,
    readsPerStream: reads / load.streams,
  }
}

function makeRequest(load: Load, { wire, bodySize, port }: LoadTarget): Buffer {
  const model = load.isPaced ? 'bench-paced' : 'bench-fast'
  const content = 'Please go on with the work. '.repeat(Math.ceil(bodySize / 28)).slice(0, bodySize)
  const asked =
    wire === 'openai-responses' ? { input: content } : { messages: [{ role: 'user', content }] }
  const body = JSON.stringify({ model, stream: true, max_tokens: 1000, ...asked })
  const head = [
    `POST ${PATHS[wire]} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'content-type: application/json',
    'accept: application/json',
    'user-agent: bench/1.0',
    'authorization: Bearer none-needed',
    'anthropic-version: 2023-06-01',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return socket
}

/** One request and its answer, to the end. The first piece that has more than the head is the first. */
async function readStream(
  socket: Socket,
  request: Buffer,
  onPiece: (piece: Buffer, isFirst: boolean) => void,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let hasHead = false
    let hasBody = false
    let tail: Buffer = Buffer.alloc(0)
    const finish = (error?: Error): void => {
      socket.off('data', onData).off('close', onClose).off('error', finish)
      if (error === undefined) resolve()
      else reject(error)
    }
    const onClose = (): void => finish(new Error('The proxy closed before the end of a stream'))
    const onData = (piece: Buffer): void => {
      let body = piece
      if (!hasHead) {
        if (piece.toString('latin1', 0, OK.length) !== OK) {
          finish(new Error(`Not a stream: ${piece.toString('utf8', 0, 500)}`))
          return
        }
        hasHead = true
        const end = piece.indexOf('\r\n\r\n')
        body = end === -1 ? piece : piece.subarray(end + 4)
      }
      if (body.length === 0) return
      onPiece(body, !hasBody)
      hasBody = true
      // Only the last bytes can be the end, and they may come apart.
      tail =
        body.length >= END.length
          ? body.subarray(-END.length)
          : Buffer.concat([tail, body]).subarray(-END.length)
      if (tail.equals(END)) finish()
    }
    socket.on('data', onData).on('close', onClose).on('error', finish)
    socket.write(request)
  })
}

/** The times between stamp and now, of all stamps that are whole in this piece. */
function readStamps(piece: Buffer, delays: number[]): void {
  const now = process.hrtime.bigint()
  for (let at = piece.indexOf(STAMP_MARK); at !== -1; at = piece.indexOf(STAMP_MARK, at + 1)) {
    const digits = piece.toString('latin1', at + 1, at + 1 + STAMP_DIGITS)
    if (digits.length === STAMP_DIGITS && /^\d+$/.test(digits))
      delays.push(Number(now - BigInt(digits)) / 1e6)
  }
}
