/**
 * How much an agent may do: calls per answer, conversation and minute, files, tokens, the size of an answer, the time
 * of day. Neighbours: `limit/call-limit.ts` has one limit on calls, `limit/hours.ts` the clock;
 * `config/policy-limit.ts` reads the options. Counts in the memory of the conversation, so a restart forgets all but
 * what the history of a request shows.
 */
import type { BlockInfo, BlockOf } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import { totalInput, type Usage } from '../event/usage.ts'
import { definePolicy, type Policy, type PolicyContext } from '../policy/policy.ts'
import { deny, pass, strictest, type Verdict } from '../policy/verdict.ts'
import {
  createCallCounts,
  prepareCallLimit,
  type CallCounts,
  type CallLimit,
  type PreparedLimit,
} from './limit/call-limit.ts'

export type { CallLimit } from './limit/call-limit.ts'

export interface LimitOptions {
  readonly calls?: readonly CallLimit[]
  /** The most characters of one answer, thinking and arguments included: it ends there. */
  readonly output?: number
  /** All tokens of one conversation, input and output, as the upstreams counted them. */
  readonly tokens?: number
  /** Only what the model wrote. */
  readonly outputTokens?: number
  readonly name?: string
}

interface Memory {
  /** One for each limit on calls. */
  readonly calls: readonly CallCounts[]
  tokens: number
  outputTokens: number
}

interface State {
  /** Calls of this answer that passed, for each limit. */
  readonly passed: number[]
  /** Calls in the history of the request, for each limit; counted on first use. */
  history: readonly number[] | undefined
  chars: number
  /** Of blocks that nothing has come of yet. */
  readonly starts: Map<BlockInfo, StreamEvent>
}

type Context = PolicyContext<State, Memory>

export function limit(options: LimitOptions): Policy {
  const limits = (options.calls ?? []).map(prepareCallLimit)
  const { output } = options
  const hasTokens = options.tokens !== undefined || options.outputTokens !== undefined
  return definePolicy<'tool-call', State, Memory>({
    name: options.name ?? 'limit',
    holds: limits.length === 0 ? [] : ['tool-call'],
    state: () => ({ passed: limits.map(() => 0), history: undefined, chars: 0, starts: new Map() }),
    memory: () => ({ calls: limits.map(createCallCounts), tokens: 0, outputTokens: 0 }),
    ...(limits.length === 0 ? {} : { judge: (block, ctx) => judgeCall(block, ctx, limits) }),
    ...(output === undefined ? {} : limitOutput(output)),
    ...(hasTokens ? limitTokens(options) : {}),
  })
}

function judgeCall(
  block: BlockOf<'tool-call'>,
  ctx: Context,
  limits: readonly PreparedLimit[],
): Verdict {
  const { state, memory } = ctx
  const applying = limits
    .map((one, at) => ({ one, at, counts: memory.calls[at] }))
    .filter(({ one }) => one.takes(block))
  if (applying.length === 0) return pass()
  const history = (state.history ??= countHistory(ctx, limits))
  const verdict = strictest(
    applying.map(({ one, at, counts }) =>
      counts === undefined
        ? pass()
        : one.judge(block, ctx, {
            counts,
            history: history[at] ?? 0,
            passed: state.passed[at] ?? 0,
          }),
    ),
  )
  // A call that a person is asked about may well be run.
  if (verdict.type === 'pass' || verdict.type === 'ask')
    for (const { one, at, counts } of applying) {
      state.passed[at] = (state.passed[at] ?? 0) + 1
      if (counts !== undefined) one.count(block, ctx, { counts, history: history[at] ?? 0 })
    }
  return verdict
}

/** What the conversation shows by itself: it outlives a restart, and memory outlives a compaction. */
function countHistory(ctx: Context, limits: readonly PreparedLimit[]): readonly number[] {
  const calls = ctx.request
    .turns()
    .flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'))
  return limits.map((one) => calls.filter((call) => one.takes(call)).length)
}

const limitOutput = (max: number): Pick<Policy<'tool-call', State, Memory>, 'onChunk'> => ({
  onChunk(chunk, _state, ctx) {
    const { state } = ctx
    if (!('block' in chunk) || chunk.block === undefined) return
    if (chunk.type === 'block-delta' && 'text' in chunk.delta)
      state.chars += chunk.delta.text.length
    if (state.chars > max)
      return ctx.terminate(`The answer is longer than the ${max} characters that are allowed`)
    // It waits for its first piece: a block that would stay empty is not opened.
    if (chunk.type === 'block-start') return void state.starts.set(chunk.block, chunk)
    const start = state.starts.get(chunk.block)
    if (start !== undefined) {
      state.starts.delete(chunk.block)
      ctx.send(start)
    }
    ctx.send(chunk)
  },
})

const limitTokens = ({
  tokens = Infinity,
  outputTokens = Infinity,
}: LimitOptions): Pick<Policy<'tool-call', State, Memory>, 'onRequest' | 'onFinish'> => ({
  onRequest(_request, { memory }) {
    const isOver = memory.tokens >= tokens
    if (!isOver && memory.outputTokens < outputTokens) return
    const used = isOver ? memory.tokens : memory.outputTokens
    const max = isOver ? tokens : outputTokens
    return deny(
      `This conversation has used ${used} ${isOver ? 'tokens' : 'tokens of output'}, and ${max} are allowed`,
      { instead: 'Begin a new conversation.', details: { used, max } },
    )
  },
  onFinish({ usage }, { memory }) {
    memory.tokens += totalOf(usage)
    memory.outputTokens += usage?.outputTokens ?? 0
  },
})

const totalOf = (usage: Usage | undefined): number =>
  usage === undefined ? 0 : totalInput(usage) + (usage.outputTokens ?? 0)
