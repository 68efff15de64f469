/**
 * A policy's context with another way to models. Neighbours: `backtest-judges.ts`. Everything else is the engine's own:
 * its signal is found when somebody asks, so that it is handed on and not copied.
 */
import type { ModelCall, ModelReply, PolicyContext } from '../policy/policy.ts'

export class PastContext implements PolicyContext {
  private readonly own: PolicyContext
  readonly callModel: (call: ModelCall) => Promise<ModelReply>

  constructor(own: PolicyContext, callModel: (call: ModelCall) => Promise<ModelReply>) {
    this.own = own
    this.callModel = callModel
  }

  get exchangeId(): string {
    return this.own.exchangeId
  }

  get client(): PolicyContext['client'] {
    return this.own.client
  }

  get request(): PolicyContext['request'] {
    return this.own.request
  }

  get state(): unknown {
    return this.own.state
  }

  get memory(): unknown {
    return this.own.memory
  }

  get signal(): AbortSignal {
    return this.own.signal
  }

  get log(): PolicyContext['log'] {
    return this.own.log
  }

  now(): number {
    return this.own.now()
  }
}
