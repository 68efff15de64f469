/**
 * The bytes of a stream that is read, to events: frame by frame, but for runs of frames that are alike, which pass by or are gathered
 * without being read, and are told afterwards. Neighbours: `live.ts` owns one and sends what becomes of the events; `run.ts` is a run,
 * `known-forms.ts` knows what its frames look like.
 */
import type { EventOf, StreamEvent } from '../event/event.ts'
import type { Engine } from '../policy/engine.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import type { Written } from '../sse/encode.ts'
import { Frame } from '../sse/frame.ts'
import { readPiece, type RunForm } from '../sse/run-form.ts'
import type { AnswerStage } from '../translate/answer-stage.ts'
import { randomId } from '../wire/ids.ts'
import type { Decoder, Wire } from '../wire/wire.ts'
import type { AnswerOut } from './answer-out.ts'
import { findForm, frameEnd } from './known-forms.ts'
import { lonePieceOf, readOwnForm, Run } from './run.ts'

/** After so many runs in a row that ended as soon as they began, an answer is not made of any. */
const MAX_FAILED_RUNS = 4
const NO_FRAMES: readonly Written[] = []

export interface FrameReaderParts {
  /** The upstream's. */
  readonly wire: Wire
  /** What events have to pass before they leave. */
  readonly stages: readonly AnswerStage[]
  readonly acting: Engine | undefined
  readonly out: AnswerOut
  /** Takes each event, and sends what becomes of it with `send`, at once or later. */
  readonly sink: { take(event: StreamEvent): void }
}

/** A class with plain fields: every answer that is read has one, for as long as it takes. */
export class FrameReader {
  private readonly wire: Wire
  private readonly stages: readonly AnswerStage[]
  private readonly acting: Engine | undefined
  private readonly out: AnswerOut
  private readonly sink: FrameReaderParts['sink']
  private readonly framer = createFrameDecoder()
  private readonly decoder: Decoder
  /** What the last event that left had become. */
  private lastSent: StreamEvent | undefined
  private lastFrames: readonly Written[] = NO_FRAMES
  private run: Run | undefined
  /** What frames look like that say one piece more: they are seen one by one, and need not be parsed. */
  private likeness: RunForm | undefined
  /** Whether any frame has been like the one that showed it. */
  private wasLike = false
  private failedRuns = 0
  /** So many frames of a run are told at this moment. */
  private told = 0
  private isNoted = false

  constructor(parts: FrameReaderParts) {
    this.wire = parts.wire
    this.stages = parts.stages
    this.acting = parts.acting
    this.out = parts.out
    this.sink = parts.sink
    this.decoder = parts.wire.createDecoder({ createId: randomId })
  }

