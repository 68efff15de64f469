/**
 * What the faulty upstream is asked for → what it says: the same for the same words, so that whoever reads it can tell
 * whether all of it arrived. Neighbours: `faulty-upstream.ts` reads the model's name, `made-answer.ts` makes the events,
 * `faulty-upstream-faults.ts` does something to their bytes.
 */
import { createAssembler } from '../block/assemble.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import { toBytes, type Written } from '../sse/encode.ts'
import type { EncoderOptions } from '../wire/wire.ts'
import { WIRES } from '../wire/wires.ts'
import { isFaultName, type FaultName } from './faulty-upstream-names.ts'
import { createSeeded } from './faulty-upstream-seeded.ts'
import { makeAnswer, type TestCall } from './made-answer.ts'

/** One answer: what it says, and what goes wrong with it. */
export interface FaultyAnswer {
  readonly fault: FaultName
  /** Two answers with the same seed say the same. */
  readonly seed: number
  /** Characters of text, about. */
  readonly size: number
  /** Tool calls behind the text: `look_up` and `run_command` in turn. */
  readonly calls: number
  /** Milliseconds between two frames. */
  readonly pace: number
  /** So many requests for it meet the fault, and those after them get the answer; 0: all meet it. */
  readonly times: number
}

export const PLAIN: FaultyAnswer = {
  fault: 'none',
  seed: 1,
  size: 200,
  calls: 0,
  pace: 0,
  times: 0,
}

/** The name of a model that asks for that answer: `faulty/cut-in-frame?seed=7&size=1000`. */
export function toFaultyModel(answer: Partial<FaultyAnswer>): string {
  const { fault = PLAIN.fault, ...rest } = answer
  const said = Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)])
  return said.length === 0 ? `faulty/${fault}` : `faulty/${fault}?${new URLSearchParams(said)}`
}

/** What such a name asks for, whatever stands before it; `undefined` for every other name. */
export function readFaultyModel(model: string): FaultyAnswer | undefined {
  const [, fault = '', query = ''] = /(?:^|[/:])faulty\/([a-z0-9-]+)(?:\?(\S*))?$/.exec(model) ?? []
  if (!isFaultName(fault)) return undefined
  const said = new URLSearchParams(query)
  const number = (name: 'seed' | 'size' | 'calls' | 'pace' | 'times'): number => {
    const digits = said.get(name) ?? ''
    return /^\d{1,9}$/.test(digits) ? Number(digits) : PLAIN[name]
  }
  return {
    fault,
    seed: number('seed'),
    size: number('size'),
    calls: number('calls'),
    pace: number('pace'),
    times: number('times'),
  }
}

/** What a client must have read once the answer is whole. */
export interface FaultyContent {
  readonly text: string
  readonly calls: readonly {
    readonly name: string
    readonly args: Readonly<Record<string, string>>
  }[]
}

/** A flood is this long at least, in characters. */
const FLOOD = 2_000_000
/** What is longer says such pieces again and again, with a number before each: to make it takes less than to send it. */
const AGAIN = 10_000

/**
 * Words, what has to be escaped, characters of two to four bytes, and what means something outside of a text but
 * nothing in it.
 */
const WORDS = [
  'the/river/and/a/stone/under/an/old/bridge/where/water/waits/for/someone/to/open',
  'Brücke/λόγος/水門/😀/"so"/back\\slash/line\nbreak/\ttab/<b>/\u2028',
  'data: [DONE]/"error":{/event: ping/"finish_reason":"stop"/message_stop/error',
].flatMap((words) => words.split('/'))

const TOOLS = [
  { name: 'look_up', argument: 'query' },
  { name: 'run_command', argument: 'command' },
] as const

export function faultyContent(answer: Partial<FaultyAnswer>): FaultyContent {
  const { fault, seed, size, calls } = { ...PLAIN, ...answer }
  const random = createSeeded(seed)
  const say = (length: number): string => {
    if (length > AGAIN) {
      const again = say(AGAIN)
      const times = Math.ceil(length / AGAIN)
      return Array.from({ length: times }, (_, at) => `${at} ${again}`).join(' ')
    }
    const words: string[] = []
    for (let chars = 0; chars < length; chars += (words.at(-1)?.length ?? 0) + 1)
      words.push(WORDS[Math.floor(random() * WORDS.length)] ?? '')
    return words.join(' ')
  }
  // The last character has several bytes, so that there is always one to be cut.
  const text = `${say(fault === 'flood' ? Math.max(size, FLOOD) : size)} 終`
  return {
    text,
    calls: Array.from({ length: calls }, (_, at) => {
      const { name, argument } = TOOLS[at % 2 === 0 ? 0 : 1]
      return { name, args: { [argument]: say(40) } }
    }),
  }
}

/** How an answer is to be said, as far as the request decides. */
export interface Saying {
  readonly wire: WireName
  readonly isStream: boolean
  readonly model: string
  /** Chat only: whether usage was asked for. */
  readonly includeUsage?: boolean
}

/** The answer in pieces: frame by frame, or as JSON in a few. With `error`, its first half and then that. */
export function writeFaulty(
  answer: FaultyAnswer,
  saying: Saying,
  error?: StreamFault,
): readonly Uint8Array[] {
  const events = toEvents(answer, saying.model)
  if (!saying.isStream) return cutInFour(writeJson(events, saying, answer.seed))
  const half = Math.floor(events.length / 2)
  const said =
    error === undefined ? events : [...events.slice(0, half), { type: 'error', error } as const]
  const encoder = WIRES[saying.wire].createEncoder(encoderOptions(saying, answer.seed))
  const frames: Written[] = []
  for (const event of said) for (const frame of encoder.push(event)) frames.push(frame)
  return frames.map(toBytes)
}

function toEvents(answer: FaultyAnswer, model: string): readonly StreamEvent[] {
  const { text, calls } = faultyContent(answer)
  const pieces = Math.ceil(Math.sqrt(text.length))
  const made = calls.map(({ name, args }): TestCall => ({ name, args }))
  return makeAnswer([text, ...made], { model, number: answer.seed, pieces })
}

function writeJson(events: readonly StreamEvent[], saying: Saying, seed: number): Uint8Array {
  const { state, apply } = createAssembler()
  for (const event of events) apply(event)
  const { body } = WIRES[saying.wire].writeAnswer(state, encoderOptions(saying, seed))
  return toBytes(JSON.stringify(body))
}

/** When all answers were made, in seconds since 1970. */
const CREATED = 1_767_268_800

const encoderOptions = ({ includeUsage = true }: Saying, seed: number): EncoderOptions => ({
  now: () => CREATED,
  createId: () => `faulty${String(seed).padStart(18, '0')}`,
  includeUsage,
})

function cutInFour(bytes: Uint8Array): readonly Uint8Array[] {
  const size = Math.ceil(bytes.length / 4)
  return [0, 1, 2, 3].map((at) => bytes.subarray(at * size, (at + 1) * size))
}
