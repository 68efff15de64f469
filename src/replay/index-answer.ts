/**
 * A recorded answer → what it can be found by: the tools that were called, and its words. Neighbours: `answer-marks.ts`
 * says by the bytes alone that there is nothing to find, `request-text.ts` has the words of the question; `records/`
 * calls this in its thread. Runs for every exchange: no frame is decoded that cannot begin a call.
 */
import { isObject } from '../base/json.ts'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import type { ToolUse } from '../store/record.ts'
import { WIRES } from '../wire/wires.ts'
import { cutMarked, hasEscapedLetters, mayHaveCalls, mayHaveEscapes } from './answer-marks.ts'
import { createPastReader, type PastTaker } from './backtest-read.ts'
import { isJsonBody, joinBytes, parseBody, toLatin1 } from './body-form.ts'
import { readPlainCalls } from './plain-calls.ts'

export interface RecordedAnswer {
  /** The one that its bytes are of. */
  readonly wire: WireName
  /** The body, in pieces that are cut anywhere. */
  readonly pieces: readonly Uint8Array[]
}

/** What an answer can be found by. */
export interface AnswerIndex {
  readonly tools: readonly ToolUse[]
  /** Words that were said, and the arguments of calls; no thinking. */
  readonly text: string
}

/** More names than any client has tools; a model can invent as many as it likes. */
const MAX_TOOLS = 500
const MAX_NAME = 200

/** Both at once. Decodes all of it for the words: not while streams are waiting. */
export const indexAnswer = (answer: RecordedAnswer): AnswerIndex => ({
  tools: findTools(answer),
  text: readAnswerText(answer),
})

/** The tools that the model called, the provider's own included, in the order of their first call. */
export function findTools({ wire, pieces }: RecordedAnswer): readonly ToolUse[] {
  if (!mayHaveCalls(wire, pieces)) return []
  const bytes = joinBytes(pieces)
  const plain = readPlain(wire, bytes)
  if (plain !== undefined) return plain
  if (isJsonBody(bytes)) return countCalls(readJson(wire, bytes)).tools
  const marked = countCalls(readFrames(wire, cutMarked(wire, bytes)))
  // Of a stream that is not as it should be, a few frames say little.
  return marked.isClean ? marked.tools : countCalls(readFrames(wire, [bytes])).tools
}

function readPlain(wire: WireName, bytes: Uint8Array): readonly ToolUse[] | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const names =
    mayHaveEscapes(buffer) && hasEscapedLetters(toLatin1(bytes))
      ? undefined
      : readPlainCalls(wire, buffer)
  if (names === undefined) return undefined
  const counts = new Map<string, number>()
  for (const name of names) count(counts, name.slice(0, MAX_NAME))
  return toUses(counts)
}

function count(counts: Map<string, number>, name: string): void {
  if (counts.size < MAX_TOOLS || counts.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
}

const toUses = (counts: ReadonlyMap<string, number>): readonly ToolUse[] =>
  [...counts].map(([name, times]) => ({ name, count: times }))

function countCalls(events: Iterable<StreamEvent>): {
  readonly tools: readonly ToolUse[]
  readonly isClean: boolean
} {
  const counts = new Map<string, number>()
  let isClean = false
  for (const event of events) {
    isClean = event.type === 'message-stop' || (isClean && event.type !== 'error')
    const name = event.type === 'block-start' ? nameOf(event.block) : undefined
    if (name !== undefined) count(counts, name)
  }
  return { tools: toUses(counts), isClean }
}

const nameOf = (block: BlockInfo): string | undefined =>
  block.type === 'tool-call' || block.type === 'server-tool'
    ? block.name.slice(0, MAX_NAME)
    : undefined

function* readFrames(wire: WireName, pieces: readonly Uint8Array[]): Generator<StreamEvent> {
  const framer = createFrameDecoder({ maxFrameBytes: Number.POSITIVE_INFINITY })
  const decoder = WIRES[wire].createDecoder()
  for (const piece of pieces) for (const frame of framer.push(piece)) yield* decoder.push(frame)
  for (const frame of framer.end()) yield* decoder.push(frame)
  yield* decoder.end()
}

function readJson(wire: WireName, bytes: Uint8Array): readonly StreamEvent[] {
  const body = parseBody(bytes)
  if (!isObject(body) || WIRES[wire].recognise(body) === 'error') return []
  return WIRES[wire].readAnswer(body)
}

/** UTF-16 units. What stands behind is not found. */
const MAX_TEXT = 48 * 1024

/** So much is read before it is asked whether that is enough. */
const STEP_BYTES = 64 * 1024

/** What was said, and what calls were to do. Frames that are alike are not decoded one by one. */
export function readAnswerText({ wire, pieces }: RecordedAnswer): string {
  const [first] = pieces
  const words = new Words()
  if (first !== undefined && isJsonBody(first))
    for (const event of readJson(wire, joinBytes(pieces))) words.push(event)
  else readStream(wire, pieces, words)
  return words.toString()
}

function readStream(wire: WireName, pieces: readonly Uint8Array[], words: Words): void {
  const reader = createPastReader({
    wire: WIRES[wire],
    stages: [],
    taker: words,
    maxFrameBytes: Number.POSITIVE_INFINITY,
  })
  for (const piece of pieces)
    for (let from = 0; from < piece.length; from += STEP_BYTES) {
      if (words.isFull()) return
      const size = Math.min(STEP_BYTES, piece.length - from)
      reader.read(Buffer.from(piece.buffer, piece.byteOffset + from, size))
    }
  reader.end()
}

/** The words of events, up to a limit. */
class Words implements PastTaker {
  private readonly said: string[] = []
  private length = 0
  private last: BlockInfo | undefined

  push(event: StreamEvent): void {
    const text = event.type === 'block-delta' ? textOf(event) : undefined
    if (text === undefined || event.type !== 'block-delta' || this.isFull()) return
    if (this.last !== undefined && this.last !== event.block) this.said.push('\n')
    this.last = event.block
    this.said.push(text.slice(0, MAX_TEXT - this.length))
    this.length += text.length
  }

  passes(): boolean {
    return true
  }

  gathers(): boolean {
    return false
  }

  isFull(): boolean {
    return this.length >= MAX_TEXT
  }

  toString(): string {
    return this.said.join('')
  }
}

function textOf({
  delta,
  block,
}: Extract<StreamEvent, { type: 'block-delta' }>): string | undefined {
  if (delta.type !== 'text' && delta.type !== 'arguments') return undefined
  return block.type === 'opaque' ? undefined : delta.text
}
