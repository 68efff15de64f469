/**
 * Conversations, verdicts and figures over time: what the records say beyond one exchange. Neighbours: `api.ts` has let
 * them in, `api-store.ts` has the records.
 */
import type { JudgedCount } from '../api/types-policies.ts'
import type {
  ExchangeQuery,
  PageQuery,
  PolicySummary,
  StatsQuery,
  VerdictQuery,
} from '../store/query.ts'
import { fail, say } from './api-answer.ts'
import type { Handler } from './api-handler.ts'
import type { AskStore } from './api-store.ts'

/** More steps than that are no picture. */
const MAX_STEPS = 5000

export const createHistoryHandlers = (
  askStore: AskStore,
  now: () => number,
): Readonly<
  Record<'conversations' | 'conversation' | 'verdicts' | 'verify' | 'stats' | 'policies', Handler>
> => ({
  conversations: ({ values }) =>
    askStore(async ({ store }) =>
      say(await store.conversations(values as ExchangeQuery & PageQuery)),
    ),

  conversation: ({ params, values }) =>
    askStore(async ({ store }) => {
      const conversation = params['id'] ?? ''
      const [{ items }, exchanges] = await Promise.all([
        store.conversations({ conversation, limit: 1 }),
        store.list({ conversation, isOldestFirst: true, ...(values as PageQuery) }),
      ])
      const [found] = items
      return found === undefined
        ? fail(404, 'There is no such conversation: none of its exchanges is recorded')
        : say({ conversation: found, exchanges })
    }),

  verdicts: ({ values }) =>
    askStore(async ({ store }) => say(await store.verdicts(values as VerdictQuery & PageQuery))),

  verify: () => askStore(async ({ store }) => say(await store.verify())),

  stats: ({ values }) =>
    askStore(async ({ store }) => {
      const query = values as StatsQuery
      const span = (query.until ?? now()) - (query.since ?? 0)
      if (query.step !== undefined && query.since === undefined)
        return fail(400, 'Say "since" beside "step", so that the number of steps is bounded')
      if (query.step !== undefined && span / query.step > MAX_STEPS)
        return fail(
          400,
          `These are over ${MAX_STEPS} steps: say a longer "step" or a later "since"`,
        )
      return say({ buckets: await store.stats(query) })
    }),

  policies: ({ values }) =>
    askStore(async ({ store }) => {
      const policies = await store.policies(values as ExchangeQuery)
      return say({ policies, judged: toJudged(policies) })
    }),
})

/**
 * Every verdict on a block is kept, those that let it pass too: their sum is how many were judged. What a policy says of a
 * request is kept only where it does not pass.
 */
function toJudged(summaries: readonly PolicySummary[]): readonly JudgedCount[] {
  const judged = new Map<string, JudgedCount>()
  for (const { policy, version, isShadow, block, type, count } of summaries) {
    if (block === 'request') continue
    const key = JSON.stringify([policy, version, isShadow, block])
    const before = judged.get(key) ?? { policy, version, isShadow, block, count: 0, acted: 0 }
    judged.set(key, {
      ...before,
      count: before.count + count,
      acted: before.acted + (type === 'pass' ? 0 : count),
    })
  }
  return [...judged.values()]
}
