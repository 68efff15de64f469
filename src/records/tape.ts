/**
 * One exchange as it goes by → its record. Neighbours: `exchange/` holds it to what passes, `track.ts` has the bodies,
 * `outbox.ts` takes what is whole, `feed.ts` is told. What passes is copied and timed here and nothing else: all reading is
 * done later, in another thread.
 */
import type { VerdictRecord } from '../policy/policy.ts'
import type { OpenExchange } from '../store/feed.ts'
import type { ExchangeSummary } from '../store/query.ts'
import type { BodyKind, ExchangeRow, Piece } from '../store/record.ts'
import type { Tape, TapeEnd, TapeFacts, TapeStart } from '../store/tape.ts'
import { arrivalsOf } from './arrivals.ts'
import { withoutReasons } from './dropped.ts'
import type { Watched, Watcher } from './feed.ts'
import type { FinishedExchange, Outbox } from './outbox.ts'
import type { TapeRoom } from './recorder.ts'
import { BLOCK_BYTES } from './reel.ts'
import { toRow, toSummary } from './tape-end.ts'
import { areEqual, Track } from './track.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** A class with fields: few objects for each exchange, and no closure (see `base/bag.ts`). */
export class ExchangeTape implements Tape, Watched {
  readonly id: string
  readonly outbox: Outbox
  private readonly room: TapeRoom
  private readonly start: TapeStart
  private readonly hasBodies: boolean
  /** Whoever wants content masked, or not kept, does not want it shown either. */
  private readonly isShown: boolean
  private facts: TapeFacts | undefined
  /** Of the upstream's answer. */
  private status: number | undefined
  private headers: Headers | undefined
  private request: Track | undefined
  private sent: Track | undefined
  private upstream: Track | undefined
  private delivered: Track | undefined
  private isSettled = false
  private isSame = false
  private readonly isOver: () => void
  private watchers: Watcher[] | undefined
  private verdictCount = 0

  constructor(room: TapeRoom, start: TapeStart) {
    this.room = room
    this.start = start
    this.outbox = room.outbox
    this.id = room.createId(start.startedAt)
    this.hasBodies = room.mode !== 'metadata'
    this.isShown = room.mode === 'bytes'
    this.isOver = room.feed.begin(this)
  }

  asked(body: Uint8Array, facts: TapeFacts): void {
    this.facts = facts
    const { feed } = this.room
    if (feed.isHeard) feed.tell({ type: 'begun', exchange: this.toOpen() })
    if (this.hasBodies && body.length > 0) this.request = this.keepWhole('request', body)
  }

  again(): void {
    this.status = undefined
    this.headers = undefined
    this.upstream = undefined
  }

  settled(sent: Uint8Array | undefined): void {
    this.isSettled = true
    if (!this.hasBodies) return
    if (sent !== undefined) this.sent = this.keepWhole('sent', sent)
    this.upstream?.ship(this)
  }

  head(status: number, headers: Headers): void {
    this.status = status
    this.headers = headers
  }

  came(bytes: Uint8Array): void {
    if (!this.hasBodies) return
    this.upstream ??= new Track('upstream')
    this.write(this.upstream, bytes, this.isSettled)
  }

  left(bytes: Uint8Array): void {
    if (!this.hasBodies) return
    this.delivered ??= new Track('delivered')
    this.write(this.delivered, bytes, true)
  }

  same(): void {
    this.isSame = true
  }

  brokeOff(passed: number, bytes: Uint8Array): void {
    if (!this.hasBodies) return
    const track = (this.delivered = new Track('delivered'))
    const { upstream } = this
    // Else a frame was cut off that is longer than a block, and its beginning has gone ahead.
    track.isDropped = upstream !== undefined && !track.beginAs(upstream, passed)
    this.write(track, bytes, true)
  }

  verdict(record: VerdictRecord): void {
    const { feed } = this.room
    if (!feed.isHeard) return
    const { original: _original, delivered: _delivered, ...verdict } = record
    const told = this.isMasked() ? { ...verdict, reason: undefined, details: {} } : verdict
    feed.tell({ type: 'verdict', id: this.id, verdict: told })
  }

  finish(end: TapeEnd): void {
    const { room, status, headers } = this
    const without: BodyKind[] = []
    const dropped: BodyKind[] = []
    const pieces = this.lastPieces(without, dropped)
    const row = toRow(end, room, { id: this.id, status, headers, dropped })
    const verdicts = this.toKept(end.verdicts)
    this.verdictCount = verdicts.length
    const passed = this.delivered?.passed ?? 0
    const ahead = this.toAhead()
    const over = { row, pieces, verdicts, tools: end.tools, without, ...(ahead && { ahead }) }
    room.outbox.finish(passed === 0 ? over : { ...over, passed })
    this.isOver()
    if (room.feed.isHeard) room.feed.tell({ type: 'finished', exchange: this.toTold(row, end) })
    const { watchers } = this
    this.watchers = undefined
    for (const { onEnd } of watchers ?? []) onEnd?.()
  }

