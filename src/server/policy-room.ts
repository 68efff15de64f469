/**
 * What policies of one configuration may ask of the gateway: people, models, their memory, the switch. Neighbours:
 * `state.ts` makes one for each configuration; `exchange/policies.ts` uses it.
 */
import type { Approvals } from '../approvals/approvals.ts'
import type { HaltSwitch } from '../approvals/halt.ts'
import { checkEdit } from '../config/check-edit.ts'
import { selectPolicies } from '../config/select-policies.ts'
import type { Settings } from '../config/settings.ts'
import { createModelCaller, type ModelRoom } from '../exchange/call-model.ts'
import type { PolicyRoom } from '../exchange/policies.ts'
import type { Memories } from '../policy/memories.ts'
import type { Installed } from '../policy/policy.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { PolicyModes } from './policy-modes.ts'

export interface PolicyParts {
  readonly approvals: Pick<Approvals, 'ask'>
  readonly halt: HaltSwitch
  readonly memories: Memories
  readonly log: Log
  readonly metrics: Pick<Metrics, 'verdict'>
  /** A library user's own: they stand before those of the settings, on every route. */
  readonly own: readonly Installed[]
  /** Which of them act, whatever the settings say. */
  readonly modes: Pick<PolicyModes, 'apply'>
}

export function createPolicyRoom(
  settings: Settings,
  { approvals, halt, memories, log, metrics, own, modes }: PolicyParts,
  room: ModelRoom,
): PolicyRoom {
  const callModel = createModelCaller(room)
  return {
    get hasAny() {
      return own.length > 0 || modes.apply(settings.policies).length > 0
    },
    select(of) {
      const configured = selectPolicies({ policies: modes.apply(settings.policies) }, of)
      return own.length === 0 ? configured : [...own, ...configured]
    },
    haltedBy: () => (halt.isOn() ? toReason(halt) : undefined),
    onHalt: (callback) => halt.onChange(({ halted }) => (halted ? callback() : undefined)),
    ask: (question) => approvals.ask(question),
    checkArguments: checkEdit,
    callModel,
    log: (policy, id) => ({
      info: (message, fields) => log.info(message, { id, policy: policy.name, ...fields }),
      warn: (message, fields) => log.warn(message, { id, policy: policy.name, ...fields }),
    }),
    memories,
    onVerdict: (record) => metrics.verdict(record),
    now: () => Date.now(),
  }
}

function toReason(halt: HaltSwitch): string {
  const { reason } = halt.state()
  return reason === undefined || reason === ''
    ? 'All tool calls are stopped by the operator of this gateway.'
    : `All tool calls are stopped by the operator of this gateway: ${reason}`
}
