/**
 * Whether one more call would close a circle. Neighbours: `history.ts` has the calls before it, `../loop-breaker.ts`
 * decides what happens. Knows no request.
 */
import type { PastCall } from './history.ts'

export interface LoopLimits {
  readonly inRow: number
  readonly within: { readonly times: number; readonly calls: number }
  readonly pingPong: number
  readonly errors: number
  /** Whether calls count only as long as they bring back the same. */
  readonly isSameResult: boolean
}

export interface Loop {
  readonly type: 'in-row' | 'within' | 'ping-pong' | 'errors'
  /** The same for the same circle. */
  readonly key: string
  readonly times: number
  readonly says: string
  readonly instead: string
}

/** Calls of 0 switch a limit off. */
export function findLoop(
  call: PastCall,
  before: readonly PastCall[],
  limits: LoopLimits,
): Loop | undefined {
  return (
    findRow(call, before, limits) ??
    findPingPong(call, before, limits) ??
    findWithin(call, before, limits) ??
    findErrors(call, before, limits)
  )
}

function findRow(
  call: PastCall,
  before: readonly PastCall[],
  limits: LoopLimits,
): Loop | undefined {
  if (limits.inRow === 0) return undefined
  const row = before.length - 1 - before.findLastIndex((one) => one.signature !== call.signature)
  const times = countSame(before.slice(before.length - row), limits) + 1
  if (times < limits.inRow) return undefined
  return {
    type: 'in-row',
    key: call.signature,
    times,
    says: `"${call.name}" was called with the same arguments ${times - 1} times in a row and brought nothing new`,
    instead: 'Use the result that is there, or try something else.',
  }
}

/** How many of the last ones, counted from the end, brought back the same; what has no result yet goes with all. */
function countSame(calls: readonly PastCall[], { isSameResult }: LoopLimits): number {
  if (!isSameResult) return calls.length
  let result: string | undefined
  let count = 0
  for (const call of calls.toReversed()) {
    if (call.result !== undefined && result !== undefined && call.result !== result) break
    result ??= call.result
    count += 1
  }
  return count
}

function findWithin(
  call: PastCall,
  before: readonly PastCall[],
  limits: LoopLimits,
): Loop | undefined {
  const { times: max, calls } = limits.within
  if (max === 0 || calls === 0) return undefined
  const recent = before.slice(-(calls - 1)).filter((one) => one.signature === call.signature)
  const times = countSame(recent, limits) + 1
  if (times < max) return undefined
  return {
    type: 'within',
    key: call.signature,
    times,
    says: `"${call.name}" was called with the same arguments ${times - 1} times within the last ${calls} calls and brought nothing new`,
    instead: 'Use the result that is there, or try something else.',
  }
}

function findPingPong(
  call: PastCall,
  before: readonly PastCall[],
  limits: LoopLimits,
): Loop | undefined {
  const length = 2 * limits.pingPong - 1
  const last = before.slice(-length)
  const other = last.at(-1)
  if (limits.pingPong === 0 || last.length < length || other === undefined) return undefined
  if (other.signature === call.signature) return undefined
  const isInTurn = last
    .toReversed()
    .every((one, i) => one.signature === (i % 2 === 0 ? other : call).signature)
  const mine = last.filter((one) => one.signature === call.signature)
  const others = last.filter((one) => one.signature === other.signature)
  const isSame =
    countSame(mine, limits) === mine.length && countSame(others, limits) === others.length
  if (!isInTurn || !isSame) return undefined
  return {
    type: 'ping-pong',
    key: [call.signature, other.signature].toSorted().join(' and '),
    times: limits.pingPong,
    says: `"${call.name}" and "${other.name}" were called in turn ${limits.pingPong} times and brought nothing new`,
    instead: 'Decide by the results that are there, or try something else.',
  }
}

function findErrors(
  call: PastCall,
  before: readonly PastCall[],
  limits: LoopLimits,
): Loop | undefined {
  if (limits.errors === 0) return undefined
  const own = before.filter((one) => one.name === call.name && one.result !== undefined)
  const error = own.at(-1)?.error
  if (error === undefined) return undefined
  const times = own.length - 1 - own.findLastIndex((one) => one.error !== error)
  if (times < limits.errors) return undefined
  return {
    type: 'errors',
    key: `${call.name} ${error}`,
    times,
    says: `"${call.name}" failed ${times} times in a row with the same error`,
    instead: 'Read the error, find its cause by other means, or tell the user what is missing.',
  }
}
