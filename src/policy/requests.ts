/**
 * Policies before a request: each may change it for those behind it, or refuse it. Neighbours: `exchange/` asks before any
 * upstream is. Knows no wire.
 */
import type { ModelRequest } from '../request/request.ts'
import type { Contexts } from './engine.ts'
import type { PolicyHost } from './host.ts'
import { sentence } from './notice.ts'
import type { Installed, PolicyRequestVerdict, VerdictRecord } from './policy.ts'

export type RequestOutcome =
  /** `isChanged`: it is not what the client sent. */
  | { readonly type: 'pass'; readonly request: ModelRequest; readonly isChanged: boolean }
  | { readonly type: 'deny'; readonly reason: string; readonly policy: string }

export const wantsRequest = (installed: readonly Installed[]): boolean =>
  installed.some(({ policy }) => policy.onRequest !== undefined)

export async function judgeRequest(
  given: ModelRequest,
  installed: readonly Installed[],
  host: PolicyHost,
  contexts: Contexts,
): Promise<RequestOutcome> {
  let request = given
  for (const one of installed) {
    if (one.policy.onRequest === undefined) continue
    const startedAt = host.tick()
    const verdict = await askOne(one, request, host, contexts)
    const tookMs = host.tick() - startedAt
    if (verdict.type !== 'pass' || verdict.reason !== undefined || verdict.tags !== undefined)
      host.onVerdict(toRecord(one, verdict, tookMs))
    if (one.isShadow) continue
    if (verdict.type === 'change') request = verdict.request
    else if (verdict.type !== 'pass') {
      const instead = verdict.instead === undefined ? '' : ` Instead: ${sentence(verdict.instead)}`
      return {
        type: 'deny',
        reason: `${sentence(verdict.reason)}${instead}`,
        policy: one.policy.name,
      }
    }
  }
  return { type: 'pass', request, isChanged: request !== given }
}

type Said = Exclude<PolicyRequestVerdict, undefined | void> & { readonly isError?: boolean }

async function askOne(
  installed: Installed,
  request: ModelRequest,
  host: PolicyHost,
  contexts: Contexts,
): Promise<Said> {
  const { policy, onError, timeoutMs } = installed
  const context = contexts(installed).child()
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const given = policy.onRequest?.(request, context)
    if (!(given instanceof Promise)) return given ?? { type: 'pass' }
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('It took too long')), timeoutMs)
    })
    return (await Promise.race([given, late])) ?? { type: 'pass' }
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error
    host.log(policy).warn('A policy failed at a request', { policy: policy.name, error: name })
    return onError === 'pass'
      ? { type: 'pass', reason: 'It failed', isError: true }
      : { type: 'deny', reason: `Policy "${policy.name}" could not decide.`, isError: true }
  } finally {
    clearTimeout(timer)
    context.leave()
  }
}

const toRecord = (
  { policy, isShadow }: Installed,
  verdict: Said,
  tookMs: number,
): VerdictRecord => ({
  policy: policy.name,
  version: policy.version,
  type: verdict.isError === true ? 'error' : verdict.type,
  reason: verdict.reason,
  tags: verdict.tags ?? [],
  details: verdict.details ?? {},
  by: undefined,
  block: undefined,
  original: undefined,
  delivered: undefined,
  isShadow,
  tookMs,
})
