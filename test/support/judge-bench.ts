/**
 * A judge whose model is a function of the test's. Neighbours: `stock-policy.ts` has the rest of its context.
 */
import { SluiceError } from '../../src/base/sluice-error.ts'
import type { ModelCall, ModelReply, Policy, PolicyContext } from '../../src/policy/policy.ts'
import type { Verdict } from '../../src/policy/verdict.ts'
import type { Turn } from '../../src/request/request.ts'
import { judge } from '../../src/stock/judge/judge.ts'
import type { JudgeOptions } from '../../src/stock/judge/options.ts'
import type { Judged } from '../../src/stock/judge/subject.ts'
import { callBlock, runPolicy } from './stock-policy.ts'

export type Model = (
  call: ModelCall,
  mark: string,
  count: number,
) => Promise<ModelReply> | ModelReply

/** Answers as it was asked to, with the code of the question. */
export const says =
  (probability: number, reason = 'Because.'): Model =>
  (_, id) =>
    reply({ id, reason, probability, verdict: probability < 0.5 ? 'allow' : 'deny' })

export const reply = (said: object | string): ModelReply => ({
  text: typeof said === 'string' ? said : JSON.stringify(said),
  model: 'm',
  usage: { inputTokens: 100, cacheReadTokens: 20, outputTokens: 10 },
})

export const fails = (
  code: 'upstream-failed' | 'upstream-refused',
  cause?: object,
): Promise<never> => Promise.reject(new SluiceError(code, 'No answer', { cause }))

export interface Bench {
  readonly policy: Policy
  readonly calls: ModelCall[]
  readonly logged: unknown[]
  ctx(more?: Partial<PolicyContext>): PolicyContext
  ask(block?: Judged, more?: Partial<PolicyContext>): Promise<Verdict>
}

export function bench(model: Model, options: Partial<JudgeOptions> = {}): Bench {
  let marks = 0
  const policy = judge(
    { model: 'm', deadline: 500, ...options },
    { createMark: () => `mark${++marks}`, random: () => 0 },
  )
  const calls: ModelCall[] = []
  const { ctx, logged } = runPolicy(policy)
  const context = (more: Partial<PolicyContext> = {}): PolicyContext => ({
    ...ctx,
    async callModel(call) {
      const mark = /"id": "(\w+)"/.exec(call.system ?? '')?.[1] ?? ''
      calls.push(call)
      return model(call, mark, calls.length)
    },
    ...more,
  })
  return {
    policy,
    calls,
    logged,
    ctx: context,
    async ask(block = callBlock('Bash', { command: 'ls' }), more = {}) {
      const verdict = await policy.judge?.(block, context(more))
      if (verdict === undefined) throw new Error('No verdict')
      return verdict
    },
  }
}

export const withTurns = (turns: readonly Turn[]): Partial<PolicyContext> => ({
  request: { ...runPolicy({ name: 'x' }).ctx.request, turns: () => turns },
})

export const HANGS: Model = () => new Promise(() => {})
