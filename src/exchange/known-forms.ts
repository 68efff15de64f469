/**
 * What frames of a run look like, as met in the answers before: on some wires they are alike in all answers, so that a
 * form is learnt once. Neighbours: `live.ts` and `replay/backtest-read.ts` ask, `sse/run-form.ts` learns.
 */
import type { WireName } from '../event/event.ts'
import { learnForm, type RunForm } from '../sse/run-form.ts'
import type { Wire } from '../wire/wire.ts'

/** The newest last. */
const KNOWN: Readonly<Record<WireName, RunForm[]>> = {
  'anthropic-messages': [],
  'openai-chat': [],
  'openai-responses': [],
}
const MAX_KNOWN = 8

export function findForm(
  { name, runKeys }: Wire,
  frame: Uint8Array,
  text: string,
): RunForm | undefined {
  const known = KNOWN[name]
  for (const form of known) if (form.says(frame, text)) return form
  const form = learnForm(frame, text, runKeys)
  if (form === undefined) return undefined
  known.push(form)
  if (known.length > MAX_KNOWN) known.shift()
  return form
}

/** The end of a frame, as nearly all servers write it. */
const BLANK = Buffer.from('\n\n')

/** Where the frame that begins there ends; the end of the bytes where that is not plain to see. */
export function frameEnd(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(BLANK, from)
  return at === -1 ? bytes.length : at + BLANK.length
}
