/**
 * What an answer that nobody touches says of itself: its finish, usage and errors, without parsing what
 * streams by. Each wire has a few marks; only frames that carry one are decoded, by the wire's own
 * decoder. Neighbours: `relay.ts` forwards the bytes and asks here what they were. Knows no policy.
 */
import { parseObject } from '../base/json.ts'
import type { Stage } from '../base/stage.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import { laterReason, type FinishReason } from '../event/finish.ts'
import { mergeUsage, type Usage } from '../event/usage.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { createFrame, type Frame } from '../sse/frame.ts'
import type { Written } from '../sse/encode.ts'
import type { Decoder, Encoder, Wire } from '../wire/wire.ts'

export interface Watch {
  /** Looks these bytes over, and reads only frames that matter. They end where a frame ends. */
  scan(bytes: Buffer): void
  /** The same for the beginning, until `hasContent`; `isBrief`: nothing behind the first content is wanted. */
  peek(bytes: Buffer, isBrief: boolean): void
  /** The input is over; what was left of a frame that never ended, if any. True when it was finished. */
  end(rest: Uint8Array | undefined): boolean
  /** Whether that holds the first content, of an answer that left before it. */
  isContent(bytes: Buffer): boolean
  /** Somebody else reads it from here on: what it knows is all that it will know. */
  release(): void
  /** Says an error in the wire's own form, behind what has left. */
  fail(fault: StreamFault): readonly Written[]
  keepalive(asEvent: boolean): readonly Written[]
  /** Whether something came that a client would show: before, an error can still be an HTTP status. */
  readonly hasContent: boolean
  readonly id: string | undefined
  readonly model: string | undefined
  readonly usage: Usage | undefined
  readonly finishReason: FinishReason | undefined
  /** The error that the upstream said, or that its end was too early. */
  readonly fault: StreamFault | undefined
  /** Whether it has come to its end: what breaks after that breaks nothing. */
  readonly isStopped: boolean
  /** Whether the upstream said its error itself, so that the client has heard it. */
  readonly hasSaidError: boolean
}

/**
 * Marks of frames that matter. Quotes inside a JSON text are escaped, so content can look like one only where it is a
 * whole text: a word counts as the type of a frame, or as a name, and not as any value. What stands around it is looked
 * at where the word was found. One expression each: a single pass is faster than several searches (measured,
 * `bench/gateway`).
 */
const MARKS: Readonly<Record<WireName, RegExp>> = {
  'anthropic-messages': /"(?:message_\w+|error)"(?:(?<="type" *: *"\w+")|(?= *:))/,
  // Servers put null into every chunk. Some write an error as a line of its own.
  'openai-chat': /"(?:(?:finish_reason|usage)" *: *[^n ]|error")|\[DONE\]|^error:/m,
  // Where the terminal event leaves the items out, only theirs tell whether calls were made.
  'openai-responses':
    /"(?:response\.(?:created|completed|incomplete|failed|output_item\.done)|error)"(?:(?<="type" *: *"[\w.]+")|(?= *:))/,
}

/** The first thing that a client would show. What stands before it is an announcement, or an error. */
const CONTENT: Readonly<Record<WireName, RegExp>> = {
  'anthropic-messages': /"(?:content_block_|message_(?:delta|stop)")/,
  'openai-chat':
    /"(?:content|refusal|text|reasoning\w*|thinking)" *: *"[^"]|"(?:tool_calls|function_call|reasoning_details|content|audio)" *: *[[{] *[^\]} ]|"finish_reason" *: *"|\[DONE\]/,
  'openai-responses': /"response\.(?!created"|queued"|in_progress")/,
}

/** The same, to go from one to the next. */
const FINDERS: Readonly<Record<WireName, RegExp>> = {
  'anthropic-messages': new RegExp(MARKS['anthropic-messages'], 'g'),
  'openai-chat': new RegExp(MARKS['openai-chat'], 'gm'),
  'openai-responses': new RegExp(MARKS['openai-responses'], 'g'),
}

/** What ends a frame of every server that we know. */
const BLANK = '\n\n'

export const createWatch = (wire: Wire): Watch => new Look(wire)

/** A class, and not functions around what they share: every stream has one, for as long as it takes. */
class Look implements Watch {
  hasContent = false
  id: string | undefined
  model: string | undefined
  usage: Usage | undefined
  finishReason: FinishReason | undefined
  fault: StreamFault | undefined
  isStopped = false
  hasSaidError = false
  private readonly wire: Wire
  private reading: Reading | undefined
  private hasBegun = false
  /**
   * The frame that the answer began with, for an encoder that must go on from there. Few answers need one, and all of them keep it:
   * so it is a text, and not the event that was read from it, and holds nothing of the buffer that it came in.
   */
  private begun: Frame | undefined
  private encoder: Encoder | undefined
  /** What was looked at last, on the wire that numbers its events. */
  private last: Buffer | undefined
  private faultAt = 0

  constructor(wire: Wire) {
    this.wire = wire
  }

  peek(bytes: Buffer, isBrief: boolean): void {
    const text = bytes.toString('latin1')
    const at = text.search(CONTENT[this.wire.name])
    if (!this.hasBegun) this.readFirst(bytes, text)
    // The frame that has it may say an error too.
    const behind = isBrief && at !== -1 ? text.indexOf(BLANK, at) : -1
    if (behind === -1) this.scanText(bytes, text)
    else this.scan(bytes.subarray(0, behind + BLANK.length))
    // What is behind an error does not count any more.
    if (at !== -1 && (this.fault === undefined || at < this.faultAt)) this.hasContent = true
  }

