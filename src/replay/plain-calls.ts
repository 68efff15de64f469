/**
 * The tools that an answer calls, where all of its frames have the form in which their vendor writes them: then no frame
 * is decoded. Neighbours: `index-answer.ts` asks here first, and decodes where this does not know. Runs for every
 * exchange: a few searches of the engine's own in place of a parser.
 */
import type { WireName } from '../event/event.ts'

/** The names of the tools in the order of their calls; `undefined` where only a decoder knows. */
export function readPlainCalls(wire: WireName, bytes: Buffer): readonly string[] | undefined {
  switch (wire) {
    case 'anthropic-messages':
      return readMessages(bytes)
    case 'openai-chat':
      return readChat(bytes.toString('latin1'))
    case 'openai-responses':
      return undefined
  }
}

const toBytes = (text: string): Buffer => Buffer.from(text, 'latin1')

const MESSAGES_START = toBytes('event: message_start\n')
const MESSAGES_STOP = toBytes('event: message_stop\ndata: {"type":"message_stop"')
/** Behind spaces: the vendor writes more of them or fewer. */
const MESSAGES_END = toBytes('}\n\n')
const MESSAGES_CALL =
  /^event: content_block_start\ndata: \{"type":"content_block_start","index":\d+,"content_block":\{"type":"tool_use","id":"[\w-]+","name":"([\w.-]+)"/
const STOPPED_BY_CALL = toBytes('"stop_reason":"')
const ERROR = toBytes('event: error')
const CALL = toBytes('tool_use"')
/** Its end. */
const USE = toBytes('use"')
const BLANK = toBytes('\n\n')
const LINE_END = toBytes('\n')
const SPACE = 0x20
/**
 * Node's search goes by the first character, and passes over hundreds of bytes where that is rare: none of these stands in
 * a frame that says a piece, but for the piece itself. Up to seven characters: it takes another way for more.
 */
const MAYBE_ERROR = toBytes('rror')
const MAYBE_STOP = toBytes('ge_stop')
/** More than any id and any name have together, with what stands before them. */
const HEAD_BYTES = 512

/** On bytes: a text of all of it would be the largest thing that is made for an exchange here. */
function readMessages(bytes: Buffer): readonly string[] | undefined {
  if (!stands(bytes, 0, MESSAGES_START)) return undefined
  const last = lastStop(bytes)
  if (last === -1) return undefined
  if (bytes.includes(MAYBE_ERROR) && bytes.includes(ERROR)) return undefined
  if (stopsBefore(bytes, last)) return undefined
  const names: string[] = []
  let end = 0
  for (let use = bytes.indexOf(USE); use !== -1; use = bytes.indexOf(USE, end)) {
    end = use + USE.length
    const at = end - CALL.length
    if (!stands(bytes, at, CALL)) continue
    if (stands(bytes, at - STOPPED_BY_CALL.length, STOPPED_BY_CALL)) continue
    const start = bytes.lastIndexOf(BLANK, at) + BLANK.length
    const [head, name] =
      MESSAGES_CALL.exec(bytes.toString('latin1', start, start + HEAD_BYTES)) ?? []
    // Behind the name it may stand for anything.
    if (head === undefined || name === undefined || start + head.length <= at) return undefined
    names.push(name)
    end = start + head.length
  }
  return names
}

const stands = (bytes: Buffer, at: number, what: Buffer): boolean =>
  at >= 0 &&
  at + what.length <= bytes.length &&
  bytes.compare(what, 0, what.length, at, at + what.length) === 0

/** Where the frame stands that stops the message, if it is the last one; else -1. */
function lastStop(bytes: Buffer): number {
  let end = bytes.length - MESSAGES_END.length
  if (!stands(bytes, end, MESSAGES_END)) return -1
  while (bytes[end - 1] === SPACE) end--
  const at = end - MESSAGES_STOP.length
  return stands(bytes, at, MESSAGES_STOP) ? at : -1
}

/** Whether the message stops before its last frame. */
function stopsBefore(bytes: Buffer, last: number): boolean {
  for (let at = bytes.indexOf(MAYBE_STOP); at !== -1; at = bytes.indexOf(MAYBE_STOP, at + 1)) {
    const start = bytes.lastIndexOf(LINE_END, at) + 1
    if (start >= last) return false
    if (stands(bytes, start, MESSAGES_STOP)) return true
  }
  return false
}

const CHAT_END = 'data: [DONE]\n\n'
const CHAT_CALL =
  /"tool_calls":\[\{"index":(\d+),"id":"[\w-]+","type":"function","function":\{"name":"([\w.-]+)","arguments":"(?:[^"\\]|\\.)*"\}\}\]/y
const GOES_ON = /"tool_calls":\[\{"index":(\d+),"function":\{"arguments":"(?:[^"\\]|\\.)*"\}\}\]/y
const FINISHED_BY_CALL = '"finish_reason":'
/** Older and other ways to call, errors, and further answers: those are for a decoder. */
const CHAT_OTHERS = ['function_call"', '"executed_tools"', '"error"']
const HAS_CHOICES = /"index":[1-9]\d*,"delta"/

function readChat(text: string): readonly string[] | undefined {
  if (!text.startsWith('data: {') || !text.endsWith(CHAT_END)) return undefined
  if (CHAT_OTHERS.some((other) => text.includes(other)) || HAS_CHOICES.test(text)) return undefined
  const names: string[] = []
  let last: string | undefined
  const mark = '"tool_calls"'
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) {
    if (text.startsWith(FINISHED_BY_CALL, at - FINISHED_BY_CALL.length)) continue
    GOES_ON.lastIndex = at
    const goesOn = GOES_ON.exec(text)?.[1]
    if (goesOn !== undefined && goesOn === last) continue
    CHAT_CALL.lastIndex = at
    const [, index, name] = CHAT_CALL.exec(text) ?? []
    // Numbers that come again are read in more than one way.
    if (name === undefined || Number(index) !== names.length) return undefined
    names.push(name)
    last = index
  }
  return names
}
