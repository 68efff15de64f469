/**
 * One HTTP request on a kept connection, and its answer to the end: chunked or of a known length. A few byte searches,
 * so that the client is not what is measured. Neighbours: `load.ts`, `memory.ts`.
 */
import { connect, type Socket } from 'node:net'

const END = Buffer.from('0\r\n\r\n')
const OK = 'HTTP/1.1 200'
const HEAD_END = '\r\n\r\n'

/** Gets the bytes behind the head as they come; of chunked answers with their framing. */
export type OnPiece = (piece: Buffer) => void

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return socket
}

export async function askFor(socket: Socket, request: Buffer, onPiece: OnPiece): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let head: Head | undefined
    let bytes = 0
    let tail: Buffer = Buffer.alloc(0)
    const finish = (error?: Error): void => {
      socket.off('data', onData).off('close', onClose).off('error', finish)
      if (error === undefined) resolve()
      else reject(error)
    }
    const onClose = (): void => finish(new Error('The proxy closed before the end of an answer'))
    const onData = (piece: Buffer): void => {
      let body = piece
      if (head === undefined) {
        head = readHead(piece)
        if (head === undefined) {
          finish(new Error(`Not an answer: ${piece.toString('utf8', 0, 500)}`))
          return
        }
        body = piece.subarray(head.end)
      }
      if (body.length === 0) return
      bytes += body.length
      onPiece(body)
      if (head.length !== undefined) {
        if (bytes >= head.length) finish()
        return
      }
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

interface Head {
  readonly end: number
  /** Of the body, where it is said. */
  readonly length: number | undefined
}

/** The heads of all contenders come in one piece: they are written in one go. */
function readHead(piece: Buffer): Head | undefined {
  const end = piece.indexOf(HEAD_END)
  if (end === -1 || piece.toString('latin1', 0, OK.length) !== OK) return undefined
  const length = /\r\ncontent-length: *(\d+)/i.exec(piece.toString('latin1', 0, end))?.[1]
  return { end: end + HEAD_END.length, length: length === undefined ? undefined : Number(length) }
}
