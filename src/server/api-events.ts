/**
 * `GET /api/events`: what happens to exchanges, approvals and the kill switch, live, as server-sent events. The first says
 * how things stand, so that nobody who comes late or again has missed anything. Neighbours: `api.ts` has let them in,
 * `api-stream.ts` keeps them open.
 */
import type { PieceEvent, StateEvent } from '../api/types.ts'
import type { LivePiece } from '../store/feed.ts'
import type { ApiOptions } from './api-handler.ts'
import type { Streams } from './api-stream.ts'
import type { Visit } from './visit.ts'

/** Who is so far behind does not read. */
const MAX_BEHIND = 1024 * 1024
/** Bytes come in gusts: the first holds what has passed already. */
export const MAX_BEHIND_BYTES = 16 * 1024 * 1024

export async function serveEvents(
  visit: Visit,
  { approvals, halt, records }: ApiOptions,
  { streams, hasFrames }: { readonly streams: Streams; readonly hasFrames: boolean },
): Promise<void> {
  const stream = streams.open(visit, hasFrames ? MAX_BEHIND_BYTES : MAX_BEHIND)
  if (stream === undefined) return
  const feed = records?.()?.feed
  // At the same moment as the listening begins: what is in the list was not said, and what is said is not in it.
  const open = feed?.open() ?? []
  const { write } = stream
  const stops = [
    approvals.onNews(({ type, ticket }) => write(type, ticket)),
    halt.onChange((state) => write('halt', state)),
    feed?.onEvent(({ type, ...data }) => write(type, data)),
    hasFrames ? feed?.watch(undefined, (piece) => write('piece', toPiece(piece))) : undefined,
  ]
  stream.onClose(() => {
    for (const stop of stops) stop?.()
  })
  const list = await approvals.list().catch(() => undefined)
  // Without the list it would be half of the truth: the client comes again.
  if (list === undefined || stream.isOver()) return stream.end()
  const pending = list.filter(({ status }) => status === 'pending')
  const state: StateEvent = { pending, halt: halt.state(), open }
  stream.begin('state', state)
}

export const toPiece = ({ id, kind, at, bytes }: LivePiece): PieceEvent => ({
  id,
  kind,
  at,
  bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
})
