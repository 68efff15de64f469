/**
 * What a filter left of an answer, then and now. A filter gives no verdicts, so that its work shows only in what was
 * delivered. Neighbours: `backtest.ts` asks where the policies of now have one. Notices of ours are no content.
 */
import { createAssembler } from '../block/assemble.ts'
import type { StreamState } from '../block/state.ts'
import { isNoticeText } from '../event/notice.ts'
import type { Installed, VerdictRecord } from '../policy/policy.ts'
import type { ExchangeSummary } from '../store/query.ts'
import { WIRES } from '../wire/wires.ts'
import { createPastReader, isPastBody, readPastBody } from './backtest-read.ts'
import type { Change } from './compare-verdicts.ts'

export function compareContent(of: {
  readonly row: ExchangeSummary
  readonly came: StreamState
  readonly left: StreamState
  /** As it left then, as bytes or read already; `undefined`: as it came. */
  readonly delivered: Uint8Array | StreamState | undefined
  readonly filters: readonly Installed[]
}): Change | undefined {
  const hasCalls = of.row.upstreamWire === of.row.wire
  const original = wordsOf(of.came, hasCalls)
  const now = wordsOf(of.left, hasCalls)
  const then =
    of.delivered === undefined ? original : wordsOf(toState(of.row, of.delivered), hasCalls)
  if (then === now) return undefined
  const names = of.filters.map(({ policy }) => policy.name).join(', ')
  const toRecord = (delivered: string): VerdictRecord | undefined =>
    delivered === original ? undefined : recordOf(names, cutTo(original, delivered))
  return {
    kind: now === original ? 'no-longer-rewritten' : 'rewritten',
    before: toRecord(then),
    after: toRecord(now) ?? recordOf(names, cutTo(original, now)),
  }
}

/** What is said in an answer, and done where both ends speak alike: thinking is never touched. */
function wordsOf({ blocks }: StreamState, hasCalls: boolean): string {
  let said = ''
  let done = ''
  for (const block of blocks) {
    // Without anything between them: on some wires texts that follow each other are one.
    if ((block.type === 'text' || block.type === 'refusal') && !isNoticeText(block.text))
      said += block.text
    // On its way to another wire free text is wrapped in JSON, and names may change.
    if (block.type === 'tool-call' && hasCalls) done += `\n${block.name} ${block.arguments}`
  }
  return said + done
}

const toState = (row: ExchangeSummary, delivered: Uint8Array | StreamState): StreamState =>
  delivered instanceof Uint8Array ? readDelivered(row, delivered) : delivered

function readDelivered(row: ExchangeSummary, bytes: Uint8Array): StreamState {
  const assembler = createAssembler()
  const taker = {
    push: assembler.apply,
    passes: () => true,
    gathers: () => true,
  }
  const answer = { wire: WIRES[row.wire], stages: [], taker }
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (isPastBody(whole)) readPastBody(whole, answer)
  else {
    const reader = createPastReader(answer)
    reader.read(whole)
    reader.end()
  }
  return assembler.state
}

const AROUND_CHARS = 200

/** Around the first place where they differ: answers are long. */
function cutTo(original: string, delivered: string): readonly [string, string] {
  let at = 0
  while (at < original.length && at < delivered.length && original[at] === delivered[at]) at += 1
  const from = Math.max(0, at - AROUND_CHARS)
  const to = at + AROUND_CHARS
  return [original.slice(from, to), delivered.slice(from, to)]
}

const recordOf = (
  policy: string,
  [original, delivered]: readonly [string, string],
): VerdictRecord => ({
  policy,
  version: undefined,
  type: 'change',
  reason: undefined,
  tags: [],
  details: {},
  by: undefined,
  block: { type: 'text', id: '', index: 0, name: undefined },
  original,
  delivered,
  isShadow: false,
  tookMs: 0,
})
