/**
 * One block before one policy: asked, timed, and answered once, by a verdict that can be carried out. Neighbours:
 * `gate.ts` and `tap.ts` ask. What throws, takes too long or says nonsense denies, unless its config says otherwise.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { BlockOf } from '../event/block.ts'
import { isVerdict } from './check-verdict.ts'
import { toFailureName } from './failure-name.ts'
import type { Context } from './context.ts'
import type { PolicyHost } from './host.ts'
import type { Decision, HeldType, Installed, VerdictRecord } from './policy.ts'
import { deny, pass, type Verdict } from './verdict.ts'

/** A verdict that needs nobody any more: asking is over. */
export type Settled = Exclude<Verdict, { type: 'ask' }>

export interface Judged {
  readonly verdict: Settled
  readonly by: string | undefined
  /** What the record calls it, if not by its verdict: the policy failed, or would have asked. */
  readonly recordedAs: 'error' | 'ask' | undefined
  readonly tookMs: number
}

export interface JudgingOptions {
  readonly installed: Installed
  readonly host: PolicyHost
  readonly context: Context
  /** Told of what `done` throws where nobody waits on the stack for it. */
  crashed(error: unknown): void
}

export class Judging {
  private readonly options: JudgingOptions

  constructor(options: JudgingOptions) {
    this.options = options
  }

  /** Calls back once, perhaps before this returns. Gives back how to ask no longer: then nobody is called. */
  judge(block: BlockOf<HeldType>, done: (judged: Judged) => void): () => void {
    const { installed, host, context } = this.options
    const startedAt = host.tick()
    const own = context.child()
    let given: unknown
    try {
      given = installed.policy.judge?.(block, own)
    } catch (error) {
      own.leave()
      done(failedAt(installed, host, error, startedAt))
      return NOTHING
    }
    // The way of nearly all verdicts: no timer, no promise.
    if (isVerdict(given) && given.type !== 'ask') {
      own.leave()
      const tookMs = host.tick() - startedAt
      done({ verdict: given, by: undefined, recordedAs: undefined, tookMs })
      return NOTHING
    }
    const judgment = new Judgment(this.options, { block, done, own, startedAt })
    if (isThenable(given)) judgment.wait(given)
    else judgment.take(given)
    return () => judgment.cancel()
  }
}

const NOTHING = (): void => {}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as Fields)['then'] === 'function'

type Fields = Readonly<Record<string, unknown>>

interface Asked {
  readonly block: BlockOf<HeldType>
  readonly own: Context
  readonly startedAt: number
  done(judged: Judged): void
}

/** A judgment that takes its time. */
class Judgment {
  private readonly options: JudgingOptions
  private readonly asked: Asked
  private isOver = false
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: JudgingOptions, asked: Asked) {
    this.options = options
    this.asked = asked
  }

  wait(given: PromiseLike<unknown>): void {
    const { installed, host, crashed } = this.options
    const { policy, timeoutMs } = installed
    this.timer = setTimeout(() => {
      host.log(policy).warn('A policy took too long', { policy: policy.name, timeoutMs })
      this.guard(() => this.fail('it took too long'))
    }, timeoutMs)
    Promise.resolve(given)
      .then(
        (verdict) => this.take(verdict),
        (error: unknown) => {
          if (this.isOver) return
          this.settle(failedAt(installed, host, error, this.asked.startedAt))
        },
      )
      .catch(crashed)
  }

  take(verdict: unknown): void {
    if (this.isOver) return
    if (!isVerdict(verdict)) return this.fail('it gave no verdict')
    if (verdict.type !== 'ask') return this.settle(this.judged(verdict))
    // A person takes longer than a policy, and has a deadline of their own.
    clearTimeout(this.timer)
    if (!this.options.installed.isShadow) return this.askPerson(verdict)
    const { type: _type, question: _question, ...remarks } = verdict
    this.settle({ ...this.judged(pass(remarks)), recordedAs: 'ask' })
  }

  cancel(): void {
    this.isOver = true
    clearTimeout(this.timer)
    this.asked.own.leave()
  }

  private askPerson(verdict: Extract<Verdict, { type: 'ask' }>): void {
    const { installed, host, crashed } = this.options
    const { exchangeId, client, request } = host
    const { own, block } = this.asked
    const { question, reason } = verdict
    const named = verdict.details?.['rule']
    const rule = typeof named === 'string' ? named : undefined
    const { signal } = own
    const policy = installed.policy.name
    host
      .ask({ exchangeId, client, request, policy, rule, question, reason, block, signal })
      .then(
        (decision) => {
          this.settle(this.judged(toVerdict(decision, verdict), decision.by))
        },
        () => this.settle({ ...this.judged(deny(NOBODY)), recordedAs: 'error' }),
      )
      .catch(crashed)
  }

  private judged(verdict: Settled, by?: string): Judged {
    const tookMs = this.options.host.tick() - this.asked.startedAt
    return { verdict, by, recordedAs: undefined, tookMs }
  }

  private fail(why: string): void {
    const verdict = failed(this.options.installed, why)
    this.settle({ ...this.judged(verdict), recordedAs: 'error' })
  }

  private settle(judged: Judged): void {
    if (this.isOver) return
    this.cancel()
    this.asked.done(judged)
  }

  private guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.options.crashed(error)
    }
  }
}

const NOBODY = 'Nobody could be asked for permission.'

function failed({ policy, onError }: Installed, why: string): Settled {
  const words = `Policy "${policy.name}" could not decide: ${why}`
  return onError === 'pass' ? pass({ reason: words }) : deny(words)
}

function failedAt(
  installed: Installed,
  host: PolicyHost,
  error: unknown,
  startedAt: number,
): Judged {
  const { policy } = installed
  host.log(policy).warn('A policy failed', { policy: policy.name, error: toFailureName(error) })
  const verdict = failed(installed, wordsOf(error))
  return { verdict, by: undefined, recordedAs: 'error', tookMs: host.tick() - startedAt }
}

/** What our own errors say is written for people, unless they pass on the words of somebody else. */
const wordsOf = (error: unknown): string =>
  error instanceof SluiceError && error.cause === undefined ? error.message : 'it failed'

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

/** What is kept of it. */
export function toRecord(
  { policy, isShadow }: Installed,
  judged: Judged,
  about: {
    readonly block: BlockOf<HeldType>
    readonly delivered: string | undefined
  },
): VerdictRecord {
  const { verdict, by, recordedAs, tookMs } = judged
  const { block } = about
  return {
    policy: policy.name,
    version: policy.version,
    type: recordedAs ?? verdict.type,
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
