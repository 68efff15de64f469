/**
 * Whether an answer can have tool calls at all, by its bytes alone: most answers of a chat have none, and then nothing is
 * decoded. Neighbours: `index-answer.ts` reads those that can. Never says no where the decoder would find a call: names
 * are looked for as JSON writes them, and where letters are escaped, nothing is said of it.
 *
 * Quotes inside a JSON text are escaped, so content cannot look like one of these by chance.
 */
import type { WireName } from '../event/event.ts'
import { toLatin1 } from './body-form.ts'

/**
 * A part of what stands in every frame that begins a call. It begins with a character that is rare in texts, which is
 * what the engine's search goes by: measured, twice to five times as fast as the whole words.
 */
const MARKS: Readonly<Record<WireName, readonly string[]>> = {
  // No letter of it stands in a frame that says a piece, but for the piece itself.
  'anthropic-messages': ['use"'],
  'openai-chat': ['_call', '_tools"'],
  'openai-responses': ['_call"', '_request"'],
}

/** Servers put an empty list or a null into every chunk. */
const NO_CALL = String.raw`(?!\s*:\s*(?:null|\[\s*\]))`

/** A letter or an underscore that is written as an escape: any name may be hidden so. */
const ESCAPED = String.raw`\\u00(?:5[fF]|6[0-9a-fA-F]|7[0-9aA])`

/**
 * The marks themselves, from one to the next: of the client's tools or of the provider's own. On Messages and Responses
 * every kind of call ends so, those that we do not know included. Behind a mark of Chat something must stand.
 */
const FINDERS: Readonly<Record<WireName, RegExp>> = {
  'anthropic-messages': new RegExp(`tool_use"|${ESCAPED}`, 'g'),
  'openai-chat': new RegExp(
    `"(?:tool_calls|function_call|executed_tools)"${NO_CALL}|${ESCAPED}`,
    'g',
  ),
  'openai-responses': new RegExp(`_call"|"mcp_approval_request"|${ESCAPED}`, 'g'),
}

const ESCAPE = '\\u00'
const toNeedles = (wire: WireName): readonly Buffer[] =>
  [...MARKS[wire], ESCAPE].map((mark) => Buffer.from(mark, 'latin1'))

const NEEDLES: Readonly<Record<WireName, readonly Buffer[]>> = {
  'anthropic-messages': toNeedles('anthropic-messages'),
  'openai-chat': toNeedles('openai-chat'),
  'openai-responses': toNeedles('openai-responses'),
}

/** As long as the longest of them, with room to spare. */
const TAIL = 48

/** Whether calls can be in a body, whose pieces are cut anywhere. */
export function mayHaveCalls(wire: WireName, pieces: readonly Uint8Array[]): boolean {
  const search = createMarkSearch(wire)
  return pieces.some((piece) => search.push(piece))
}

/** The same for pieces that come one by one. */
export interface MarkSearch {
  /** Whether there can be calls in what has come so far. */
  push(piece: Uint8Array): boolean
}

export function createMarkSearch(wire: WireName): MarkSearch {
  let hasFound = false
  let tail: Buffer = Buffer.alloc(0)
  return {
    push(piece) {
      if (hasFound) return true
      const bytes = toBuffer(piece)
      const seam = tail.length === 0 ? bytes : Buffer.concat([tail, bytes.subarray(0, TAIL)])
      hasFound = (seam !== bytes && hasMark(wire, seam)) || hasMark(wire, bytes)
      const end = bytes.length < TAIL ? seam : bytes
      tail = Buffer.from(end.subarray(Math.max(0, end.length - TAIL)))
      return hasFound
    },
  }
}

/** The engine's own search first: it looks at a dozen kilobytes in some microseconds. */
function hasMark(wire: WireName, bytes: Buffer): boolean {
  let first = -1
  for (const needle of NEEDLES[wire]) {
    const at = bytes.indexOf(needle)
    if (at !== -1 && (first === -1 || at < first)) first = at
  }
  if (first === -1) return false
  // The word around it began before. Mostly it is a call, and the rest need not be looked at.
  const from = Math.max(0, first - TAIL)
  return isMarked(wire, bytes, from, first + TAIL) || isMarked(wire, bytes, from, bytes.length)
}

function isMarked(wire: WireName, bytes: Buffer, from: number, to: number): boolean {
  const finder = FINDERS[wire]
  finder.lastIndex = 0
  return finder.test(bytes.toString('latin1', from, to))
}

/**
 * Frames with a mark, and those that the decoder needs beside them: blocks are given out in their order, so that the
 * end of one lets the next go, and on Messages nothing is read before the start, which may itself hold all calls.
 */
const CUTTERS: Readonly<Record<WireName, RegExp>> = {
  'anthropic-messages': /tool_use"|message_st|content_block_st|message_delta/g,
  'openai-chat': new RegExp(
    String.raw`"(?:tool_calls|function_call|executed_tools)"${NO_CALL}|"finish_reason"\s*:\s*[^n\s]|\[DONE\]`,
    'g',
  ),
  'openai-responses':
    /_call"|"mcp_approval_request"|response\.(?:output_item\.done|completed|incomplete|failed)/g,
}

const BLANK = '\n\n'
const HAS_ESCAPED = new RegExp(ESCAPED)

/** Whether a letter of a name may be written as an escape. */
export const hasEscapedLetters = (text: string): boolean =>
  text.includes(ESCAPE) && HAS_ESCAPED.test(text)

/** The same, before any text is made of it. */
export const mayHaveEscapes = (bytes: Buffer): boolean => bytes.includes(ESCAPE, 0, 'latin1')

/**
 * The frames around marks and no others, each once; all of them where the lines end in another way, or where letters
 * are escaped: then any frame may be one, and a few of them alone would make no sense.
 */
export function cutMarked(wire: WireName, bytes: Uint8Array): readonly Uint8Array[] {
  const text = toLatin1(bytes)
  if (hasEscapedLetters(text)) return [bytes]
  const finder = CUTTERS[wire]
  finder.lastIndex = 0
  const cuts: Uint8Array[] = []
  let end = 0
  for (let mark = finder.exec(text); mark !== null; mark = finder.exec(text)) {
    const before = text.lastIndexOf(BLANK, mark.index)
    const start = Math.max(before === -1 ? 0 : before + BLANK.length, end)
    const behind = text.indexOf(BLANK, mark.index)
    end = behind === -1 ? text.length : behind + BLANK.length
    cuts.push(bytes.subarray(start, end))
    finder.lastIndex = end
  }
  return cuts
}

const toBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length)
