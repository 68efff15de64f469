/**
 * Models that policies ask while the past is judged again: each question costs, so that there is a most, and what the
 * same policy has said of the same block then is taken from the records. Neighbours: `backtest-run.ts` has its policies
 * wrapped here; the caller hands in who asks. Nothing is asked that the policy's own cache knows.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { totalInput, type Usage } from '../event/usage.ts'
import type {
  Installed,
  ModelCall,
  ModelReply,
  Policy,
  PolicyContext,
  PolicyRequestVerdict,
  VerdictRecord,
} from '../policy/policy.ts'
import { ask, deny, pass, type Verdict } from '../policy/verdict.ts'
import { UNJUDGED } from './compare-verdicts.ts'
import { PastContext } from './backtest-context.ts'

export interface JudgesOptions {
  /** Missing: no model can be asked, and nothing of that kind is judged. */
  readonly callModel?: ((call: ModelCall, signal: AbortSignal) => Promise<ModelReply>) | undefined
  readonly maxCalls: number
  /** In millionths of a US dollar. */
  readonly costOf?: ((model: string, usage: Usage) => number | undefined) | undefined
}

interface Bill {
  readonly calls: number
  readonly reused: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: number | undefined
  readonly ms: number
}

export interface Judges {
  /** The same policy, asked with care. `then`: what was decided in the exchange of that id. */
  wrap(installed: Installed, then: (exchangeId: string) => Promise<Then>): Installed
  callModel(call: ModelCall, signal: AbortSignal): Promise<ModelReply>
  bill(): Bill
}

type Then = readonly VerdictRecord[]

export function createJudges(options: JudgesOptions): Judges {
  let calls = 0
  let reused = 0
  let inputTokens = 0
  let outputTokens = 0
  let cost: number | undefined
  let ms = 0

  function note(model: string, usage: Usage | undefined): void {
    if (usage === undefined) return
    inputTokens += totalInput(usage)
    outputTokens += usage.outputTokens ?? 0
    const price = options.costOf?.(model, usage)
    if (price !== undefined) cost = (cost ?? 0) + price
  }

  async function callModel(call: ModelCall, signal: AbortSignal): Promise<ModelReply> {
    if (options.callModel === undefined || calls >= options.maxCalls) throw new NoMoreCalls()
    calls += 1
    const startedAt = performance.now()
    try {
      const reply = await options.callModel(call, signal)
      note(reply.model, reply.usage)
      return reply
    } finally {
      ms += performance.now() - startedAt
    }
  }

  function wrap(installed: Installed, then: (exchangeId: string) => Promise<Then>): Installed {
    const { policy } = installed
    const { judge, onRequest } = policy
    if (judge === undefined && onRequest === undefined) return installed

    /** Runs it with a context of its own: whoever asks a model gets what was said then, or is told that nobody is asked. */
    function guard<Said>(
      work: (ctx: PolicyContext) => Said | Promise<Said>,
      of: { readonly ctx: PolicyContext; readonly find: (records: Then) => Said | undefined },
      unjudged: Said,
    ): Said | Promise<Said> {
      let instead: { readonly said: Said } | undefined
      const own = new PastContext(of.ctx, async (call) => {
        const found = of.find(await then(of.ctx.exchangeId))
        if (found !== undefined) {
          if (instead === undefined) reused += 1
          instead = { said: found }
          throw new NoMoreCalls()
        }
        try {
          return await of.ctx.callModel(call)
        } catch (error) {
          if (error instanceof NoMoreCalls) instead = { said: unjudged }
          throw error
        }
      })
      const said = work(own)
      if (!(said instanceof Promise)) return said
      return said.then(
        (value) => instead?.said ?? value,
        (error: unknown) => {
          if (instead !== undefined) return instead.said
          throw error
        },
      )
    }

    const wrapped: Policy = { ...bound(policy) }
    const isSame = (record: VerdictRecord): boolean =>
      record.policy === policy.name &&
      record.version === policy.version &&
      record.version !== undefined &&
      record.type !== 'error'
    if (judge !== undefined)
      wrapped.judge = (block, ctx) =>
        guard<Verdict>(
          (own) => judge.call(policy, block, own),
          {
            ctx,
            find(records) {
              const found = records.find(
                (one) =>
                  isSame(one) && one.block?.index === block.index && one.block.type === block.type,
              )
              return found === undefined ? undefined : toVerdict(found)
            },
          },
          pass({ details: { [UNJUDGED]: true } }),
        )
    if (onRequest !== undefined)
      wrapped.onRequest = (request, ctx) =>
        guard<PolicyRequestVerdict>(
          (own) => onRequest.call(policy, request, own),
          { ctx, find: () => undefined },
          pass({ details: { [UNJUDGED]: true }, tags: [] }),
        )
    return { ...installed, policy: wrapped }
  }

  return {
    wrap,
    callModel,
    bill: () => ({ calls, reused, inputTokens, outputTokens, cost, ms }),
  }
}

/** No further question is asked. Not worth a second try. */
class NoMoreCalls extends SluiceError {
  constructor() {
    super('upstream-refused', 'No more models are asked in this backtest')
  }
}

/** What was said then, as a verdict. What a rewrite made of it is not kept as it was said: those are asked again. */
function toVerdict(record: VerdictRecord): Verdict | undefined {
  const details = { ...record.details, isReused: true }
  const { reason = '', tags } = record
  if (record.details['ticket'] !== undefined || record.type === 'ask')
    return ask(reason, { details, tags })
  if (record.type === 'pass')
    return pass({ details, tags, ...(record.reason === undefined ? {} : { reason }) })
  return record.type === 'deny' ? deny(reason, { details, tags }) : undefined
}

/** A plain object whose functions know their own policy: it may be of a class. */
function bound(policy: Policy): Mutable<Policy> {
  const { name, version, holds, watches, isEager } = policy
  return {
    name,
    ...(version === undefined ? {} : { version }),
    ...(holds === undefined ? {} : { holds }),
    ...(watches === undefined ? {} : { watches }),
    ...(isEager === undefined ? {} : { isEager }),
    ...(policy.state === undefined ? {} : { state: policy.state.bind(policy) }),
    ...(policy.memory === undefined ? {} : { memory: policy.memory.bind(policy) }),
    ...(policy.onBlock === undefined ? {} : { onBlock: policy.onBlock.bind(policy) }),
    ...(policy.onChunk === undefined ? {} : { onChunk: policy.onChunk.bind(policy) }),
    ...(policy.onFinish === undefined ? {} : { onFinish: policy.onFinish.bind(policy) }),
    ...(policy.close === undefined ? {} : { close: policy.close.bind(policy) }),
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
