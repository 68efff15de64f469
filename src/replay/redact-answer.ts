/**
 * A recorded answer → the same with secrets masked: a legal stream of its wire, also where a secret was spread over many
 * frames. Neighbours: `redact-record.ts` calls it, the stock policy `redact` has the filter. Every frame is written anew
 * from its events, so that nothing passes that nobody has read; times are those of the arrivals.
 */
import { countStrings, stringifyExact } from '../base/json-exact.ts'
import { parseObject, type JsonObject } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { toBytes, writeData, writeEvent, type Written } from '../sse/encode.ts'
import type { Frame } from '../sse/frame.ts'
import { AnswerFilter } from '../stock/redact/answer.ts'
import type { Body } from '../store/record.ts'
import { WIRES } from '../wire/wires.ts'
import { isJsonBody, parseBody, toText } from './body-form.ts'
import { maskJson, maskText, startMasking } from './redact-json.ts'

/** `undefined`: it cannot be read, and so not be kept. */
export function redactAnswer(wire: WireName, body: Body): Body | undefined {
  if (body.bytes.length === 0) return body
  return isJsonBody(body.bytes) ? redactJsonBody(body) : redactStream(wire, body)
}

/** Any JSON: a request, an answer, an error. The same bytes where nothing was found. */
export function redactJsonBody(body: Body): Body | undefined {
  const json = parseBody(body.bytes)
  if (typeof json !== 'object' || json === null) return undefined
  const masked = maskJson(json, { search: startMasking() })
  const text = stringifyExact(masked)
  if (masked === json && isAllRead(body.bytes, text)) return body
  const bytes = Buffer.from(text)
  return { bytes, times: [bytes.length, body.times.at(-1) ?? 0] }
}

/** Of a name that stands there twice only the last was read. `text`: what was read. */
function isAllRead(bytes: Uint8Array, text: string): boolean {
  const given = toText(bytes)
  return given === text || countStrings(given) === countStrings(text)
}

function redactStream(wire: WireName, { bytes, times }: Body): Body | undefined {
  const stream = createRedactedStream(wire)
  const out: Uint8Array[] = []
  const at: number[] = []
  const keep = (written: readonly Uint8Array[], time: number): void => {
    const length = written.reduce((sum, one) => sum + one.length, 0)
    if (length === 0) return
    out.push(...written)
    at.push(length, time)
  }
  try {
    for (const [chunk, time] of arrivals(bytes, times)) keep(stream.push(chunk), time)
    keep(stream.end(), times.at(-1) ?? 0)
  } catch (error) {
    if (error instanceof SluiceError) return undefined
    throw error
  }
  return stream.isWhole() ? { bytes: Buffer.concat(out), times: at } : undefined
}

/** The bytes as they came. What no time tells of came with the last. */
export function* arrivals(
  bytes: Uint8Array,
  times: readonly number[],
): Generator<readonly [Uint8Array, number]> {
  let from = 0
  for (let i = 0; i + 1 < times.length && from < bytes.length; i += 2) {
    const to = Math.min(bytes.length, from + (times[i] ?? 0))
    if (to > from) yield [bytes.subarray(from, to), times[i + 1] ?? 0]
    from = to
  }
  if (from < bytes.length) yield [bytes.subarray(from), times.at(-1) ?? 0]
}

