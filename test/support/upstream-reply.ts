/**
 * What a provider may answer, accidents included, and how it is played on a real socket. Neighbours:
 * `upstream.ts` takes the requests.
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { cutAt } from './bytes.ts'

/** Times are in milliseconds. Without any of it: 200, no body. */
export interface Reply {
  readonly status?: number
  /** Over those that go without saying: `content-type: text/event-stream`, and `content-encoding`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
  /** The places where the bytes are cut; each piece is a write of its own. */
  readonly cuts?: readonly number[]
  /** The pause between two pieces. */
  readonly pace?: number
  /** The pause before the head, and then the one before the first byte of the body. */
  readonly headDelay?: number
  readonly firstByteDelay?: number
  /** The whole body is compressed, and then cut. */
  readonly compress?: 'gzip' | 'br' | 'deflate'
  /** How the length is told; chunked if not said. */
  readonly framing?: 'chunked' | 'content-length'
  /** Hangs after so many pieces; 0: after the head. */
  readonly stallAfter?: number
  /** After the last piece: a proper end, a connection closed in mid-answer (FIN, or RST), or silence. */
  readonly ending?: 'end' | 'destroy' | 'reset' | 'hang'
  /** Sent in place of an HTTP answer, as it is. */
  readonly garbage?: string | Uint8Array
  /** After the body this comes again and again, as fast as it is taken, until the other side leaves. */
  readonly flood?: string | Uint8Array
}

export interface ReplyWatcher {
  /** The socket has taken so many body bytes. */
  onSent(bytes: number): void
  /** We are about to cut the answer off ourselves. */
  onOurEnd(): void
}

const COMPRESS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }

/** Plays a reply to its end, or until the other side leaves. */
export async function playReply(
  reply: Reply,
  response: ServerResponse,
  watcher: ReplyWatcher,
): Promise<void> {
  const left = new AbortController()
  const playing: Playing = { watcher, signal: left.signal, wake: () => {} }
  response.on('close', () => {
    left.abort()
    playing.wake()
  })
  try {
    await play(reply, response, playing)
  } catch (error) {
    // Nobody is there to answer to.
    if (!left.signal.aborted) throw error
  }
}

interface Playing {
  readonly watcher: ReplyWatcher
  readonly signal: AbortSignal
  /** Ends the write that is waited for: nobody calls back once the connection is gone. */
  wake: () => void
}

async function play(reply: Reply, response: ServerResponse, playing: Playing): Promise<void> {
  const { watcher, signal } = playing
  await pause(reply.headDelay, signal)
  if (reply.garbage !== undefined) {
    const garbage = reply.garbage
    await new Promise<void>((resolve) => response.socket?.write(garbage, () => resolve()))
    finish(
      reply.ending === 'hang' || reply.ending === 'reset' ? reply.ending : 'destroy',
      response,
      watcher,
    )
    return
  }
  const plain = toBytes(reply.body ?? '')
  const body = reply.compress === undefined ? plain : COMPRESS[reply.compress](plain)
  writeHead(reply, response, body.length)
  await pause(reply.firstByteDelay, signal)
  const pieces = cutAt(body, reply.cuts ?? []).filter((piece) => piece.length > 0)
  for (const [i, piece] of pieces.slice(0, reply.stallAfter).entries()) {
    if (i > 0) await pause(reply.pace, signal)
    await write(response, piece, playing)
  }
  if (reply.stallAfter !== undefined) return
  if (reply.flood !== undefined) {
    const flood = toBytes(reply.flood)
    while (!signal.aborted) await write(response, flood, playing)
  }
  finish(reply.ending ?? 'end', response, watcher)
}

function writeHead(reply: Reply, response: ServerResponse, length: number): void {
  response.writeHead(reply.status ?? 200, {
    'content-type': 'text/event-stream',
    ...(reply.compress === undefined ? {} : { 'content-encoding': reply.compress }),
    ...(reply.framing === 'content-length' ? { 'content-length': length } : {}),
    ...(reply.headers as Record<string, string | string[]>),
  })
  response.flushHeaders()
}

async function write(response: ServerResponse, piece: Uint8Array, playing: Playing): Promise<void> {
  // Waits for each write, so that pieces stay pieces and a slow reader is felt.
  await new Promise<void>((resolve) => {
    playing.wake = resolve
    response.write(piece, () => resolve())
  })
  playing.signal.throwIfAborted()
  playing.watcher.onSent(piece.length)
}

function finish(
  how: NonNullable<Reply['ending']>,
  response: ServerResponse,
  watcher: ReplyWatcher,
): void {
  switch (how) {
    case 'end':
      response.end()
      return
    case 'destroy':
      watcher.onOurEnd()
      response.socket?.destroy()
      return
    case 'reset':
      watcher.onOurEnd()
      response.socket?.resetAndDestroy()
      return
    case 'hang':
  }
}

const pause = async (milliseconds: number | undefined, signal: AbortSignal): Promise<void> => {
  if (milliseconds !== undefined) await sleep(milliseconds, undefined, { signal })
}

const toBytes = (value: string | Uint8Array): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value) : value
