/**
 * Policies before a request: each may change it for those behind it, or refuse it. Neighbours: `exchange/` asks before any
 * upstream is. Knows no wire.
 */
import type { ModelRequest } from '../request/request.ts'
import { isRequestVerdict } from './check-verdict.ts'
import { toFailureName } from './failure-name.ts'
import type { Contexts } from './contexts.ts'
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
    const asked = { installed: one, request, host, contexts }
    if (one.isShadow) {
      watch(asked)
      continue
    }
    const verdict = await askAndRecord(asked)
    if (verdict.type === 'change') request = verdict.request
    else if (verdict.type === 'deny') {
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

interface Asked {
  readonly installed: Installed
  readonly request: ModelRequest
  readonly host: PolicyHost
  readonly contexts: Contexts
}

/** In shadow: nobody waits, and what it would have done is recorded. */
const watch = (asked: Asked): void => asked.contexts.wait(asked.installed, askAndRecord(asked))

async function askAndRecord(asked: Asked): Promise<Said> {
  const { installed, host } = asked
  const startedAt = host.tick()
  const verdict = await askOne(asked)
  const tookMs = host.tick() - startedAt
  if (verdict.type !== 'pass' || verdict.reason !== undefined || verdict.tags !== undefined)
    host.onVerdict(toRecord(installed, verdict, tookMs))
  return verdict
}

type Said = Exclude<PolicyRequestVerdict, undefined | void> & { readonly isError?: boolean }

async function askOne({ installed, request, host, contexts }: Asked): Promise<Said> {
  const { policy, timeoutMs } = installed
  const context = contexts.of(installed).child()
  let timer: ReturnType<typeof setTimeout> | undefined
  let offLeave: (() => void) | undefined
  try {
    const given = policy.onRequest?.(request, context)
    const over = (): Promise<never> =>
      new Promise((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error('It took too long')), timeoutMs)
        offLeave = host.onLeave(() => reject(new Error('The client has left')))
      })
    const said = given instanceof Promise ? await Promise.race([given, over()]) : given
    if (said === undefined) return { type: 'pass' }
    return isRequestVerdict<ModelRequest>(said) ? said : failed(installed, host, 'no verdict')
  } catch (error) {
    return failed(installed, host, toFailureName(error))
  } finally {
    clearTimeout(timer)
    offLeave?.()
    context.leave()
  }
}

function failed({ policy, onError }: Installed, host: PolicyHost, error: string): Said {
  host.log(policy).warn('A policy failed at a request', { policy: policy.name, error })
  return onError === 'pass'
    ? { type: 'pass', reason: 'It failed', isError: true }
    : { type: 'deny', reason: `Policy "${policy.name}" could not decide.`, isError: true }
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
