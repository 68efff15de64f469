/**
 * An answer that the gateway has whole, in one piece. Neighbours: `count.ts` and `stored.ts` have such.
 */
import type { Draft } from './draft.ts'
import type { ExchangeInput } from './exchange.ts'

interface WholeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export function sendWhole(
  { id, response }: ExchangeInput,
  draft: Draft,
  { status, headers, body }: WholeAnswer,
): void {
  draft.firstByte()
  draft.tape?.left(body)
  response.writeHead(status, { ...headers, 'content-length': body.length, 'x-request-id': id })
  response.end(body)
  draft.bytesOut += body.length
}
