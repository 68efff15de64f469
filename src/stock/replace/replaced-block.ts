/**
 * One text block as it passes, with other words in the place of some. Neighbours: `../replace-text.ts` makes one per
 * block. An event that nothing was replaced in leaves as the same object, so that a text without a match leaves as the
 * same bytes; an event that may hold part of a match waits until that is known, and what follows waits behind it.
 */
import type { BlockInfo } from '../../event/block.ts'
import type { EventOf, StreamEvent } from '../../event/event.ts'
import type { Search } from './search.ts'
import type { Match } from './stream-matcher.ts'

export interface ReplacedBlock {
  /** Takes the next event of the block, its start and its stop included; gives back what may leave. */
  push(event: StreamEvent): readonly StreamEvent[]
  /** The block breaks off: gives back what was held. */
  end(): readonly StreamEvent[]
}

/** An event that waits, and which characters of the block it has; others than text have none. */
interface Waiting {
  readonly event: StreamEvent
  readonly text: string
  readonly start: number
}

export const createReplacedBlock = (block: BlockInfo, search: Search): ReplacedBlock =>
  new Replaced(block, search)

class Replaced implements ReplacedBlock {
  private readonly block: BlockInfo
  private readonly search: Search
  private readonly matcher: ReturnType<Search['createMatcher']>
  private queue: Waiting[] = []
  /** Matches whose text has not left yet. */
  private matches: Match[] = []
  private length = 0
  /** A block that would be empty is not opened: as history it would be refused. */
  private start: StreamEvent | undefined
  private isReplaced = false
  private hasBegun = false

  constructor(block: BlockInfo, search: Search) {
    this.block = block
    this.search = search
    this.matcher = search.createMatcher()
  }

  push(event: StreamEvent): readonly StreamEvent[] {
    if (event.type === 'block-start') {
      this.start = event
      return []
    }
    if (event.type === 'block-stop') return this.close(event)
    const text = textOf(event)
    this.queue.push({ event, text, start: this.length })
    this.length += text.length
    if (text !== '') for (const match of this.matcher.push(text)) this.matches.push(match)
    return this.release(this.matcher.settled())
  }

  end(): readonly StreamEvent[] {
    for (const match of this.matcher.push('', true)) this.matches.push(match)
    return this.release(this.length)
  }

  private close(stop: StreamEvent): readonly StreamEvent[] {
    const rest = this.end()
    if (this.hasBegun || !this.isReplaced) return [...rest, ...this.begin(), stop]
    return rest
  }

  /** What lies before that place, in order. */
  private release(settled: number): readonly StreamEvent[] {
    const out: StreamEvent[] = []
    let done = 0
    for (const one of this.queue) {
      if (one.start + one.text.length > settled) break
      done += 1
      const event = this.toEvent(one)
      if (event !== undefined) out.push(...this.begin(), event)
    }
    if (done > 0) this.queue = this.queue.slice(done)
    return out
  }

  private begin(): readonly StreamEvent[] {
    const { start } = this
    this.start = undefined
    this.hasBegun = true
    return start === undefined ? [] : [start]
  }

  /** The event, with its part of each match replaced; `undefined` when nothing is left of it. */
  private toEvent(one: Waiting): StreamEvent | undefined {
    const end = one.start + one.text.length
    let said = ''
    let at = one.start
    let isChanged = false
    let done = 0
    for (const match of this.matches) {
      if (match.start >= end || one.text === '') break
      isChanged = true
      if (match.start >= one.start) {
        said += one.text.slice(at - one.start, match.start - one.start)
        // The whole of the new text comes where the match begins.
        said += this.search.becomes[match.pattern] ?? ''
      }
      at = Math.min(match.end, end)
      if (match.end > end) break
      done += 1
    }
    if (done > 0) this.matches = this.matches.slice(done)
    if (!isChanged) return one.event
    this.isReplaced = true
    said += one.text.slice(at - one.start)
    return said === '' ? undefined : this.toDelta(said)
  }

  private toDelta(text: string): EventOf<'block-delta'> {
    const { block } = this
    const choice = block.choice === undefined ? {} : { choice: block.choice }
    return { type: 'block-delta', block, delta: { type: 'text', text }, ...choice }
  }
}

const textOf = (event: StreamEvent): string =>
  event.type === 'block-delta' && event.delta.type === 'text' ? event.delta.text : ''
