/**
 * The automaton of this wire: what may follow what, frame by frame. Neighbours: `rules.ts` says each
 * rule in words, `sluice lint` shows the findings, tests hold our encoder to them.
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { jsonShape } from '../../base/json-shape.ts'
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import { createFindings, readPayload, type Grammar } from '../grammar.ts'
import { PLAIN_ID } from '../ids.ts'
import { RULES } from './rules.ts'

interface Block {
  readonly type: string
  readonly text: Fragments
  hasText: boolean
  hasInput: boolean
  signatures: number
  isOpen: boolean
}

const DELTA_OF: Readonly<Record<string, readonly string[]>> = {
  text_delta: ['text'],
  citations_delta: ['text'],
  thinking_delta: ['thinking'],
  signature_delta: ['thinking'],
  input_json_delta: ['tool_use', 'server_tool_use', 'mcp_tool_use'],
  compaction_delta: ['compaction'],
}

/** What a delta of each kind brings, where a client adds it to what it has. */
const TEXT_OF: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
}

/** The event lines that all SDK versions read. */
const READ_EVENTS = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop))$/

export function createGrammar(): Grammar {
  const findings = createFindings(RULES)
  const { add } = findings
  const blocks: Block[] = []
  let openCount = 0
  const toolIds = new Set<string>()
  let isStarted = false
  let isStopped = false
  let isFailed = false
  let stopReason: string | undefined
  let hasToolUse = false
  const cuts: string[] = []

  function startMessage(json: JsonObject): void {
    if (isStarted) return add('A2', 'a second message_start')
    isStarted = true
    const message = toObject(json['message']) ?? {}
    const content = message['content']
    if (!Array.isArray(content)) add('A3', 'message_start has no content list')
    if (!isObject(message['usage'])) add('A3', 'message_start has no usage')
    else if (typeof message['usage']['output_tokens'] !== 'number')
      add('A13-tokens', 'usage without output_tokens')
    stopReason = toText(message['stop_reason'])
    if (toList(content).length === 0) return
    add('A3-filled', 'message_start holds content already')
    for (const one of toList(content)) {
      startBlock(toObject(one) ?? {}).isOpen = false
      openCount -= 1
    }
  }

  function startBlock(content: JsonObject): Block {
    const type = toText(content['type']) ?? ''
    const hasInput = Object.keys(toObject(content['input']) ?? {}).length > 0
    const block: Block = {
      type,
      text: createFragments(),
      hasText: toText(content['text']) !== undefined,
      hasInput,
      signatures: toText(content['signature']) === undefined ? 0 : 1,
      isOpen: true,
    }
    blocks.push(block)
    openCount += 1
    if (type === 'thinking' && typeof content['thinking'] !== 'string')
      add('A9', 'a thinking block starts without its text')
    if (!type.endsWith('tool_use') || type === 'server_tool_use' || type === 'mcp_tool_use')
      return block
    hasToolUse = true
    const id = toText(content['id']) ?? ''
    if (!PLAIN_ID.test(id) || toolIds.has(id))
      add('A20', `the tool id "${id}" is ${toolIds.has(id) ? 'used twice' : 'not plain'}`)
    toolIds.add(id)
    return block
  }

  const blockAt = (index: unknown): Block | undefined =>
    typeof index === 'number' ? blocks[index] : undefined

  function readStart(json: JsonObject): void {
    const { index } = json
    if (index !== blocks.length)
      add('A4', `block ${String(index)} came where ${blocks.length} was due`)
    if (openCount > 0) add('A5', `block ${String(index)} started while another was open`)
    startBlock(toObject(json['content_block']) ?? {})
  }

  function readDelta(json: JsonObject): void {
    const block = blockAt(json['index'])
    const delta = toObject(json['delta'])
    if (delta === undefined) return add('A8-text', 'a delta that holds nothing')
    const type = toText(delta['type']) ?? ''
    if (block === undefined)
      return add('A7', `a ${type} for block ${String(json['index'])}, which never started`)
    if (!block.isOpen) add('A7-late', `a ${type} after the stop of block ${String(json['index'])}`)
    const kinds = Object.hasOwn(DELTA_OF, type) ? DELTA_OF[type] : undefined
    // An unknown kind of block may take any delta: both are newer than this list.
    if (kinds !== undefined && !kinds.includes(block.type) && isKnown(block.type))
      add('A8', `a ${type} in a ${block.type} block`)
    const field = TEXT_OF[type]
    if (field !== undefined && typeof delta[field] !== 'string')
      add('A8-text', `a ${type} without ${field}`)
    if (type === 'text_delta' && toText(delta['text']) !== undefined) block.hasText = true
    if (type === 'signature_delta' && ++block.signatures > 1) add('A10', 'a second signature_delta')
    if (type === 'input_json_delta') {
      block.text.add(toText(delta['partial_json']) ?? '')
      if (block.hasInput && block.text.length > 0)
        add('A12', 'deltas follow an input that was whole')
    }
  }

  function readStop(json: JsonObject): void {
    const block = blockAt(json['index'])
    if (block === undefined || !block.isOpen)
      return add('A6', `a stop of block ${String(json['index'])}, which is not open`)
    block.isOpen = false
    openCount -= 1
    closeBlock(block)
  }

  function closeBlock(block: Block): void {
    if (block.type === 'text' && !block.hasText) add('A21', 'an empty text block')
    if (!DELTA_OF['input_json_delta']?.includes(block.type)) return
    const text = block.text.toString()
    const shape = jsonShape(text)
    if (shape === 'broken' || (shape === 'whole' && !text.trimStart().startsWith('{')))
      add('A11', 'the arguments are no JSON object')
    if (shape === 'cut') cuts.push(block.type)
  }

  function readEnd(json: JsonObject): void {
    const delta = toObject(json['delta']) ?? {}
    if (!isObject(json['usage'])) add('A13', 'message_delta has no usage')
    else if (typeof json['usage']['output_tokens'] !== 'number')
      add('A13-tokens', 'usage without output_tokens')
    stopReason = toText(delta['stop_reason'])
    closeOpen()
    if (
      stopReason !== undefined &&
      (stopReason === 'tool_use') !== hasToolUse &&
      !EXEMPT.has(stopReason)
    )
      add(
        'A19',
        hasToolUse
          ? `there is a tool_use block, and stop_reason is ${stopReason}`
          : 'stop_reason is tool_use without a tool_use block',
      )
    if (
      cuts.length > 0 &&
      stopReason !== 'max_tokens' &&
      stopReason !== 'refusal' &&
      stopReason !== 'model_context_window_exceeded'
    )
      add('A11-cut', `arguments were cut, and stop_reason is ${stopReason ?? 'missing'}`)
  }

  function closeOpen(): void {
    for (const block of blocks) {
      if (!block.isOpen) continue
      block.isOpen = false
      openCount -= 1
      add('A6', `a ${block.type} block was never stopped`)
      closeBlock(block)
    }
  }

  function readJson(json: JsonObject, type: string): void {
    if (isFailed) return add('A18', `${type} came after an error`)
    if (isStopped) return add('A16-late', `${type} came after message_stop`)
    if (!isStarted && type !== 'message_start' && type !== 'ping' && type !== 'error')
      add('A1', `the first event is ${type}`)
    switch (type) {
      case 'message_start':
        return startMessage(json)
      case 'content_block_start':
        return readStart(json)
      case 'content_block_delta':
        return readDelta(json)
      case 'content_block_stop':
        return readStop(json)
      case 'message_delta':
        return readEnd(json)
      case 'message_stop':
        isStopped = true
        closeOpen()
        if (stopReason === undefined)
          add('A14', 'message_stop came without a stop_reason before it')
        return
      case 'error':
        isFailed = true
        return
      default:
    }
  }

  return {
    push(frame) {
      const payload = readPayload(frame)
      const wasStopped = isStopped
      if (payload.type !== 'nothing') findings.nextFrame()
      if (frame.stray !== undefined) add('S4', 'a line that is no field')
      switch (payload.type) {
        case 'nothing':
          break
        case 'empty':
          if (frame.event !== 'ping')
            add(READ_EVENTS.test(frame.event ?? '') ? 'S3' : 'S3-other', 'an event without data')
          break
        case 'done':
          // Without an event line the SDK never looks at the data.
          if (frame.event === undefined || frame.isLine)
            add('A16-late', '[DONE] is not of this wire')
          else add('S2', '[DONE] under an event line is read as JSON')
          break
        case 'broken':
          if (frame.event === undefined && !frame.isLine)
            add('A17', 'a frame without an event line')
          else add('S2', 'the data is no JSON object')
          break
        case 'json': {
          const own = toText(payload.json['type'])
          const type = own ?? frame.event ?? ''
          if (frame.event === undefined && !frame.isLine)
            add('A17', `${type} without an event line`)
          else if (own === undefined && type !== 'ping') add('A17-type', 'the data has no type')
          else if (frame.event !== undefined && frame.event !== type)
            add(
              READ_EVENTS.test(frame.event) ? 'A17-other' : 'A17-name',
              `${type} under "event: ${frame.event}"`,
            )
          readJson(payload.json, type)
        }
      }
      if (!frame.isEnded && !frame.isLine && !wasStopped && payload.type !== 'nothing')
        add('S1', 'the last frame has no blank line behind it')
      return findings.take()
    },
    end() {
      if (isFailed || isStopped) return []
      if (!isStarted) add('A1', 'there is no message_start')
      add('A16', 'the stream ended without message_stop')
      return findings.take()
    },
  }
}

/** Ends that go with calls and without: the answer was cut short, or goes on elsewhere. */
const EXEMPT = new Set([
  'max_tokens',
  'refusal',
  'pause_turn',
  'model_context_window_exceeded',
  'compaction',
  'stop_sequence',
])

const KNOWN = new Set(Object.values(DELTA_OF).flat())
const isKnown = (type: string): boolean => KNOWN.has(type)
