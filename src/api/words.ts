/**
 * Values that types know and machines must be told: each list is held to its type by the compiler. Neighbours:
 * `filters.ts` and `schemas.ts`.
 */
import type { BlockType } from '../event/block.ts'
import type { WireName } from '../event/event.ts'
import type { FinishReason } from '../event/finish.ts'
import type { VerdictRecord } from '../policy/policy.ts'
import type { StatsQuery } from '../store/query.ts'
import type { Outcome, RecordMode } from '../store/record.ts'

/** All members of a union: one that is missing does not compile. */
export const all = <Word extends string>(words: Readonly<Record<Word, true>>): readonly Word[] =>
  Object.keys(words) as Word[]

export const WIRE_NAMES = all<WireName>({
  'anthropic-messages': true,
  'openai-chat': true,
  'openai-responses': true,
})

export const OUTCOMES = all<Outcome>({
  done: true,
  refused: true,
  'upstream-error': true,
  broken: true,
  'client-left': true,
})

export const RECORD_MODES = all<RecordMode>({ bytes: true, redacted: true, metadata: true })

export const STATS_BY = all<NonNullable<StatsQuery['by']>>({
  model: true,
  route: true,
  key: true,
  upstream: true,
  client: true,
})

export const VERDICT_TYPES = all<VerdictRecord['type']>({
  pass: true,
  deny: true,
  replace: true,
  rewrite: true,
  ask: true,
  halt: true,
  change: true,
  error: true,
})

export const BLOCK_TYPES = all<BlockType>({
  text: true,
  refusal: true,
  thinking: true,
  'tool-call': true,
  'server-tool': true,
  'tool-result': true,
  opaque: true,
})

export const FINISH_REASONS = all<FinishReason>({
  stop: true,
  'stop-sequence': true,
  'tool-calls': true,
  length: true,
  'context-full': true,
  refusal: true,
  'content-filter': true,
  pause: true,
  compaction: true,
  other: true,
})
