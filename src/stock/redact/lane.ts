/**
 * The events of one block as they pass: a delta leaves as the same object if nothing in it is hidden, and with marks
 * in it if something is. Neighbours: `answer.ts` has one lane per block; a finder says what is decided.
 *
 * While nothing has been changed in the answer, a delta whose end is not decided waits as a whole, so that it can leave
 * as it came, to the byte; what follows waits behind it. Once something was changed, what is decided of it leaves.
 */
import type { BlockInfo } from '../../event/block.ts'
import type { EventOf, StreamEvent } from '../../event/event.ts'
import type { Find, Finder } from './find.ts'

export type TextDelta = 'text' | 'thinking' | 'arguments'

export interface LaneOptions {
  readonly block: BlockInfo
  readonly type: TextDelta
  readonly finder: Finder
  send(event: StreamEvent): void
  /** Whether something was changed in this answer. */
  isTouched(): boolean
  touch(): void
  /** Whether nothing may be changed before it is known whether the block is sealed. */
  readonly isSealable: boolean
}

/** An event that waits, and which part of the text it has. */
interface Waiting {
  readonly event: StreamEvent
  readonly text: string
  readonly start: number
}

export class Lane {
  private readonly options: LaneOptions
  private readonly queue: Waiting[] = []
  /** The first that waits: the queue is emptied from the front, now and then. */
  private first = 0
  private length = 0
  /** Up to where the text has left. */
  private sent = 0
  private hasChanged = false
  private isSealed = false
  private isOver = false
  /** Written anew, and not sent yet: what ends one piece and what begins the next leave as one. */
  private said = ''

  constructor(options: LaneOptions) {
    this.options = options
  }

  /** Whether something waits here. */
  isHolding(): boolean {
    return this.first < this.queue.length
  }

  /** Whether it leaves other than it came. */
  isChanged(): boolean {
    return this.hasChanged
  }

  /** A piece of the text. */
  push(event: EventOf<'block-delta'>, text: string): void {
    const start = this.length
    this.length += text.length
    if (!this.isSealed) this.options.finder.push(text)
    if (!this.isHolding() && this.isClean(start)) return this.passOn(event)
    this.queue.push({ event, text, start })
    this.release()
  }

  /** Whether all from there on is decided, and nothing of it is hidden: then nothing has to wait. */
  private isClean(start: number): boolean {
    return this.sent <= start && this.settled() >= this.length && !this.hasFind(start, this.length)
  }

  private passOn(event: StreamEvent): void {
    this.emit(event)
    this.forget(this.length)
  }

  /** Up to there all has left. */
  private forget(until: number): void {
    this.sent = Math.max(this.sent, until)
    if (this.options.finder.finds.length > 0) this.options.finder.forget(this.sent)
  }

  private settled(): number {
    return this.isSealed || this.isOver ? this.length : this.options.finder.settled
  }

  /** Something else, which keeps its place. Of a changed block, what may repeat its text does not leave. */
  pass(event: StreamEvent): void {
    if (this.isHolding()) this.queue.push({ event, text: '', start: this.length })
    else this.emit(event)
  }

  /** The block is signed: not a character of it may change. */
  seal(): void {
    if (!this.options.isSealable || this.hasChanged) return
    this.isSealed = true
    this.release()
  }

  /** No more text comes. */
  end(): void {
    this.isOver = true
    if (!this.isSealed) this.options.finder.end()
    this.release()
  }

  stop(event: EventOf<'block-stop'>): void {
    this.end()
    if (!this.hasChanged) return this.options.send(event)
    const { type, block, isCut, choice } = event
    this.options.send({
      type,
      block,
      ...(isCut === undefined ? {} : { isCut }),
      ...(choice === undefined ? {} : { choice }),
    })
  }

  private release(): void {
    const settled = this.settled()
    for (let one = this.queue[this.first]; one !== undefined; one = this.queue[this.first]) {
      const end = one.start + one.text.length
      const isHidden = this.hasFind(one.start, end)
      if (isHidden && this.isWaitingForSeal()) break
      if (end > settled) {
        const isSplit = isHidden || this.options.isTouched()
        if (isSplit && !this.isWaitingForSeal()) this.say(one, settled)
        break
      }
      this.first += 1
      if (isHidden || this.sent > one.start) this.say(one, end)
      else this.emit(one.event)
      this.forget(end)
    }
    this.sendSaid()
    if (!this.isHolding()) {
      this.queue.length = this.first = 0
    } else if (this.first > 64 && this.first * 2 > this.queue.length) {
      this.queue.splice(0, this.first)
      this.first = 0
    }
  }

  private isWaitingForSeal(): boolean {
    return this.options.isSealable && !this.isSealed && !this.isOver
  }

  private emit(event: StreamEvent): void {
    const isOfBlock = event.type === 'other' && event.block !== undefined
    if (isOfBlock && this.hasChanged) return
    this.sendSaid()
    this.options.send(event)
  }

  /** Whether something in that part is hidden. */
  private hasFind(start: number, end: number): boolean {
    if (this.isSealed || start === end) return false
    for (const find of this.options.finder.finds) {
      if (find.start >= end) return false
      if (isHiding(find) && find.end > start) return true
    }
    return false
  }

  /** Says what has not left of an event's text up to that place, with marks in it. */
  private say(one: Waiting, until: number): void {
    let at = Math.max(this.sent, one.start)
    for (const find of this.options.finder.finds) {
      if (find.start >= until) break
      if (!isHiding(find) || find.end <= at) continue
      // One that began before has left its mark there.
      if (find.start >= at)
        this.sayText(one.text.slice(at - one.start, find.start - one.start) + (find.becomes ?? ''))
      at = Math.min(find.end, until)
    }
    if (at < until) this.sayText(one.text.slice(at - one.start, until - one.start))
    this.sent = Math.max(this.sent, until)
  }

  private sayText(text: string): void {
    this.said += text
    this.hasChanged = true
    this.options.touch()
  }

  private sendSaid(): void {
    const { said } = this
    if (said === '') return
    this.said = ''
    const { block, type, send } = this.options
    const choice = block.choice === undefined ? {} : { choice: block.choice }
    send({ type: 'block-delta', block, delta: { type, text: said }, ...choice })
  }
}

const isHiding = ({ isSure, becomes }: Find): boolean => isSure && becomes !== undefined
