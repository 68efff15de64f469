/**
 * Stops an agent that goes round in circles: the same call again and again, two calls in turn, the same error whatever
 * it tries. The first time it is told so, the next time the answer ends. Neighbours: `loops/history.ts` says what was
 * called before, `loops/find-loop.ts` looks for circles; `config/policy-loop-breaker.ts` reads the options.
 *
 * A call that brought something new each time is no loop: whoever polls gets on. And a person who says something begins
 * anew.
 */
import type { BlockOf } from '../event/block.ts'
import { definePolicy, type Policy, type PolicyContext } from '../policy/policy.ts'
import { deny, halt, pass, type Verdict } from '../policy/verdict.ts'
import { findLoop, type Loop, type LoopLimits } from './loops/find-loop.ts'
import { readCalls, toSignature, type PastCall } from './loops/history.ts'
import { toToolFilter } from './tool-globs.ts'

export interface LoopBreakerOptions {
  /** So many same calls in a row are one too many. Default 4; 0 switches it off. */
  readonly inRow?: number
  /** So many same calls within so many calls. Default 8 of 24; 0 switches it off. */
  readonly within?: { readonly times: number; readonly calls: number }
  /** So many rounds of two calls in turn. Default 4; 0 switches it off. */
  readonly pingPong?: number
  /** Behind so many same errors of one tool, its next call is denied once. Default 4; 0 switches it off. */
  readonly errors?: number
  /** Whether only calls count that brought back the same. Default true. */
  readonly sameResult?: boolean
  /** Tools that may be called as often as they like, such as those that wait. */
  readonly ignore?: readonly string[]
  /** What happens when it goes on. Default halt. */
  readonly again?: 'halt' | 'deny'
  readonly name?: string
}

/** Tools that wait for something else: to ask again is what they are for. */
const WAITING = ['BashOutput', 'TaskOutput', 'write_stdin', 'wait', 'wait_agent', 'sleep'] as const

const DEFAULTS = { inRow: 4, within: { times: 8, calls: 24 }, pingPong: 4, errors: 4 } as const
/** However the options are, no more of the past is looked at. */
const MAX_CALLS = 200
const MAX_WARNED = 64

interface State {
  calls: PastCall[] | undefined
}

interface Memory {
  /** What was denied, and in which exchange; the oldest go first. */
  readonly warned: Map<string, string>
}

export function loopBreaker(options: LoopBreakerOptions = {}): Policy {
  const limits: LoopLimits = {
    inRow: options.inRow ?? DEFAULTS.inRow,
    within: options.within ?? DEFAULTS.within,
    pingPong: options.pingPong ?? DEFAULTS.pingPong,
    errors: options.errors ?? DEFAULTS.errors,
    isSameResult: options.sameResult ?? true,
  }
  const span = Math.min(
    MAX_CALLS,
    Math.max(limits.inRow, limits.within.calls, 2 * limits.pingPong, limits.errors) + 1,
  )
  const isIgnored = toToolFilter([...WAITING, ...(options.ignore ?? [])])
  return definePolicy<'tool-call', State, Memory>({
    name: options.name ?? 'loop-breaker',
    state: () => ({ calls: undefined }),
    memory: () => ({ warned: new Map() }),
    judge(block, ctx) {
      if (isIgnored(block)) return pass()
      const calls = (ctx.state.calls ??= readCalls(ctx.request.turns(), span, isIgnored))
      const call = toPast(block)
      const loop = findLoop(call, calls, limits)
      const verdict = loop === undefined ? pass() : judgeLoop(loop, ctx, options.again ?? 'halt')
      if (verdict.type === 'pass') calls.push(call)
      if (calls.length > span) calls.shift()
      return verdict
    },
  })
}

function toPast(block: BlockOf<'tool-call'>): PastCall {
  const { name, namespace, dialect } = block
  return {
    name: block.name,
    signature: toSignature({ name, namespace, dialect, arguments: block.arguments }),
    result: undefined,
    error: undefined,
  }
}

function judgeLoop(
  loop: Loop,
  { memory: { warned }, exchangeId }: PolicyContext<State, Memory>,
  again: 'halt' | 'deny',
): Verdict {
  const before = warned.get(loop.key)
  // An error is told once: who then tries something else is on the way out.
  const isTold = loop.type === 'errors' && before !== undefined && before !== exchangeId
  if (isTold && warned.has(toCountKey(loop))) return pass()
  remember(warned, loop.key, exchangeId)
  if (loop.type === 'errors') remember(warned, toCountKey(loop), exchangeId)
  const details = { loop: loop.type, times: loop.times }
  // The model has not seen what is denied in the same answer.
  return before === undefined || before === exchangeId || again === 'deny'
    ? deny(loop.says, { instead: loop.instead, details })
    : halt(`${loop.says}, although this was denied before`, { details })
}

const toCountKey = (loop: Loop): string => `${loop.key} ${loop.times}`

function remember(warned: Map<string, string>, key: string, exchangeId: string): void {
  warned.delete(key)
  warned.set(key, exchangeId)
  if (warned.size <= MAX_WARNED) return
  const [oldest] = warned.keys()
  if (oldest !== undefined) warned.delete(oldest)
}
