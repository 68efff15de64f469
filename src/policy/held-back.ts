/**
 * What a filter was shown and has not sent: if it fails and its config says that the answer goes on, this must not be lost.
 * Neighbours: `filter.ts`. A filter may cut and rewrite as it likes, so this is kept as text: what it sent of a block is
 * taken off what came of it. A block whose words it has changed is cleared by its next words.
 */
import type { BlockInfo } from '../event/block.ts'
import type { Delta, StreamEvent, TextDelta } from '../event/event.ts'

export interface HeldBack {
  came(event: StreamEvent): void
  /** It left: sent by the filter, or by itself because it belongs to no block. */
  sent(event: StreamEvent, isByItself: boolean): void
  /** What is still to be sent, in order. */
  rest(): readonly StreamEvent[]
}

export function createHeldBack(): HeldBack {
  /** Those that came and have not left, from `first` on; what stood before one that left was left out. */
  const events: StreamEvent[] = []
  let first = 0
  /** Of blocks that have left in part: what came of them and has not. */
  const open = new Map<BlockInfo, { text: string; kind: TextDelta['type'] }>()

  function took(block: BlockInfo, { type, text }: TextDelta): void {
    const before = open.get(block)
    if (before === undefined) return
    before.kind = type
    // Not its own words any more: what came before them was replaced by them.
    before.text = before.text.startsWith(text) ? before.text.slice(text.length) : ''
  }

  function begin(block: BlockInfo): void {
    let text = ''
    for (let at = first; at < events.length; at++) text += textOf(events[at], block)
    open.set(block, { text, kind: kindOf(block) })
  }

  function forget(event: StreamEvent): void {
    // Nearly always it is the next one, or the last; one that is not among them was made.
    const at = events[first] === event ? first : events.lastIndexOf(event)
    first = at === -1 ? events.length : at + 1
    if (first < events.length) return
    events.length = 0
    first = 0
  }

  return {
    came(event) {
      events.push(event)
      if (event.type !== 'block-delta' || !isText(event.delta)) return
      const before = open.get(event.block)
      if (before === undefined) return
      before.kind = event.delta.type
      before.text += event.delta.text
    },
    sent(event, isByItself) {
      if (isByItself) {
        if (events.at(-1) === event) events.pop()
        return
      }
      if (event.type === 'block-start') begin(event.block)
      else if (event.type === 'block-stop') open.delete(event.block)
      else if (event.type === 'block-delta' && isText(event.delta)) took(event.block, event.delta)
      forget(event)
    },
    rest() {
      const words = [...open].flatMap(([block, { text, kind }]): StreamEvent[] =>
        text === ''
          ? []
          : [{ type: 'block-delta', block, delta: { type: kind, text }, ...of(block) }],
      )
      // Their words are in those already.
      const others = events.slice(first).filter((event) => !isPieceOf(event, open))
      return [...words, ...others]
    },
  }
}

const isText = (delta: Delta): delta is TextDelta => 'text' in delta

const textOf = (event: StreamEvent | undefined, block: BlockInfo): string =>
  event?.type === 'block-delta' && event.block === block && isText(event.delta)
    ? event.delta.text
    : ''

const isPieceOf = (event: StreamEvent, open: ReadonlyMap<BlockInfo, unknown>): boolean =>
  event.type === 'block-delta' && isText(event.delta) && open.has(event.block)

const kindOf = ({ type }: BlockInfo): TextDelta['type'] =>
  type === 'tool-call' || type === 'server-tool'
    ? 'arguments'
    : type === 'thinking'
      ? 'thinking'
      : 'text'

const of = ({ choice }: BlockInfo): { choice?: number } => (choice === undefined ? {} : { choice })
