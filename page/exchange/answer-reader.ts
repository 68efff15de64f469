/**
 * Raw bytes of an answer as they come → the blocks so far. The same stream core as in the gateway. Neighbours: `src/wire`,
 * `src/block`; `answer-live.ts` and the raw frames read with it. Knows no clock and no page: times are handed in.
 */
import type { BlockView } from '../../src/api/types.ts'
import { contentOf } from '../../src/event/block-content.ts'
import type { FinishReason } from '../../src/event/finish.ts'
import {
  createAssembler,
  createFrameDecoder,
  SluiceError,
  type Assembler,
  type BlockInfo,
  type JsonObject,
  type StreamBlock,
  type StreamEvent,
  type StreamFault,
  type Usage,
  type WireName,
} from '../../src/index.ts'
import { WIRES } from '../core/wires.ts'

export interface AnswerReader {
  /** `at`: microseconds since the exchange began. */
  push(bytes: Uint8Array, at: number): void
  /** Nothing follows. */
  end(): void
  /** A new list whenever something has changed, the same otherwise. */
  blocks(): readonly BlockView[]
  /** What is known beside the blocks. */
  ending(): AnswerEnding
}

export interface AnswerEnding {
  readonly model: string | undefined
  readonly finishReason: FinishReason | undefined
  readonly usage: Usage | undefined
  readonly fault: Pick<StreamFault, 'kind' | 'message'> | undefined
}

/** When something was said of a block first, and when last, and how it was shown last. */
interface Seen {
  first: number
  last: number
  view: BlockView | undefined
}

export function createAnswerReader(wire: WireName): AnswerReader {
  const assembler = createAssembler()
  const seen = new Map<BlockInfo, Seen>()
  const stream = createStreamSource(wire)
  /** Of an answer that is no stream: it can be read when it is whole. */
  let whole: Uint8Array[] | undefined
  let lastAt = 0
  let isOver = false
  let isChanged = false
  let shown: readonly BlockView[] = []

  function take(events: readonly StreamEvent[]): void {
    for (const event of events) {
      assembler.apply(event)
      isChanged = note(seen, event, lastAt) || isChanged
    }
  }

  /** What is too large, or no stream at all, ends here; what was read of it stays. */
  function guard(work: () => void): void {
    if (isOver) return
    try {
      work()
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error
      isOver = true
    }
  }

  return {
    push(bytes, at) {
      if (bytes.length === 0) return
      if (stream.isUnread && whole === undefined && isJson(bytes)) whole = []
      lastAt = at
      guard(() => (whole === undefined ? take(stream.push(bytes)) : void whole.push(bytes)))
    },
    end() {
      guard(() => take(whole === undefined ? stream.end() : readWhole(wire, whole)))
      isOver = true
    },
    blocks() {
      if (!isChanged) return shown
      isChanged = false
      shown = assembler.state.blocks.map((block) => toView(block, seen.get(block.info)))
      return shown
    },
    ending: () => toEnding(assembler),
  }
}

/** Bytes to events. */
function createStreamSource(wire: WireName) {
  const framer = createFrameDecoder()
  const decoder = WIRES[wire].createDecoder()
  const source = {
    isUnread: true,
    push(bytes: Uint8Array): readonly StreamEvent[] {
      source.isUnread = false
      return framer.push(bytes).flatMap((frame) => decoder.push(frame))
    },
    end: (): readonly StreamEvent[] =>
      source.isUnread
        ? []
        : [...framer.end().flatMap((frame) => decoder.push(frame)), ...decoder.end()],
  }
  return source
}

/** Whether something is to be seen of it. */
function note(seen: Map<BlockInfo, Seen>, event: StreamEvent, at: number): boolean {
  const isOfBlock =
    event.type === 'block-start' || event.type === 'block-delta' || event.type === 'block-stop'
  if (!isOfBlock) return false
  const times = seen.get(event.block)
  if (times === undefined) {
    seen.set(event.block, { first: at, last: at, view: undefined })
    return true
  }
  // Where there is no other sign, the end of a block is seen when the next begins.
  if (event.type !== 'block-stop' || event.vendor !== undefined) times.last = at
  times.view = undefined
  return true
}

/** The same object as long as nothing was said of the block: only what grows is drawn again. */
function toView(block: StreamBlock, seen: Seen | undefined): BlockView {
  if (seen?.view !== undefined) return seen.view
  const view: BlockView = {
    type: block.type,
    id: block.id,
    index: block.index,
    choice: block.choice,
    name: 'name' in block ? block.name : undefined,
    namespace: 'namespace' in block ? block.namespace : undefined,
    content: contentOf(block),
    isComplete: block.isComplete,
    startedAt: seen?.first,
    endedAt: seen?.last,
  }
  if (seen !== undefined) seen.view = view
  return view
}

function toEnding({ state }: Assembler): AnswerEnding {
  const { model, finishReason, usage, error } = state
  return { model, finishReason, usage, fault: error }
}

const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])
const BRACE = 0x7b

/** No line of a stream begins with a brace. */
function isJson(bytes: Uint8Array): boolean {
  let at = 0
  while (SPACES.has(bytes[at] ?? 0)) at += 1
  return bytes[at] === BRACE
}

function readWhole(wire: WireName, pieces: readonly Uint8Array[]): readonly StreamEvent[] {
  const body = parse(pieces)
  const as = body === undefined ? undefined : WIRES[wire].recognise(body)
  if (body === undefined || as === undefined) return []
  return as === 'error'
    ? [{ type: 'error', error: WIRES[wire].readError(body) }]
    : WIRES[wire].readAnswer(body)
}

function parse(pieces: readonly Uint8Array[]): JsonObject | undefined {
  const decoder = new TextDecoder()
  const text = pieces.map((piece) => decoder.decode(piece, { stream: true })).join('')
  try {
    const value: unknown = JSON.parse(text + decoder.decode())
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
