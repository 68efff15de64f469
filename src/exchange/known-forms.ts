/**
 * What frames of a run look like, as met in the answers before: they are alike in all answers of a vendor, so that a
 * form is learnt once. Neighbours: `read-frames.ts` and `replay/backtest-read.ts` ask, `sse/run-form.ts` learns.
 */
import { parseObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { learnForm, type RunForm } from '../sse/run-form.ts'
import type { Wire } from '../wire/wire.ts'

/** The newest last. */
const KNOWN: Readonly<Record<WireName, RunForm[]>> = {
  'anthropic-messages': [],
  'openai-chat': [],
  'openai-responses': [],
}
/** A text, a thought and arguments at each of the first places, in all dialects that are met. */
const MAX_KNOWN = 48

export function findForm(
  { name, runKeys, readPiece }: Wire,
  frame: Uint8Array,
  text: string,
): RunForm | undefined {
  const known = KNOWN[name]
  for (const form of known) if (form.says(frame, text)) return form
  const form = learnForm(frame, text, runKeys)
  if (form === undefined || !saysItsPiece(form, readPiece)) return undefined
  known.push(form)
  if (known.length > MAX_KNOWN) known.shift()
  return form
}

const PROBE = 'probe'
const PROBE_BYTES = Buffer.from(PROBE)

/**
 * Whether what varies is what a reader of such a frame takes for its one piece. Names are looked for in the bytes, and the same name
 * may stand elsewhere too, in a member or a comment that nobody reads, while the piece itself is written in another way.
 */
function saysItsPiece(form: RunForm, readPiece: Wire['readPiece']): boolean {
  const [frame, ...others] = createFrameDecoder().push(form.write(PROBE_BYTES))
  const json = others.length > 0 ? undefined : parseObject(frame?.data ?? '')
  return json !== undefined && readPiece(json) === PROBE
}

const LF = 10

/** The most that is looked over byte by byte. */
const NEAR = 512
const BLANK_LINE = Buffer.from('\n\n')

/**
 * Where the frame that begins there ends, as nearly all servers write it; the end of the bytes where that is not plain to see.
 * A loop, and only then `indexOf`: most frames are short, and the call costs more than looking.
 */
export function frameEnd(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + NEAR)
  for (let at = from + 1; at < near; at++)
    if (bytes[at] === LF && bytes[at - 1] === LF) return at + 1
  const found = near < bytes.length ? bytes.indexOf(BLANK_LINE, near - 1) : -1
  return found === -1 ? bytes.length : found + BLANK_LINE.length
}
