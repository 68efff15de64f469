/**
 * What can be wrong with one request to one upstream, in words of ours. Neighbours: `attempt.ts` says it, `fault-status.ts`
 * has the statuses.
 */
import type { StreamFault } from '../event/fault.ts'
import type { UpstreamFailure } from '../upstream/upstream.ts'

/** OpenAI's wires say it in words: "Please try again in 1.5s". */
export function readWait(message: string): number | undefined {
  const [, digits, unit] = /try again in (\d{1,6}(?:\.\d{1,6})?) ?(ms|s)\b/i.exec(message) ?? []
  return digits === undefined
    ? undefined
    : Number(digits) * (unit?.toLowerCase() === 'ms' ? 1 : 1000)
}

export const late504 = (name: string, what: string, ms: number, how = 'within'): StreamFault => ({
  kind: 'timeout',
  message: `Upstream "${name}" ${what} ${how} ${Math.round(ms / 100) / 10} s`,
})

export const tooLarge = (name: string, error: unknown): StreamFault => ({
  kind: 'bad-stream',
  message: `Upstream "${name}": ${error instanceof Error ? error.message : 'bad stream'}`,
})

export const toFault = ({ kind, message }: UpstreamFailure): StreamFault => ({ kind, message })
