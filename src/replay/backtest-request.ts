/**
 * A recorded request as policies see it: read when the first of them asks, and once. Neighbours:
 * `exchange/policy-request.ts` is the same for a request under way; `backtest-run.ts` makes it.
 */
import { parseObject, type JsonObject } from '../base/json.ts'
import { withExactInputs } from '../exchange/exact-inputs.ts'
import { withoutOrphans } from '../exchange/orphaned-reasoning.ts'
import type { PolicyRequest } from '../policy/policy.ts'
import { ReadableRequest } from '../policy/readable-request.ts'
import type { ModelRequest } from '../request/request.ts'
import type { ExchangeSummary } from '../store/query.ts'
import type { Wire } from '../wire/wire.ts'

export class PastRequest extends ReadableRequest implements PolicyRequest {
  readonly model: string
  readonly route: string | undefined
  readonly isStream: boolean
  readonly conversationId: string
  upstream: string | undefined
  upstreamModel: string | undefined
  private readonly wire: Wire
  private readonly bytes: Uint8Array | undefined
  private json: JsonObject | undefined
  private canonical: ModelRequest | undefined
  private isParsed = false
  private isRead = false

  constructor(row: ExchangeSummary, wire: Wire, bytes: Uint8Array | undefined) {
    super()
    this.model = row.model ?? ''
    this.route = row.route
    this.isStream = row.isStream
    this.conversationId = row.conversation ?? row.id
    this.wire = wire
    this.bytes = bytes
  }

  /** Who answered is known behind the request. */
  servedBy({ upstream, upstreamModel }: ExchangeSummary): void {
    this.upstream = upstream
    this.upstreamModel = upstreamModel
  }

  /** A policy changed it: those behind it see that. */
  change(request: ModelRequest): void {
    this.canonical = request
    this.isRead = true
  }

  /** As the client sent it; `undefined` where it is not kept, or no JSON. */
  body(): JsonObject | undefined {
    if (this.isParsed) return this.json
    this.isParsed = true
    const { bytes } = this
    if (bytes === undefined) return undefined
    this.json = parseObject(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString())
    return this.json
  }

  read(): ModelRequest | undefined {
    if (this.isRead) return this.canonical
    this.isRead = true
    const body = this.body()
    if (body === undefined || this.bytes === undefined) return undefined
    const own =
      this.wire.name === 'anthropic-messages'
        ? withExactInputs(body, this.bytes)
        : (withoutOrphans(body) ?? body)
    const read = this.wire.readRequest(own)
    this.canonical = read.ok ? read.request : undefined
    return this.canonical
  }
}
