/**
 * The body of a streamed answer, on its way to the client. Node writes a chunk as three buffers (length,
 * bytes, line end), gathered on the next tick; here it is one buffer and one call into the system, which
 * is most of what a small chunk costs (measured, `bench/gateway`). Neighbours: `relay.ts` and `answer-out.ts`
 * write. Knows no frame.
 */
import type { ServerResponse } from 'node:http'

export interface ClientStream {
  /** False when the client is behind: wait for `onDrain`. */
  write(bytes: Uint8Array): boolean
  /** The same for text that takes so many bytes: they are made where they are written, and nowhere before. */
  writeText(text: string, size: number): boolean
  /** The last bytes, if there are any, and the end. */
  end(bytes?: Uint8Array): void
  /** Called whenever the client has caught up; gives back how to stop that. */
  onDrain(callback: () => void): () => void
}

/** Copying more than this costs more than it saves. */
const MAX_COPIED_BYTES = 32 * 1024

/** For a response whose head has been said with `writeHead`. */
export const createClientStream = (response: ServerResponse): ClientStream => new Chunks(response)

class Chunks implements ClientStream {
  private readonly response: ServerResponse
  private hasBegun = false

  constructor(response: ServerResponse) {
    this.response = response
  }

  write(bytes: Uint8Array): boolean {
    const { response } = this
    const { socket } = response
    // The first bytes go with the head. HTTP/1.0 has no chunks; one in a pipeline has no socket yet.
    if (
      !this.hasBegun ||
      socket === null ||
      !response.chunkedEncoding ||
      bytes.length > MAX_COPIED_BYTES
    ) {
      const isFirst = !this.hasBegun
      this.hasBegun = true
      const canGoOn = response.write(bytes)
      if (isFirst) forgetHead(response)
      return canGoOn
    }
    return socket.write(toChunk(bytes))
  }

  writeText(text: string, size: number): boolean {
    const { socket, chunkedEncoding } = this.response
    if (!this.hasBegun || socket === null || !chunkedEncoding) return this.write(Buffer.from(text))
    // As many bytes as letters: all of them are plain.
    const encoding = size === text.length ? 'latin1' : 'utf8'
    return socket.write(`${size.toString(16)}\r\n${text}\r\n`, encoding)
  }

  end(bytes?: Uint8Array): void {
    if (bytes === undefined) this.response.end()
    else this.response.end(bytes)
  }

  onDrain(callback: () => void): () => void {
    const { response } = this
    const { socket } = response
    response.on('drain', callback)
    socket?.on('drain', callback)
    return () => {
      response.off('drain', callback)
      socket?.off('drain', callback)
    }
  }
}

/**
 * Node holds a head that it has sent for as long as the answer takes, as the fifty pieces that it was put together from, and asks from
 * then on only whether there was one.
 */
function forgetHead(response: ServerResponse): void {
  const sent = response as unknown as { _header?: unknown; _headerSent?: unknown }
  if (sent._headerSent === true && typeof sent._header === 'string') sent._header = SENT
}

const SENT = 'sent'

/** One chunk of HTTP's chunked coding. */
function toChunk(bytes: Uint8Array): Buffer {
  const { length } = bytes
  const digits = length < 0x10 ? 1 : length < 0x100 ? 2 : length < 0x1000 ? 3 : 4
  const chunk = Buffer.allocUnsafe(digits + length + 4)
  let at = 0
  for (let shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    const digit = (length >> shift) & 0xf
    chunk[at++] = digit < 10 ? 0x30 + digit : 0x57 + digit
  }
  chunk[at++] = 0x0d
  chunk[at++] = 0x0a
  chunk.set(bytes, at)
  at += length
  chunk[at++] = 0x0d
  chunk[at] = 0x0a
  return chunk
}
