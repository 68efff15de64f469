/**
 * A request as policies see it: read when the first of them asks, and once. Neighbours: `policies.ts` makes it.
 */
import type { JsonObject } from '../base/json.ts'
import type { PolicyRequest } from '../policy/policy.ts'
import { ReadableRequest } from '../policy/readable-request.ts'
import type { ModelRequest } from '../request/request.ts'
import type { Wire } from '../wire/wire.ts'
import { withExactInputs } from './exact-inputs.ts'

/** A class, so that it is one small object per exchange: see `base/bag.ts`. */
export class AskedRequest extends ReadableRequest implements PolicyRequest {
  readonly model: string
  readonly route: string | undefined
  readonly isStream: boolean
  private readonly findConversation: () => string
  private conversation: string | undefined
  upstream: string | undefined
  upstreamModel: string | undefined
  private readonly wire: Wire
  private body: JsonObject
  /** Its bytes, where more digits stand in them than in what was read. */
  private plain: Uint8Array | undefined
  private canonical: ModelRequest | undefined
  private isRead = false

  constructor(
    given: Pick<PolicyRequest, 'model' | 'route' | 'isStream'> & {
      readonly findConversation: () => string
    },
    wire: Wire,
    body: JsonObject,
    plain: Uint8Array | undefined,
  ) {
    super()
    this.model = given.model
    this.route = given.route
    this.isStream = given.isStream
    this.findConversation = given.findConversation
    this.wire = wire
    this.body = body
    this.plain = plain
  }

  /** Found once, when somebody asks: it takes a look at the whole beginning of the conversation. */
  get conversationId(): string {
    return (this.conversation ??= this.findConversation())
  }

  /** What is read is another body: that of the client was put right. */
  use(body: JsonObject, plain: Uint8Array | undefined): void {
    this.body = body
    this.plain = plain
    this.isRead = false
  }

  /** A policy changed it. */
  change(request: ModelRequest, body: JsonObject): void {
    this.canonical = request
    this.isRead = true
    this.body = body
    this.plain = undefined
  }

  /** `undefined` when it cannot be read: then nobody can answer it either. */
  read(): ModelRequest | undefined {
    if (this.isRead) return this.canonical
    this.isRead = true
    const { plain } = this
    if (plain !== undefined) this.body = withExactInputs(this.body, plain)
    this.plain = undefined
    const read = this.wire.readRequest(this.body)
    this.canonical = read.ok ? read.request : undefined
    return this.canonical
  }
}
