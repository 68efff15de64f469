/**
 * What is known of installed policies before they run. Neighbours: `exchange/` asks which ways an answer may take.
 */
import type { Installed, Policy } from './policy.ts'

/** Whether it can change an answer. */
export const canAct = ({ policy, isShadow }: Installed): boolean =>
  !isShadow && (policy.judge !== undefined || policy.onChunk !== undefined)

const TIMEOUT_MS = 30_000

/** With what stands for nothing said: it denies when it fails, and may take half a minute. */
export const install = (policy: Policy, more: Partial<Installed> = {}): Installed => ({
  policy,
  onError: 'deny',
  timeoutMs: TIMEOUT_MS,
  isShadow: false,
  ...more,
})

/** Whether tool calls wait for it. */
export const holdsCalls = ({ policy, isShadow }: Installed): boolean =>
  !isShadow && policy.judge !== undefined && (policy.holds?.includes('tool-call') ?? true)