  scan(bytes: Buffer): void {
    this.scanText(bytes, bytes.toString('latin1'))
  }

  isContent(bytes: Buffer): boolean {
    return CONTENT[this.wire.name].test(bytes.toString('latin1'))
  }

  end(rest: Uint8Array | undefined): boolean {
    const { framer, decoder } = this.read()
    const left = [...(rest === undefined ? [] : framer.push(rest)), ...framer.end()]
    this.readFrames(left)
    const hasSaid = this.hasSaidError
    // A frame that was cut off, behind a finish: what it was to say is lost, and no client can read it.
    if (left.some(isTorn)) this.fault ??= TORN
    if (!this.isStopped) for (const event of decoder.end()) this.note(event)
    this.hasSaidError = hasSaid
    return this.fault === undefined && this.isStopped
  }

  release(): void {
    this.reading = undefined
    this.begun = undefined
  }

  fail(error: StreamFault): readonly Written[] {
    return this.encoderNow().push({ type: 'error', error })
  }

  keepalive(asEvent: boolean): readonly Written[] {
    return this.encoderNow().keepalive(asEvent)
  }

  private read(): Reading {
    return (this.reading ??= {
      framer: createFrameDecoder(),
      decoder: this.wire.createDecoder({ isBrief: true }),
    })
  }

  private note(event: StreamEvent): void {
    switch (event.type) {
      case 'message-start':
        this.keepFirst(event)
        this.id ??= event.id
        this.model ??= event.model
        this.usage = mergeUsage(this.usage, event.usage)
        return
      case 'usage':
        this.usage = mergeUsage(this.usage, event.usage)
        return
      case 'finish':
        if ((event.choice ?? 0) === 0)
          this.finishReason = laterReason(this.finishReason, event.reason)
        this.hasContent = true
        return
      case 'error':
        this.fault ??= event.error
        this.hasSaidError = true
        return
      case 'message-stop':
        this.isStopped = true
        this.hasContent = true
        return
      case 'block-start':
      case 'block-delta':
      case 'block-stop':
        this.hasContent = true
        return
      case 'ping':
      case 'other':
    }
  }

  private readFrames(frames: readonly Frame[]): void {
    const { decoder } = this.read()
    const marks = MARKS[this.wire.name]
    for (const frame of frames) {
      if (frame.stray !== undefined || marks.test(frame.data ?? ''))
        for (const event of decoder.push(frame)) this.note(event)
    }
  }

  /** Cuts out the frames around marks, and no others: a fast upstream sends a hundred at once. */
  private scanText(bytes: Buffer, text: string): void {
    if (this.wire.name === 'openai-responses') this.last = bytes
    const finder = FINDERS[this.wire.name]
    let end = 0
    finder.lastIndex = 0
    for (let mark = finder.exec(text); mark !== null; mark = finder.exec(text)) {
      const before = text.lastIndexOf(BLANK, mark.index)
      const from = before === -1 ? 0 : before + BLANK.length
      const behind = text.indexOf(BLANK, mark.index)
      const start = Math.max(from, end)
      // With other line ends than these it is all of it.
      end = behind === -1 ? text.length : behind + BLANK.length
      const isFirst = this.fault === undefined
      this.readFrames(this.read().framer.push(bytes.subarray(start, end)))
      if (isFirst && this.fault !== undefined) this.faultAt = start
      finder.lastIndex = end
    }
  }

  /** The first frame says whose answer it is, on every wire; scanning reads it where it has a mark. */
  private readFirst(bytes: Buffer, text: string): void {
    const behind = text.indexOf(BLANK)
    const end = behind === -1 ? text.length : behind + BLANK.length
    if (MARKS[this.wire.name].test(text.slice(0, end))) return
    const { framer, decoder } = this.read()
    for (const frame of framer.push(bytes.subarray(0, end)))
      for (const event of decoder.push(frame)) this.note(event)
  }

  /** Its books tell it how to go on from here; the bytes themselves have left as they were. */
  private encoderNow(): Encoder {
    if (this.encoder !== undefined) return this.encoder
    this.encoder = this.wire.createEncoder({ lastSequence: () => readSequence(this.last) })
    if (this.begun !== undefined)
      for (const event of this.wire.createDecoder({ isBrief: true }).push(this.begun))
        if (event.type === 'message-start') this.encoder.push(event)
    return this.encoder
  }

  private keepFirst({ step }: StreamEvent): void {
    if (this.hasBegun) return
    this.hasBegun = true
    if (step !== undefined) this.begun = createFrame(step.frame.event, step.frame.data)
  }
}

/** What reads the frames that matter. */
interface Reading {
  readonly framer: Stage<Uint8Array, Frame>
  readonly decoder: Decoder
}

const TORN: StreamFault = {
  kind: 'cut',
  message: 'The upstream ended in the middle of a frame',
}

const isTorn = ({ data = '' }: Frame): boolean =>
  data.startsWith('{') && parseObject(data) === undefined

/** The last sequence number in bytes that left. */
function readSequence(bytes: Buffer | undefined): number | undefined {
  if (bytes === undefined) return undefined
  const text = bytes.toString('latin1')
  const at = text.lastIndexOf('"sequence_number":')
  const digits = at === -1 ? undefined : /^\s*(\d{1,15})/.exec(text.slice(at + 18, at + 40))?.[1]
  return digits === undefined ? undefined : Number(digits)
}
