/**
 * One limit on calls: which tools, how many, and what happens to one more. Neighbours: `../limit.ts` asks each of its
 * limits, `hours.ts` reads the clock, `files.ts` says what a call touches.
 */
import type { BlockOf } from '../../event/block.ts'
import type { PolicyContext } from '../../policy/policy.ts'
import { ask, deny, halt, pass, type Verdict } from '../../policy/verdict.ts'
import { toToolFilter, type ToolFilter } from '../tool-globs.ts'
import { filesOf } from './files.ts'
import { toHours, type HoursOptions } from './hours.ts'

export interface CallLimit {
  /** Names of tools, `*` stands for any characters. Default: all together. */
  readonly tools?: readonly string[]
  readonly perAnswer?: number
  readonly perConversation?: number
  readonly perMinute?: number
  /** Different files that may be read, written or deleted in one conversation. */
  readonly files?: number
  /** Different files that may be written or deleted in one conversation. */
  readonly filesWritten?: number
  /** When calls are allowed at all. */
  readonly hours?: HoursOptions
  /** What happens to a call that is too many. Default deny. */
  readonly action?: 'deny' | 'ask' | 'halt'
  /** In the place of our own sentence. */
  readonly reason?: string
}

export interface CallCounts {
  calls: number
  /** When the calls of the last minute were. */
  recent: number[]
  readonly touched: Set<string>
  readonly written: Set<string>
}

/** Never more than the limits allow, and what one call touches. */
export const createCallCounts = (): CallCounts => ({
  calls: 0,
  recent: [],
  touched: new Set(),
  written: new Set(),
})

interface Counted {
  readonly counts: CallCounts
  /** How many calls the request shows. */
  readonly history: number
}

export interface PreparedLimit {
  readonly takes: ToolFilter
  judge(
    block: BlockOf<'tool-call'>,
    ctx: PolicyContext,
    counted: Counted & { readonly passed: number },
  ): Verdict
  /** The call goes on: it counts. */
  count(block: BlockOf<'tool-call'>, ctx: PolicyContext, counted: Counted): void
}

const MINUTE = 60_000

/** What is too much, in words. */
interface Over {
  readonly what: string
  readonly instead: string
  readonly limit: string
}

export function prepareCallLimit(options: CallLimit): PreparedLimit {
  const { perMinute } = options
  const hours = options.hours === undefined ? undefined : toHours(options.hours)
  const hasFiles = options.files !== undefined || options.filesWritten !== undefined
  const which = options.tools === undefined ? 'tools' : options.tools.join(', ')
  return {
    takes: toToolFilter(options.tools),
    judge(block, ctx, { counts, history, passed }) {
      const now = ctx.now()
      const over =
        (hours === undefined || hours.isOpen(now) ? undefined : toClosed(hours.says)) ??
        isTooMany(options, { passed, calls: Math.max(counts.calls, history), which }) ??
        isTooFast(perMinute, counts, now) ??
        (hasFiles ? hasTooManyFiles(options, counts, filesOf(block, ctx)) : undefined)
      return over === undefined ? pass() : toVerdict(options, over)
    },
    count(block, ctx, { counts, history }) {
      counts.calls = Math.max(counts.calls, history) + 1
      if (perMinute !== undefined) counts.recent.push(ctx.now())
      if (!hasFiles) return
      const files = filesOf(block, ctx)
      if (options.files !== undefined) for (const file of files.touched) counts.touched.add(file)
      if (options.filesWritten !== undefined)
        for (const file of files.written) counts.written.add(file)
    },
  }
}

const toClosed = (says: string): Over => ({
  what: `Calls of this tool are allowed ${says} only`,
  instead: 'Tell the user, and go on without it.',
  limit: 'hours',
})

function isTooMany(
  { perAnswer = Infinity, perConversation = Infinity }: CallLimit,
  at: { readonly passed: number; readonly calls: number; readonly which: string },
): Over | undefined {
  if (at.passed >= perAnswer)
    return {
      what: `One answer may have ${perAnswer} calls of ${at.which}, and this is one more`,
      instead: 'Wait for the results of the others, then call again.',
      limit: 'per-answer',
    }
  if (at.calls < perConversation) return undefined
  return {
    what: `One conversation may have ${perConversation} calls of ${at.which}, and this is one more`,
    instead: 'Finish with what is known, and tell the user what is left to do.',
    limit: 'per-conversation',
  }
}

function isTooFast(max: number | undefined, counts: CallCounts, now: number): Over | undefined {
  if (max === undefined) return undefined
  if (counts.recent.some((at) => now - at >= MINUTE))
    counts.recent = counts.recent.filter((at) => now - at < MINUTE)
  if (counts.recent.length < max) return undefined
  const wait = Math.ceil((MINUTE - (now - (counts.recent[0] ?? now))) / 1000)
  return {
    what: `${max} calls a minute are allowed, and this is one more`,
    instead: `Try again in ${wait} s.`,
    limit: 'per-minute',
  }
}

function hasTooManyFiles(
  { files: max = Infinity, filesWritten: maxWritten = Infinity }: CallLimit,
  counts: CallCounts,
  { touched, written }: ReturnType<typeof filesOf>,
): Over | undefined {
  const isWritten = added(counts.written, written) > maxWritten
  if (!isWritten && added(counts.touched, touched) <= max) return undefined
  return {
    what: `One conversation may ${isWritten ? 'change' : 'touch'} ${isWritten ? maxWritten : max} files, and this would be more`,
    instead: 'Keep to the files that were touched before, or tell the user what is left to do.',
    limit: isWritten ? 'files-written' : 'files',
  }
}

/** How many there would be; those that were there before do not count again, so one that adds none is never over. */
function added(before: ReadonlySet<string>, more: readonly string[]): number {
  const fresh = new Set(more.filter((one) => !before.has(one))).size
  return fresh === 0 ? 0 : before.size + fresh
}

function toVerdict({ action = 'deny', reason }: CallLimit, over: Over): Verdict {
  const details = { limit: over.limit }
  const what = reason ?? over.what
  switch (action) {
    case 'deny':
      return deny(what, { details, instead: over.instead })
    case 'ask':
      return ask(`${what}. Let it pass?`, { details, reason: what })
    case 'halt':
      return halt(what, { details })
  }
}