  read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) at = this.takeRun(bytes, at) ?? this.readOne(bytes, at)
    // What comes next may be long in coming, and these hold what was read.
    this.lastSent = undefined
    this.lastFrames = NO_FRAMES
  }

  end(): void {
    this.settleRun()
    for (const frame of this.framer.end()) this.readFrame(frame)
    for (const event of this.decoder.end()) this.sink.take(event)
  }

  /** Writes what has become of an event. False where that has left already, in a run: it is noted. */
  send(event: StreamEvent): boolean {
    if (this.told > 0) {
      this.isNoted = true
      this.out.note(event, this.told)
      return false
    }
    this.lastSent = event
    this.lastFrames = this.out.emit(event)
    return true
  }

  /** Tells what passed by. */
  settleRun(): void {
    const { run } = this
    if (run === undefined || run.frames === 0) return
    this.told = run.isGathered ? 0 : run.frames
    this.isNoted = false
    try {
      for (const event of run.settle(this.framer, this.decoder)) this.sink.take(event)
    } finally {
      // Whoever acts could not take it: the frames have left all the same.
      if (this.told > 0 && !this.isNoted) this.out.skip(this.told)
      this.told = 0
    }
  }

  /** The same, and what comes next is none of it. */
  endRun(): void {
    if (this.run !== undefined) this.count(this.run.hasTaken)
    this.settleRun()
    this.run = undefined
  }

  private count(hasTaken: boolean): void {
    this.failedRuns = hasTaken ? 0 : this.failedRuns + 1
  }

  /** Nothing more is told. */
  dropRun(): void {
    this.run = undefined
  }

  /** Where the run ends that passes by from there; `undefined` where there is none. */
  private takeRun(bytes: Buffer, at: number): number | undefined {
    const { run } = this
    const end = run?.take(bytes, at) ?? at
    if (run !== undefined && end > at) {
      if (!run.isGathered) this.out.add(run.taken())
      return end
    }
    this.endRun()
    return undefined
  }

  private readOne(bytes: Buffer, at: number): number {
    const { likeness } = this
    if (likeness !== undefined) {
      if (likeness.match(bytes, at)) return this.readLike(likeness, bytes, at)
      this.count(this.wasLike)
      this.likeness = undefined
    }
    const end = this.failedRuns > MAX_FAILED_RUNS ? bytes.length : frameEnd(bytes, at)
    const piece = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end)
    for (const frame of this.framer.push(piece)) this.readFrame(frame)
    return end
  }

  private readLike(form: RunForm, bytes: Buffer, at: number): number {
    // The form is known to other answers too, which may use it before we are done.
    const { from, to, end } = form
    const text = readPiece(bytes.subarray(from, to))
    const frame = new Frame(undefined, undefined, bytes, at, end, undefined)
    const events = this.decoder.again?.(text, frame) ?? []
    for (const event of events) this.sink.take(event)
    const piece = lonePieceOf(events)
    this.likeness = undefined
    this.wasLike = true
    if (piece !== undefined) this.follow(piece, form)
    return end
  }

  private readFrame(frame: Frame): void {
    // Where several frames were read at once, the one before may have begun a run: this one is none of it.
    this.run = undefined
    this.likeness = undefined
    const events = this.decoder.push(frame)
    for (const event of events) this.sink.take(event)
    const piece = lonePieceOf(events)
    if (piece !== undefined) this.beginRun(piece, frame)
  }

  /** A frame that says a piece of a block and nothing else shows what the next look like. */
  private beginRun(event: EventOf<'block-delta'>, frame: Frame): void {
    const { block, delta } = event
    if (this.failedRuns > MAX_FAILED_RUNS || !('text' in delta)) return
    const isOfUse =
      this.decoder.again !== undefined ||
      this.acting?.gathers(block) === true ||
      this.canPass(event)
    if (!isOfUse) return
    const form = findForm(this.wire, frame.raw, delta.text)
    this.wasLike = false
    if (form === undefined) this.count(false)
    else this.follow(event, form)
  }

  /** Frames like that one are gathered, or pass, or are told one by one. */
  private follow(event: EventOf<'block-delta'>, form: RunForm): void {
    if (this.acting?.gathers(event.block) === true) this.run = new Run(form, undefined, true)
    else if (this.canPass(event)) this.passOn(form, event)
    else if (this.decoder.again !== undefined) this.likeness = form
  }

  /** Whether frames like the one of that event may leave without anybody looking at them. */
  private canPass(event: EventOf<'block-delta'>): boolean {
    const { block } = event
    if (this.lastSent !== event || this.lastFrames.length !== 1 || event.choice !== undefined)
      return false
    // Free text may be wrapped in JSON, where it is escaped twice.
    if (block.type === 'tool-call' && block.dialect !== 'function' && !this.out.isVerbatim())
      return false
    return (
      this.acting?.passes(block) !== false && this.stages.every((stage) => stage.passes?.(event))
    )
  }

  private passOn(form: RunForm, { delta }: EventOf<'block-delta'>): void {
    const [written] = this.lastFrames
    const own =
      typeof written === 'string' && 'text' in delta ? readOwnForm(written, delta.text) : undefined
    if (own !== undefined || this.out.isVerbatim()) this.run = new Run(form, own)
    else this.count(false)
  }
}