  later(verdicts: readonly VerdictRecord[]): void {
    if (verdicts.length === 0) return
    this.outbox.later(this.id, this.verdictCount, this.toKept(verdicts))
    this.verdictCount += verdicts.length
  }

  toOpen(): OpenExchange {
    const { requestId, startedAt, endpoint, wire, key, client } = this.start
    return {
      id: this.id,
      requestId,
      gateway: this.room.gateway,
      startedAt,
      endpoint,
      wire,
      key,
      client,
      model: this.facts?.model,
      conversation: this.facts?.conversation,
    }
  }

  watch(watcher: Watcher): () => void {
    for (const track of [this.request, this.sent, this.upstream, this.delivered])
      for (const held of (this.isShown && track?.reel.held()) || [])
        for (const { bytes, at } of arrivalsOf(held))
          watcher.onPiece({ id: this.id, kind: track?.kind ?? 'request', bytes, at })
    const watchers = (this.watchers ??= [])
    watchers.push(watcher)
    return () => {
      const at = watchers.indexOf(watcher)
      if (at !== -1) watchers.splice(at, 1)
      if (watchers.length === 0 && this.watchers === watchers) this.watchers = undefined
    }
  }

  /** A body that is there whole, and that nobody changes. A long one goes ahead: its answer may take minutes. */
  private keepWhole(kind: BodyKind, bytes: Uint8Array): Track {
    const track = new Track(kind)
    const at = this.tick()
    track.reel.add(bytes, at)
    if (this.watchers !== undefined) this.tellWatchers(kind, bytes, at)
    if (bytes.length > BLOCK_BYTES) track.ship(this)
    return track
  }

  private write(track: Track, bytes: Uint8Array, mayShip: boolean): void {
    const at = this.tick()
    const { reel } = track
    if (!track.isDropped) reel.write(bytes, at, this.room.typicalBytes)
    if (mayShip && reel.hasFull()) track.ship(this)
    if (this.watchers !== undefined) this.tellWatchers(track.kind, bytes, at)
  }

  private lastPieces(without: BodyKind[], dropped: BodyKind[]): readonly Piece[] {
    const pieces: Piece[] = []
    const { request, sent, upstream, delivered } = this
    if (upstream !== undefined) this.room.sawAnswer(upstream.reel.length)
    const isSame = this.isDeliveredSame()
    for (const track of [request, sent, upstream, delivered]) {
      if (track === undefined) continue
      if (track === delivered && isSame) {
        if (track.hasShipped) without.push(track.kind)
        continue
      }
      for (const piece of track.last(this.outbox)) pieces.push(piece)
      if (!track.isDropped) continue
      dropped.push(track.kind)
      if (track.hasShipped) without.push(track.kind)
    }
    return pieces
  }

  /** Words are masked in the thread, on their way to the store. What is told is not, and others write that down, too. */
  private isMasked(): boolean {
    return this.room.mode !== 'bytes'
  }

  private toTold(row: ExchangeRow, end: TapeEnd): ExchangeSummary {
    const summary = toSummary(row, end)
    const { fault } = summary
    if (fault === undefined || !this.isMasked()) return summary
    return { ...summary, fault: { ...fault, message: '' } }
  }

  /** What the thread has got before, where anything has. */
  private toAhead(): FinishedExchange['ahead'] {
    let ahead: Partial<Record<BodyKind, number>> | undefined
    for (const track of [this.request, this.sent, this.upstream, this.delivered])
      if (track !== undefined && track.shipped > 0) (ahead ??= {})[track.kind] = track.shipped
    return ahead
  }

  private isDeliveredSame(): boolean {
    const { upstream, delivered, isSame } = this
    if (upstream === undefined || delivered === undefined || upstream.isDropped) return false
    if (areEqual(upstream, delivered)) return true
    return isSame && upstream.reel.length === delivered.reel.length && !delivered.isDropped
  }

  private toKept(verdicts: readonly VerdictRecord[]): readonly VerdictRecord[] {
    return this.room.mode === 'metadata' ? verdicts.map(withoutReasons) : verdicts.slice()
  }

  private tellWatchers(kind: BodyKind, bytes: Uint8Array, at: number): void {
    if (!this.isShown) return
    // A copy of the list: whoever is told may stop.
    for (const { onPiece } of this.watchers?.slice() ?? [])
      onPiece({ id: this.id, kind, bytes, at })
  }

  /** Microseconds since the exchange began. */
  private tick(): number {
    return Math.max(0, Math.round((this.room.now() - this.start.startedTick) * 1000))
  }
}
