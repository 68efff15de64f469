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
  private ownMemory: unknown
  private hasMemory = false
  private readonly host: PolicyHost
  private readonly policy: Policy
  private readonly parent: Context | undefined
  private controller: AbortController | undefined
  private hasLeft = false
  private ownLog: PolicyLog | undefined
  /** Those around it whose signals somebody has: they end with it. */
  private heard: Set<Context> | undefined

  constructor(host: PolicyHost, policy: Policy, parent?: Context) {
    this.host = host
    this.policy = policy
    this.parent = parent
    this.exchangeId = host.exchangeId
    this.client = host.client
    this.request = host.request
    this.state = parent === undefined ? policy.state?.() : parent.state
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController()
      if (this.hasLeft || this.parent?.hasLeft === true) this.controller.abort()
      else this.parent?.hear(this)
    }
    return this.controller.signal
  }

  /** Found when it is asked for: to know which conversation this is costs a look at the request. */
  get memory(): unknown {
    if (this.parent !== undefined) return this.parent.memory
    if (!this.hasMemory) {
      this.ownMemory = memoryOf(this.host, this.policy)
      this.hasMemory = true
    }
    return this.ownMemory
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
    if (this.hasLeft) return
    this.hasLeft = true
    this.parent?.heard?.delete(this)
    this.controller?.abort()
    if (this.heard !== undefined) for (const child of this.heard) child.leave()
  }

  /** For one judgment, whose time has its own end. */
  child(): Context {
    return new Context(this.host, this.policy, this)
  }

  private hear(child: Context): void {
    this.heard ??= new Set()
    this.heard.add(child)
  }
}

const memoryOf = (host: PolicyHost, policy: Policy): unknown =>
  policy.memory === undefined ? undefined : host.memoryOf(policy)
