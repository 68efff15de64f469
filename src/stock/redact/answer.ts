/**
 * The answer on its way to the client, with secrets hidden. Neighbours: `lane.ts` has one block each, `redact.ts` calls
 * it for every event. Looks at text, refusals, the arguments of calls, and thinking that nobody signed.
 *
 * Whether thinking is signed is only known at its end. Clean thinking flows all the same; from the first secret in it
 * on it waits: a signature lets it go as it is, and an end without one hides the secret. In what is only kept and never
 * sent (`isKept`), a signature protects nothing, and what the provider's own tools say is looked at too.
 */
import type { ChunkAnswer } from '../../block/processor.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { EventOf, StreamEvent } from '../../event/event.ts'
import { hideInJson } from './hide-json.ts'
import type { Finder } from './find.ts'
import { Lane, type TextDelta } from './lane.ts'
import { hideIn, type Search } from './search.ts'

export class AnswerFilter {
  private readonly search: Search
  private readonly send: (event: StreamEvent) => void
  private readonly isKept: boolean
  private readonly lanes = new Map<BlockInfo, Lane>()
  /** Blocks that are over and not as they came. */
  private readonly changed = new WeakSet<BlockInfo>()
  private isTouched = false

  constructor(search: Search, send: (event: StreamEvent) => void, isKept = false) {
    this.search = search
    this.send = send
    this.isKept = isKept
  }

  push(event: StreamEvent): ChunkAnswer {
    switch (event.type) {
      case 'block-delta':
        return this.grow(event)
      case 'block-stop':
        return this.stop(event)
      case 'block-start':
        return this.send(event)
      case 'other':
        if (event.block === undefined) return this.keepPlace(event)
        return this.passOn(event, this.lanes.get(event.block))
      case 'message-stop':
      case 'error':
        return this.flush()
      case 'finish':
      case 'usage':
      case 'ping':
      case 'message-start':
        return this.keepPlace(event)
    }
  }

  /** How much was hidden, by kind. */
  counts(): ReadonlyMap<string, number> {
    return this.search.counts
  }

  private stop(event: EventOf<'block-stop'>): void {
    const lane = this.lanes.get(event.block)
    if (lane === undefined) return this.send(event)
    lane.stop(event)
    this.lanes.delete(event.block)
    if (lane.isChanged()) this.changed.add(event.block)
  }

  /** A frame that repeats what a block holds, perhaps behind its end: of a changed one it does not leave. */
  private passOn(event: EventOf<'other'>, lane: Lane | undefined): void {
    if (lane !== undefined) return lane.pass(event)
    if (event.block === undefined || !this.changed.has(event.block)) this.send(event)
  }

  private grow(event: EventOf<'block-delta'>): void {
    const { delta, block } = event
    const lane = this.laneOf(block)
    if (lane === undefined) return this.send(event)
    switch (delta.type) {
      case 'text':
      case 'thinking':
      case 'arguments':
        return lane.push(event, delta.text)
      case 'signature':
        if (delta.signature !== '') lane.seal()
        return lane.pass(event)
      case 'citation':
        return lane.pass(this.hideBeside(event, { ...delta, citation: this.hide(delta.citation) }))
      case 'other':
        return lane.pass(
          block.type === 'thinking'
            ? event
            : this.hideBeside(event, { ...delta, raw: this.hide(delta.raw) }),
        )
    }
  }

  private hide<Value>(value: Value): Value {
    return hideInJson(value, { text: (text) => hideIn(text, this.search.inText()) })
  }

  /** The event, or one of ours in its place where something in it is hidden. */
  private hideBeside(
    event: EventOf<'block-delta'>,
    delta: EventOf<'block-delta'>['delta'],
  ): StreamEvent {
    const before = event.delta
    const isSame =
      before.type === 'citation' && delta.type === 'citation'
        ? before.citation === delta.citation
        : before.type === 'other' && delta.type === 'other' && before.raw === delta.raw
    if (isSame) return event
    this.isTouched = true
    const choice = event.choice === undefined ? {} : { choice: event.choice }
    return { type: 'block-delta', block: event.block, delta, ...choice }
  }

  /** An event of no block, behind what waits: it would overtake it. */
  private keepPlace(event: StreamEvent): ChunkAnswer {
    for (const lane of this.lanes.values())
      if (lane.isHolding()) {
        lane.pass(event)
        return 'hold'
      }
    return undefined
  }

  /** Nothing more comes. What waits is whole, or it would have been found. */
  private flush(): void {
    for (const lane of this.lanes.values()) lane.end()
    this.lanes.clear()
  }

  private laneOf(block: BlockInfo): Lane | undefined {
    const known = this.lanes.get(block)
    if (known !== undefined) return known
    const type = textOf(block, this.isKept)
    if (type === undefined) return undefined
    const lane = new Lane({
      block,
      type,
      finder: this.finderOf(block),
      isSealable: block.type === 'thinking' && !this.isKept,
      send: this.send,
      isTouched: () => this.isTouched,
      touch: () => {
        this.isTouched = true
      },
    })
    this.lanes.set(block, lane)
    return lane
  }

  private finderOf(block: BlockInfo): Finder {
    if (block.type === 'tool-call') return this.search.inCall(block.dialect !== 'custom', true)
    return block.type === 'server-tool' ? this.search.inCall(true, true) : this.search.inText()
  }
}

/** What the text of a block comes as; `undefined`: the block passes as it is. */
function textOf(block: BlockInfo, isKept: boolean): TextDelta | undefined {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return 'text'
    case 'thinking':
      return block.redacted ? undefined : 'thinking'
    case 'tool-call':
      return 'arguments'
    case 'server-tool':
      return isKept ? 'arguments' : undefined
    case 'tool-result':
      return isKept ? 'text' : undefined
    case 'opaque':
      return undefined
  }
}