function createRedactedStream(wire: WireName) {
  const framer = createFrameDecoder({ maxFrameBytes: Number.POSITIVE_INFINITY })
  const decoder = WIRES[wire].createDecoder()
  const encoder = WIRES[wire].createEncoder({ customTools: true })
  const search = startMasking()
  const maskFrame = createFrameMask(wire, search)
  let out: Written[] = []
  let hasEvents = false
  let isBroken = false
  let isOver = false

  const write = (event: StreamEvent): void => {
    out.push(...encoder.push(event))
  }
  const filter = new AnswerFilter(search, write, true)

  /** Without its step no frame passes as it came; frames that say nothing in our tongue are left out. */
  function pass({ step: _step, ...event }: StreamEvent): void {
    if (isOver || event.type === 'other') return
    hasEvents ||= event.type !== 'ping'
    const isHeld = filter.push(event) === 'hold'
    const isOfBlock =
      event.type === 'block-start' || event.type === 'block-delta' || event.type === 'block-stop'
    if (!isHeld && !isOfBlock) write(event)
    // What stands behind the end was not read.
    isOver = event.type === 'message-stop' || event.type === 'error'
  }

  function read(frames: readonly Frame[]): void {
    for (const frame of frames) {
      if (isReadable(frame)) for (const event of decoder.push(frame)) pass(event)
      // The last may be cut in the middle: it is left out, and the rest is kept.
      else isBroken ||= frame.isEnded
    }
  }

  function take(): readonly Uint8Array[] {
    const frames = out.map((written) => toBytes(maskFrame(written)))
    out = []
    return frames
  }

  return {
    push(chunk: Uint8Array) {
      read(framer.push(chunk))
      return take()
    },
    end() {
      read(framer.end())
      // One that broke off stays broken off: no error is added that nobody said.
      for (const event of decoder.end())
        if (event.type === 'error') filter.push(event)
        else pass(event)
      return take()
    },
    isWhole: () => hasEvents && !isBroken,
  }
}

/** Whether a frame holds nothing that is no JSON. */
const isReadable = ({ data }: Frame): boolean =>
  data === undefined || data === '' || data === '[DONE]' || parseObject(data) !== undefined

/** What vendors put beside the texts that the filter has seen: what a request said is repeated here and there. */
function createFrameMask(
  wire: WireName,
  search: ReturnType<typeof startMasking>,
): (written: Written) => Written {
  /** What stood before the last piece, in which there was nothing to hide: it is the same before the next. */
  let clean: string | undefined

  function isOnlyPiece(written: Written): boolean {
    const found = typeof written === 'string' ? ONLY_PIECE[wire].exec(written) : null
    if (found === null) return false
    const [, before] = found
    if (before === clean || before === undefined) return true
    if (maskText(before, search) !== before) return false
    clean = before
    return true
  }

  return (written) => {
    if (isOnlyPiece(written)) return written
    const framer = createFrameDecoder({ maxFrameBytes: Number.POSITIVE_INFINITY })
    const [frame] = framer.push(toBytes(written))
    const json = frame?.data === undefined ? undefined : parseObject(frame.data)
    if (frame === undefined || json === undefined) return written
    const bare = maskJson(json, { search, isDone: PIECES[wire] })
    if (bare === json) return written
    const data = stringifyExact(bare)
    return frame.event === undefined ? writeData(data) : writeEvent(frame.event, data)
  }
}

/** Frames of our encoders that hold a piece, and before it what is in brackets here: nearly all of them. */
const ONLY_PIECE: Readonly<Record<WireName, RegExp>> = {
  'anthropic-messages':
    /^event: content_block_delta\ndata: \{"type":"content_block_delta","index":\d+,"delta":\{"type":"(?:text|thinking|input_json)_delta"/,
  'openai-chat':
    /^data: ([^[]{0,500}),"choices":\[\{"index":\d+,"delta":\{"(?:content|reasoning_content|refusal)":/,
  'openai-responses':
    /^event: response\.(?:output_text|refusal|reasoning_summary_text|reasoning_text|function_call_arguments|custom_tool_call_input)\.delta\n/,
}

/** Pieces of text, which mean nothing alone: the filter has seen them all, in one. */
const PIECES: Readonly<Record<WireName, (parent: JsonObject, key: string) => boolean>> = {
  'anthropic-messages': ({ type }, key) =>
    (type === 'text_delta' && key === 'text') ||
    (type === 'thinking_delta' && key === 'thinking') ||
    (type === 'input_json_delta' && key === 'partial_json'),
  'openai-chat': (parent, key) =>
    CHAT_PIECES.has(key) && typeof parent[key] === 'string' && parent['type'] === undefined,
  'openai-responses': ({ type }, key) =>
    key === 'delta' && typeof type === 'string' && type.endsWith('.delta'),
}

const CHAT_PIECES = new Set([
  'content',
  'refusal',
  'reasoning',
  'reasoning_content',
  'arguments',
  'input',
])
