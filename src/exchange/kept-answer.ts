/**
 * An answer that its client may name later, until somebody does: mostly nobody. Neighbours: `memory.ts` makes it when the answer
 * is over, `session/` holds it. Thousands wait for an hour, so each is bytes and text: objects would be gone through by every
 * full collection, and a closure of the exchange would hold its request, its answer and both connections.
 */
import { parseObject, type JsonObject } from '../base/json.ts'
import type { StreamState } from '../block/state.ts'
import type { WireName } from '../event/event.ts'
import { collectAnswer } from '../session/collect.ts'
import { readDelivered } from '../session/delivered.ts'
import type { FinishedAnswer } from '../session/sessions.ts'
import type { EncoderOptions } from '../wire/wire.ts'
import { WIRES } from '../wire/wires.ts'

/** What a client asked, as it sent it. */
export class KeptRequest {
  private readonly said: Uint8Array | JsonObject

  /** Bytes are copied: what they are part of may be large. */
  constructor(said: Uint8Array | JsonObject) {
    this.said = said instanceof Uint8Array ? Uint8Array.prototype.slice.call(said) : said
  }

  read(): JsonObject {
    const { said } = this
    return said instanceof Uint8Array ? (parseObject(utf8.decode(said)) ?? {}) : said
  }
}

const utf8 = new TextDecoder()

/** One that we wrote: `body` as the client got it. */
export const writtenAnswer =
  (id: string, wire: WireName, request: KeptRequest, body: string | JsonObject) =>
  (): FinishedAnswer => {
    const answerBody = typeof body === 'string' ? (parseObject(body) ?? {}) : body
    const { items } = readDelivered(wire, answerBody)
    return { id, wire, requestBody: request.read(), outputItems: items, answerBody }
  }

interface UntouchedAnswer {
  readonly id: string
  readonly wire: WireName
  readonly issuer: string
  readonly request: KeptRequest
  readonly state: StreamState
  readonly encoder: EncoderOptions
}

/** One that left as it came. */
export const untouchedAnswer =
  ({ id, wire, issuer, request, state, encoder }: UntouchedAnswer) =>
  (): FinishedAnswer => {
    const { body } = WIRES[wire].writeAnswer(state, encoder)
    const { outputItems } = collectAnswer(state, { issuer, wire, body })
    return { id, wire, requestBody: request.read(), outputItems, answerBody: body }
  }
