/**
 * What the engine needs of the world. Neighbours: `exchange/` has it for an exchange under way, a backtest for one that is
 * over, a test kit for one that never was. Knows no wire.
 */
import type { Tool } from '../request/tool.ts'
import type {
  Decision,
  ModelCall,
  ModelReply,
  Policy,
  PolicyContext,
  PolicyLog,
  PolicyRequest,
  Question,
  VerdictRecord,
} from './policy.ts'

export interface PolicyHost {
  readonly exchangeId: string
  readonly client: PolicyContext['client']
  readonly request: PolicyRequest
  /** Milliseconds since 1970, for policies. */
  now(): number
  /** Milliseconds that only go forward, for how long something took. */
  tick(): number
  /** Called once, when nobody waits for this exchange any more; gives back how to stop that. */
  onLeave(callback: () => void): () => void
  log(policy: Policy): PolicyLog
  /** What a policy keeps of this conversation. */
  memoryOf(policy: Policy): unknown
  callModel(call: ModelCall, signal: AbortSignal): Promise<ModelReply>
  ask(question: Question): Promise<Decision>
  /** What is wrong with such arguments, by the client's own schema; `undefined`: nothing. */
  checkArguments(tool: Tool, args: unknown): string | undefined
  /** Why no tool call may pass at all, while somebody has thrown the switch. */
  haltedBy(): string | undefined
  onVerdict(record: VerdictRecord): void
}
