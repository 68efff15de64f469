/**
 * A request as policies see it: read when the first of them asks, and once. Neighbours: `policies.ts` makes it.
 */
import type { JsonObject } from '../base/json.ts'
import type { PolicyRequest } from '../policy/policy.ts'
import { ReadableRequest } from '../policy/readable-request.ts'
import type { ModelRequest } from '../request/request.ts'
import type { Wire } from '../wire/wire.ts'
import { conversationOf, toldBy } from './conversation.ts'
import { withExactInputs } from './exact-inputs.ts'
import type { ExchangeInput } from './exchange.ts'
import type { Plan } from './plan.ts'
import type { RequestFacts } from './request.ts'

/** A class, so that it is one small object per exchange: see `base/bag.ts`. */
export class AskedRequest extends ReadableRequest implements PolicyRequest {
  readonly model: string
  readonly route: string | undefined
  readonly isStream: boolean
  private readonly input: ExchangeInput
  private readonly plan: Plan
  private conversation: string | undefined
  upstream: string | undefined
  upstreamModel: string | undefined
  private readonly wire: Wire
  /**
   * As the client sent it; the plan lets go of it once an upstream has it. Bytes and not what they say: a conversation is
   * large, its answer takes minutes, and few policies look at it.
   */
  private readonly facts: RequestFacts | undefined
  /** With the turns before, where the client sent only what is new. */
  private readonly expanded: JsonObject | undefined
  /** What is read instead. */
  private body: JsonObject | undefined
  /** Its bytes, where more digits stand in them than in what was read. */
  private plain: Uint8Array | undefined
  private canonical: ModelRequest | undefined
  private isRead = false

  constructor(input: ExchangeInput, plan: Plan, wire: Wire) {
    super()
    this.input = input
    this.plan = plan
    this.model = plan.facts?.model ?? ''
    this.route = plan.route?.model
    this.isStream = plan.wantsStream
    this.wire = wire
    this.facts = plan.facts
    this.expanded = plan.expanded?.body
    this.plain = plainOf(plan, wire)
  }

  /** Found once, when somebody asks: it takes a look at the whole beginning of the conversation. */
  get conversationId(): string {
    return (this.conversation ??= this.plan.conversation ??= this.findConversation())
  }

  private findConversation(): string {
    const { room, client, request } = this.input
    return conversationOf(
      request.headers,
      this.expanded === undefined && this.facts !== undefined
        ? this.facts
        : toldBy(this.expanded ?? {}),
      (id) => room.origins.find(client.key, id)?.conversation,
    )
  }

  /** What is read is another body: that of the client was put right. */
  use(body: JsonObject): void {
    this.body = body
    this.plain = undefined
    this.isRead = false
  }

  /** A policy changed it. */
  change(request: ModelRequest): void {
    this.canonical = request
    this.isRead = true
  }

  /** `undefined` when it cannot be read: then nobody can answer it either. */
  read(): ModelRequest | undefined {
    if (this.isRead) return this.canonical
    this.isRead = true
    const { plain } = this
    const body = this.body ?? this.expanded ?? this.facts?.json() ?? {}
    this.body = undefined
    this.plain = undefined
    const read = this.wire.readRequest(plain === undefined ? body : withExactInputs(body, plain))
    this.canonical = read.ok ? read.request : undefined
    return this.canonical
  }
}

/** Only there numbers stand in the body itself, and not in a text. */
const plainOf = ({ expanded, body }: Plan, wire: Wire): Buffer | undefined =>
  wire.name === 'anthropic-messages' && expanded === undefined ? body?.plain : undefined
