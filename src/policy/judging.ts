/**
 * One block before one policy: asked, timed, and answered once, by a verdict that can be carried out. Neighbours:
 * `gate.ts` and `tap.ts` ask. What throws, takes too long or says nonsense denies, unless its config says otherwise.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { BlockOf } from '../event/block.ts'
import type { Context } from './context.ts'
import type { PolicyHost } from './host.ts'
import type { Decision, HeldType, Installed, VerdictRecord } from './policy.ts'
import { deny, pass, type Verdict } from './verdict.ts'

/** A verdict that needs nobody any more: asking is over. */
export type Settled = Exclude<Verdict, { type: 'ask' }>

export interface Judged {
  readonly verdict: Settled
  readonly by: string | undefined
  /** Whether the policy failed, and this is what its config says of that. */
  readonly isError: boolean
  readonly tookMs: number
}

export interface Judging {
  /** Calls back once, perhaps before this returns. */
  judge(block: BlockOf<HeldType>, done: (judged: Judged) => void): () => void
}

export function createJudging(installed: Installed, host: PolicyHost, context: Context): Judging {
  const { policy, onError, timeoutMs } = installed

  function failed(why: string): Settled {
    const words = `Policy "${policy.name}" could not decide: ${why}`
    return onError === 'pass' ? pass({ reason: words }) : deny(words)
  }

  return {
    judge(block, done) {
      const startedAt = host.tick()
      const own = context.child()
      let isOver = false
      let timer: ReturnType<typeof setTimeout> | undefined

      function settle(verdict: Settled, by?: string, isError = false): void {
        if (isOver) return
        isOver = true
        if (timer !== undefined) clearTimeout(timer)
        own.leave()
        done({ verdict, by, isError, tookMs: host.tick() - startedAt })
      }

      function take(verdict: unknown): void {
        if (isOver) return
        if (!isVerdict(verdict)) return settle(failed('it gave no verdict'), undefined, true)
        if (verdict.type !== 'ask') return settle(verdict)
        // A person takes longer than a policy, and has a deadline of their own.
        if (timer !== undefined) clearTimeout(timer)
        if (installed.isShadow)
          return settle(pass({ reason: 'It would have been asked', tags: ['ask'] }))
        askPerson(verdict)
      }

      function askPerson(verdict: Extract<Verdict, { type: 'ask' }>): void {
        const { exchangeId, client, request } = host
        host
          .ask({
            exchangeId,
            client,
            request,
            policy: policy.name,
            question: verdict.question,
            reason: verdict.reason,
            block,
            signal: own.signal,
          })
          .then(
            (decision) => settle(toVerdict(decision, verdict), decision.by),
            () => settle(deny('Nobody could be asked for permission.'), undefined, true),
          )
      }

      try {
        const given = policy.judge?.(block, own) ?? pass()
        if (!(given instanceof Promise)) take(given)
        else {
          timer = setTimeout(() => {
            host.log(policy).warn('A policy took too long', { policy: policy.name, timeoutMs })
            settle(failed('it took too long'), undefined, true)
          }, timeoutMs)
          given.then(take, fail)
        }
      } catch (error) {
        fail(error)
      }

      function fail(error: unknown): void {
        if (isOver) return
        host.log(policy).warn('A policy failed', { policy: policy.name, error: nameOf(error) })
        settle(failed(wordsOf(error)), undefined, true)
      }

      return () => {
        if (isOver) return
        isOver = true
        if (timer !== undefined) clearTimeout(timer)
        own.leave()
      }
    },
  }
}

/** What our own errors say is written for people, unless they pass on the words of somebody else. */
const wordsOf = (error: unknown): string =>
  error instanceof SluiceError && error.cause === undefined ? error.message : 'it failed'

/** Where it was thrown, and no words of it: they may have content in them. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const [, place] = /\n\s+at .*?\(?([^\s()]+:\d+:\d+)\)?/.exec(error.stack ?? '') ?? []
  return place === undefined ? error.name : `${error.name} at ${place}`
}

function toVerdict(decision: Decision, asked: Extract<Verdict, { type: 'ask' }>): Settled {
  const { ticket } = decision
  const details = { ...asked.details, ticket }
  const remarks = { ...(asked.tags === undefined ? {} : { tags: asked.tags }), details }
  const why = decision.reason === undefined ? '' : ` ${decision.reason}`
  switch (decision.type) {
    case 'pass':
      return pass(remarks)
    case 'edit':
      return { ...remarks, type: 'rewrite', args: decision.args }
    case 'deny':
      return deny(`A person denied it (ticket ${ticket}).${why}`, remarks)
    case 'expired':
      return deny(`Not executed, ticket ${ticket}: nobody decided in time.${why}`, remarks)
  }
}

const TYPES: ReadonlySet<unknown> = new Set([
  'pass',
  'deny',
  'replace',
  'rewrite',
  'ask',
  'halt',
] satisfies Verdict['type'][])

/** A policy is anybody's code: what it gives back is looked at. */
function isVerdict(value: unknown): value is Verdict {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  const given = value as Partial<Record<string, unknown>>
  switch (given['type']) {
    case 'deny':
    case 'halt':
      return typeof given['reason'] === 'string'
    case 'ask':
      return typeof given['question'] === 'string'
    case 'replace':
      return Array.isArray(given['blocks'])
    case 'rewrite':
      return typeof given['args'] === 'string' || isRecord(given['args'])
    default:
      return TYPES.has(given['type'])
  }
}

const isRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is kept of it. */
export function toRecord(
  { policy, isShadow }: Installed,
  judged: Judged,
  about: {
    readonly block: BlockOf<HeldType>
    readonly delivered: string | undefined
  },
): VerdictRecord {
  const { verdict, by, isError, tookMs } = judged
  const { block } = about
  return {
    policy: policy.name,
    version: policy.version,
    type: isError ? 'error' : verdict.type,
    reason: verdict.reason,
    tags: verdict.tags ?? [],
    details: verdict.details ?? {},
    by,
    block: {
      type: block.type,
      id: block.id,
      index: block.index,
      name: block.type === 'tool-call' ? block.name : undefined,
    },
    original: block.type === 'tool-call' ? block.arguments : block.text,
    delivered: about.delivered,
    isShadow,
    tookMs,
  }
}
