/**
 * What a policy is handed. One for each policy and exchange, and a light one around it for each judgment, whose signal is
 * its own. Neighbours: `host.ts` has the world, the stages hand it on.
 */
import type {
  ModelCall,
  ModelReply,
  Policy,
  PolicyContext,
  PolicyLog,
  PolicyRequest,
} from './policy.ts'
import type { PolicyHost } from './host.ts'

/** A class, so that what few ask for is made when it is asked for: see `base/bag.ts` on getters in literals. */
export class Context implements PolicyContext {
  readonly exchangeId: string
  readonly client: PolicyContext['client']
  readonly request: PolicyRequest
  readonly state: unknown
  readonly memory: unknown
  private readonly host: PolicyHost
  private readonly policy: Policy
  private controller: AbortController | undefined
  private hasLeft = false
  private ownLog: PolicyLog | undefined

  constructor(host: PolicyHost, policy: Policy, parent?: Context) {
    this.host = host
    this.policy = policy
    this.exchangeId = host.exchangeId
    this.client = host.client
    this.request = host.request
    this.state = parent === undefined ? policy.state?.() : parent.state
    this.memory = parent === undefined ? memoryOf(host, policy) : parent.memory
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.hasLeft) this.controller.abort()
    return this.controller.signal
  }

  get log(): PolicyLog {
    return (this.ownLog ??= this.host.log(this.policy))
  }

  now(): number {
    return this.host.now()
  }

  callModel(call: ModelCall): Promise<ModelReply> {
    const { signal } = this
    return this.host.callModel(
      call,
      call.signal === undefined ? signal : AbortSignal.any([signal, call.signal]),
    )
  }

  /** For the engine's own gate: why no call may pass at all. */
  haltedBy(): string | undefined {
    return this.host.haltedBy()
  }

  /** Nobody waits for what is done with it any more. */
  leave(): void {
    this.hasLeft = true
    this.controller?.abort()
  }

  /** For one judgment, whose time has its own end. */
  child(): Context {
    return new Context(this.host, this.policy, this)
  }
}

const memoryOf = (host: PolicyHost, policy: Policy): unknown =>
  policy.memory === undefined ? undefined : host.memoryOf(policy)
