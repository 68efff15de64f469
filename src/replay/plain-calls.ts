/**
 * The tools that an answer calls, where all of its frames have the form in which their vendor writes them: then no frame
 * is decoded. Neighbours: `index-answer.ts` asks here first, and decodes where this does not know. Runs for every
 * exchange: a few searches of the engine's own in place of a parser.
 */
import type { WireName } from '../event/event.ts'

/** The names of the tools in the order of their calls; `undefined` where only a decoder knows. */
export function readPlainCalls(wire: WireName, text: string): readonly string[] | undefined {
  switch (wire) {
    case 'anthropic-messages':
      return readMessages(text)
    case 'openai-chat':
      return readChat(text)
    case 'openai-responses':
      return undefined
  }
}

const MESSAGES_START = 'event: message_start\n'
const MESSAGES_END = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'
const MESSAGES_CALL =
  /event: content_block_start\ndata: \{"type":"content_block_start","index":\d+,"content_block":\{"type":"tool_use","id":"[\w-]+","name":"([\w.-]+)"/y
const STOPPED_BY_CALL = '"stop_reason":"'

function readMessages(text: string): readonly string[] | undefined {
  if (!text.startsWith(MESSAGES_START) || text.includes('event: error')) return undefined
  if (text.indexOf(MESSAGES_END) !== text.length - MESSAGES_END.length) return undefined
  const names: string[] = []
  const mark = 'tool_use"'
  let end = 0
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, end)) {
    end = at + mark.length
    if (text.startsWith(STOPPED_BY_CALL, at - STOPPED_BY_CALL.length)) continue
    MESSAGES_CALL.lastIndex = text.lastIndexOf('\n\n', at) + 2
    const name = MESSAGES_CALL.exec(text)?.[1]
    // Behind the name it may stand for anything.
    if (name === undefined || MESSAGES_CALL.lastIndex <= at) return undefined
    names.push(name)
    end = MESSAGES_CALL.lastIndex
  }
  return names
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
