/**
 * `GET /api/exchanges/{id}/live`: one exchange as it passes, its raw bytes and what is decided, until it is over.
 * Neighbours: `api.ts` has let them in, `api-stream.ts` keeps it open; whoever reads it decodes with the stream core.
 */
import type { FeedEvent } from '../store/feed.ts'
import type { Records } from '../records/records.ts'
import { fail, type Reply } from './api-answer.ts'
import { MAX_BEHIND_BYTES, toPiece } from './api-events.ts'
import { notThere } from './api-exchanges.ts'
import type { Streams } from './api-stream.ts'
import type { Visit } from './visit.ts'

/** How long the end of the bytes waits for the summary, and the other way round. */
const MAX_APART_MS = 1000

/** A reply where there is nothing to listen to. */
export async function serveLive(
  visit: Visit,
  { store, feed }: Records,
  { streams, id }: { readonly streams: Streams; readonly id: string },
): Promise<Reply | undefined> {
  // A request id may be there twice: the newest is meant.
  const exchange = feed.open().findLast((one) => one.id === id || one.requestId === id)
  if (exchange === undefined) {
    const over = await store.find(id)
    return over === undefined
      ? notThere()
      : fail(409, `It is over: ask for /api/exchanges/${over.id}`)
  }
  const stream = streams.open(visit, MAX_BEHIND_BYTES)
  if (stream === undefined) return undefined
  stream.begin('exchange', exchange)
  let isTold = false
  let isPassed = false
  let timer: NodeJS.Timeout | undefined
  const endWhenBoth = (): void => {
    if (isTold && isPassed) return end()
    timer ??= setTimeout(end, MAX_APART_MS)
  }
  function end(): void {
    stream?.write('end', {})
    stream?.end()
  }
  function take(event: FeedEvent): void {
    if (idOf(event) !== exchange?.id) return
    const { type, ...data } = event
    if (type === 'verdict' || type === 'finished') stream?.write(type, data)
    if (type === 'gone') return end()
    if (type === 'finished') {
      isTold = true
      endWhenBoth()
    }
  }
  const stops = [
    feed.onEvent(take),
    feed.watch(
      exchange.id,
      (piece) => stream.write('piece', toPiece(piece)),
      () => {
        isPassed = true
        endWhenBoth()
      },
    ),
  ]
  stream.onClose(() => {
    clearTimeout(timer)
    for (const stop of stops) stop()
  })
  return undefined
}

const idOf = (event: FeedEvent): string => ('id' in event ? event.id : event.exchange.id)
