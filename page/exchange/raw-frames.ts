/**
 * The bytes of a stream and when they passed → its frames, each with its time and with what the grammar of its wire says
 * of it. The same decoder and the same rules as in the gateway and in `sluice lint`. Neighbours: `raw-tab.tsx` shows them.
 * In short steps: a hundred thousand frames take seconds, and the page must answer meanwhile.
 */
import type { JsonObject } from '../../src/base/json.ts'
import { createFrameDecoder, type Finding, type Frame, type WireName } from '../../src/index.ts'
import { WIRES } from '../core/wires.ts'
import { createSlices } from '../core/slices.ts'

export interface RawFrame {
  readonly frame: Frame
  /** What it is, in a word or two: the event line, or what its data is about. */
  readonly name: string
  readonly bytes: number
  /** Microseconds since the exchange began: when its last byte passed. */
  readonly time: number | undefined
  /** Microseconds since the frame before. */
  readonly gap: number | undefined
  readonly findings: readonly Finding[]
}

export interface RawFrames {
  readonly frames: readonly RawFrame[]
  /** Names and how often they are there, the most frequent first. */
  readonly names: readonly (readonly [name: string, count: number])[]
  /** Places of frames that have a remark. */
  readonly remarked: readonly number[]
  readonly errors: number
  readonly warnings: number
  /** Of a stream without a frame. */
  readonly others: readonly Finding[]
}

export interface FrameInput {
  readonly wire: WireName
  readonly bytes: Uint8Array
  readonly times: readonly number[]
  readonly signal?: AbortSignal
  /** From 0 to 1. */
  onProgress?(done: number): void
}

/** One step must be short, whatever arrived at once. */
const MAX_PIECE = 32 * 1024
const NONE: readonly Finding[] = []

export async function readFrames(input: FrameInput): Promise<RawFrames> {
  const { wire, bytes, times, signal, onProgress } = input
  const framer = createFrameDecoder({ maxFrameBytes: Number.POSITIVE_INFINITY })
  const grammar = WIRES[wire].createGrammar()
  const breathe = createSlices(signal)
  const frames: RawFrame[] = []
  let before: number | undefined

  function take(made: readonly Frame[], time: number | undefined): void {
    for (const frame of made) {
      const found = grammar.push(frame)
      frames.push({
        frame,
        name: nameOf(frame),
        bytes: frame.raw.length,
        time,
        gap: time === undefined || before === undefined ? undefined : time - before,
        findings: found.length === 0 ? NONE : found,
      })
      before = time
    }
  }

  for (const { from, to, time } of toPieces(bytes.length, times)) {
    take(framer.push(bytes.subarray(from, to)), time)
    const waiting = breathe()
    if (waiting === undefined) continue
    onProgress?.(to / bytes.length)
    await waiting
  }
  take(framer.end(), times.at(-1))
  const last = grammar.end()
  const end = frames.at(-1)
  if (end !== undefined && last.length > 0)
    frames[frames.length - 1] = { ...end, findings: [...end.findings, ...last] }
  return summarise(frames, end === undefined ? last : NONE)
}

/** Arrivals in order, none longer than one step may be; what no time is known of comes last. */
export function* toPieces(
  length: number,
  times: readonly number[],
): Generator<{ readonly from: number; readonly to: number; readonly time: number | undefined }> {
  let from = 0
  let time: number | undefined
  for (let i = 0; i < times.length && from < length; i += 2) {
    const end = Math.min(length, from + (times[i] ?? 0))
    time = times[i + 1]
    while (from < end) {
      const to = Math.min(end, from + MAX_PIECE)
      yield { from, to, time }
      from = to
    }
  }
  while (from < length) {
    const to = Math.min(length, from + MAX_PIECE)
    yield { from, to, time }
    from = to
  }
}

function summarise(frames: readonly RawFrame[], others: readonly Finding[]): RawFrames {
  const counts = new Map<string, number>()
  const remarked: number[] = []
  const findings: Finding[] = [...others]
  for (const [at, { name, findings: found }] of frames.entries()) {
    counts.set(name, (counts.get(name) ?? 0) + 1)
    if (found.length === 0) continue
    remarked.push(at)
    findings.push(...found)
  }
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return {
    frames,
    names: [...counts].toSorted((a, b) => b[1] - a[1]),
    remarked,
    errors,
    warnings: findings.length - errors,
    others,
  }
}

/** Messages and Responses name their frames; of a Chat chunk we say what is new in it. */
export function nameOf({ event, data }: Pick<Frame, 'event' | 'data'>): string {
  if (event !== undefined && event !== '') return event
  if (data === undefined) return 'comment'
  if (data.startsWith('[DONE]')) return '[DONE]'
  const json = parse(data)
  if (json === undefined) return 'no JSON'
  if (typeof json['type'] === 'string') return json['type']
  return chunkName(json)
}

function chunkName(json: JsonObject): string {
  if (json['error'] !== undefined) return 'error'
  const choices = json['choices']
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  if (!isObject(choice)) return isObject(json['usage']) ? 'usage' : 'chunk'
  const delta = isObject(choice['delta']) ? choice['delta'] : {}
  if (delta['tool_calls'] !== undefined) return 'delta tool_calls'
  if (isSaid(delta['reasoning_content']) || isSaid(delta['reasoning'])) return 'delta reasoning'
  if (isSaid(delta['refusal'])) return 'delta refusal'
  if (isSaid(delta['content'])) return 'delta content'
  if (isSaid(choice['finish_reason'])) return `finish ${choice['finish_reason']}`
  return delta['role'] === undefined ? 'chunk' : 'delta role'
}

const isSaid = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parse(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
