/**
 * Streams that break one rule each, made from legal ones by one change where that is possible.
 * Neighbours: `broken-streams/` has a file per wire, `test/conformance/lint-rules.test.ts` runs them
 * through the grammars and the official SDKs. Knows SSE text and nothing of ours.
 */
type Json = Readonly<Record<string, unknown>>

/** A frame to be written: an event line if it has one, and its data as JSON or as it stands. */
export interface SseFrame {
  readonly event?: string | undefined
  readonly data?: Json | string | undefined
  /** A line before the others. */
  readonly line?: string
}

export interface BrokenStream {
  /** What was done to a legal stream. */
  readonly what: string
  /** The rule that must be found, and in which frame first. */
  readonly rule: string
  readonly frame: number
  /** Rules that cannot but be broken along with it. */
  readonly also?: readonly string[]
  /** The same answer without the fault. */
  readonly legal: string
  readonly body: string
}

/** `A4@8` as the rule and the frame that it names. */
export function toPlace(where: `${string}@${number}`): { rule: string; frame: number } {
  const [rule = '', frame = ''] = where.split('@')
  return { rule, frame: Number(frame) }
}

export const toSse = (frames: readonly SseFrame[]): string => frames.map(toText).join('')

function toText({ line, event, data }: SseFrame): string {
  const lines = [
    ...(line === undefined ? [] : [line]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined
      ? []
      : [`data: ${typeof data === 'string' ? data : JSON.stringify(data)}`]),
  ]
  return `${lines.join('\n')}\n\n`
}

// The changes. Frames are counted as findings count them: 1 is the first.

/** Without those frames. */
export const drop = (frames: readonly SseFrame[], ...numbers: readonly number[]): SseFrame[] =>
  frames.filter((_, i) => !numbers.includes(i + 1))

/** With more frames before that one; one past the last appends. */
export const insert = (
  frames: readonly SseFrame[],
  before: number,
  ...more: readonly SseFrame[]
): SseFrame[] => frames.toSpliced(before - 1, 0, ...more)

/** With that frame moved to another place. */
export function move(frames: readonly SseFrame[], from: number, to: number): SseFrame[] {
  const frame = frames[from - 1]
  return frame === undefined
    ? [...frames]
    : frames.toSpliced(from - 1, 1).toSpliced(to - 1, 0, frame)
}

/** With another frame in that place. */
export const replace = (
  frames: readonly SseFrame[],
  number: number,
  change: (frame: SseFrame) => SseFrame,
): SseFrame[] => frames.map((frame, i) => (i + 1 === number ? change(frame) : frame))

/** With another value at a path of that frame's data, or without it: `message.usage`, `choices.0.delta`. */
export const set = (
  frames: readonly SseFrame[],
  number: number,
  path: string,
  value: unknown,
): SseFrame[] =>
  replace(frames, number, (frame) => {
    const data = structuredClone(frame.data) as Record<string, unknown>
    const keys = path.split('.')
    const last = keys.pop() ?? ''
    const owner = keys.reduce((at, key) => at[key] as Record<string, unknown>, data)
    if (value === undefined) delete owner[last]
    else owner[last] = value
    return { ...frame, data }
  })

/** The stream with one frame left out, said twice, or said too late: every way to do so. */
export function* mutants(body: string): Generator<{ what: string; body: string }> {
  const frames = body.split(/(?<=\n\n)/)
  for (const [i, frame] of frames.entries()) {
    const next = frames[i + 1]
    yield { what: `without frame ${i + 1}`, body: frames.toSpliced(i, 1).join('') }
    yield { what: `with frame ${i + 1} twice`, body: frames.toSpliced(i, 0, frame).join('') }
    if (next !== undefined)
      yield {
        what: `with frame ${i + 1} behind the next`,
        body: frames.toSpliced(i, 2, next, frame).join(''),
      }
  }
}
