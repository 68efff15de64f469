/**
 * The preset that only watches: the policies that need no settings, all in shadow. Nothing is held, changed or
 * refused; what they would have done is in the records, so that a person can see before switching one on.
 * Neighbours: the policies themselves; `config/policy-observe.ts` reads the options.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { Installed, Policy } from '../policy/policy.ts'
import { checkArgumentsPolicy } from './check-arguments/check-arguments.ts'
import { codingAgent } from './coding-agent.ts'
import { loopBreaker } from './loop-breaker.ts'
import { redact } from './redact/redact.ts'
import { scanResults } from './scan-results/scan-results.ts'

/** Those that need no settings, by their names in `sluice.yaml`, in the order in which they would stand there. */
const READY_MADE = {
  'scan-results': () => scanResults(),
  redact: () => redact(),
  'check-arguments': () => checkArgumentsPolicy(),
  'coding-agent': () => codingAgent(),
  'loop-breaker': () => loopBreaker(),
} satisfies Record<string, () => Policy>

export type ObservedName = keyof typeof READY_MADE

export const OBSERVED = Object.keys(READY_MADE) as readonly ObservedName[]

export interface ObserveOptions {
  /** These instead of the ready-made ones. */
  readonly policies?: readonly Policy[]
  /** Only these of the ready-made ones. */
  readonly only?: readonly ObservedName[]
  /** All of the ready-made ones but these. */
  readonly except?: readonly ObservedName[]
  /** How long each may take. Nobody waits for it. Default 30 s. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 30_000

export function observe(options: ObserveOptions = {}): readonly Installed[] {
  const { policies = readyMade(options), timeoutMs = TIMEOUT_MS } = options
  return policies.map((policy) => ({ policy, onError: 'pass', timeoutMs, isShadow: true }))
}

function readyMade({ only = OBSERVED, except = [] }: ObserveOptions): readonly Policy[] {
  const wrong = [...only, ...except].find((name) => !OBSERVED.includes(name))
  if (wrong !== undefined)
    throw new SluiceError('wrong-use', `Cannot observe "${wrong}": it takes ${OBSERVED.join(', ')}`)
  return OBSERVED.filter((name) => only.includes(name) && !except.includes(name)).map((name) =>
    READY_MADE[name](),
  )
}
