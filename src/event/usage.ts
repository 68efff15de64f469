/**
 * What an answer cost, in buckets that do not overlap: each token of the input is in exactly one of
 * the first three. The wires count differently (Anthropic's `input_tokens` leaves the cache out,
 * OpenAI's has it in), and converting at the edge is what keeps the cache from being paid for twice.
 */
export interface Usage {
  /** Input that was neither read from nor written to a cache. */
  readonly inputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  /** All output, thinking included. */
  readonly outputTokens?: number
  /** How many of the output tokens were thinking. */
  readonly reasoningTokens?: number
}

/** The later word wins, field by field; what it leaves out stays. */
export function mergeUsage(before: Usage | undefined, after: Usage | undefined): Usage | undefined {
  if (before === undefined) return after
  return after === undefined ? before : { ...before, ...after }
}

const FIELDS = [
  'inputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
] as const

/** A usage without the fields that nobody gave. */
export function toUsage(fields: { [Field in keyof Usage]: Usage[Field] | undefined }):
  | Usage
  | undefined {
  let usage: { -readonly [Field in keyof Usage]: Usage[Field] } | undefined
  for (const field of FIELDS) {
    const count = fields[field]
    if (count === undefined) continue
    usage ??= {}
    usage[field] = count
  }
  return usage
}

/** All input: what OpenAI calls `prompt_tokens` or `input_tokens`. */
export const totalInput = (usage: Usage): number =>
  (usage.inputTokens ?? 0) + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0)
