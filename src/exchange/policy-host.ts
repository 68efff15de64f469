/**
 * What the policies of one exchange may ask of the gateway, and what is kept of their verdicts. Neighbours:
 * `policies.ts` makes it, `policy/` asks.
 */
import { HALT_GATE } from '../policy/engine.ts'
import type { PolicyHost } from '../policy/host.ts'
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
} from '../policy/policy.ts'
import type { Tool } from '../request/tool.ts'
import type { Tape } from '../store/tape.ts'
import type { Departure } from './departure.ts'
import { productOf } from './draft.ts'
import type { ExchangeInput } from './exchange.ts'
import { ownerOf } from './owner.ts'
import type { Plan } from './plan.ts'
import type { PolicyRoom } from './policies.ts'

/** What it needs beside the exchange and its plan. */
export interface HostParts {
  readonly room: PolicyRoom
  readonly client: Departure
  readonly tape: Tape | undefined
}

/** A class, and not functions around what they share: every exchange with policies has one, for as long as it takes. */
export class ExchangeHost implements PolicyHost {
  readonly exchangeId: string
  readonly client: PolicyContext['client']
  readonly request: PolicyRequest
  readonly verdicts: VerdictRecord[] = []
  private readonly input: ExchangeInput
  private readonly plan: Plan
  private readonly given: HostParts

  constructor(input: ExchangeInput, plan: Plan, given: HostParts, request: PolicyRequest) {
    this.input = input
    this.plan = plan
    this.given = given
    this.exchangeId = input.id
    this.client = { key: input.client.key, agent: productOf(input.request.headers['user-agent']) }
    this.request = request
  }

  now(): number {
    return this.given.room.now()
  }

  tick(): number {
    return this.input.room.ticker.now()
  }

  onLeave(callback: () => void): () => void {
    return this.given.client.onLeave(callback)
  }

  log(policy: Policy): PolicyLog {
    return this.given.room.log(policy, this.exchangeId)
  }

  memoryOf(policy: Policy): unknown {
    return this.given.room.memories.of(policy, `${this.owner()}\n${this.request.conversationId}`)
  }

  callModel(call: ModelCall, signal: AbortSignal): Promise<ModelReply> {
    return this.given.room.callModel(call, signal)
  }

  ask(question: Question): Promise<Decision> {
    return this.given.room.ask({ ...question, owner: this.owner() })
  }

  checkArguments(tool: Tool, args: unknown): string | undefined {
    return this.given.room.checkArguments(tool, args)
  }

  haltedBy(): string | undefined {
    return this.given.room.haltedBy()
  }

  onVerdict(record: VerdictRecord): void {
    // The engine's own gate has nothing to say while the switch is not thrown.
    if (record.policy === HALT_GATE.policy.name && record.type === 'pass') return
    this.verdicts.push(record)
    this.given.room.onVerdict(record)
    this.given.tape?.verdict(record)
  }

  private owner(): string {
    return (this.plan.owner ??= ownerOf(this.input))
  }
}
