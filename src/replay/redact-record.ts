/**
 * An exchange as it passed → what is kept of it with `record: redacted`: secrets, mail addresses and card numbers are
 * masked in everything that was said. Neighbours: `records/` calls it in its thread before anything is written;
 * `redact-answer.ts` and `redact-json.ts` do the work. What cannot be read is not kept, and is named as dropped.
 */
import type { VerdictRecord } from '../policy/policy.ts'
import type { Search } from '../stock/redact/search.ts'
import {
  BODY_KINDS,
  type Body,
  type BodyKind,
  type ExchangeRow,
  type Piece,
} from '../store/record.ts'
import { joinBytes } from './body-form.ts'
import { redactAnswer, redactJsonBody } from './redact-answer.ts'
import { maskJson, maskText, startMasking } from './redact-json.ts'

/** What is looked at of an exchange. */
export interface Redactable {
  readonly row: ExchangeRow
  /** All of them. */
  readonly pieces: readonly Piece[]
  readonly verdicts: readonly VerdictRecord[]
}

export function redactRecord<Exchange extends Redactable>(exchange: Exchange): Exchange {
  const { row } = exchange
  const dropped = new Set(row.dropped)
  const pieces = BODY_KINDS.flatMap((kind): readonly Piece[] => {
    const own = exchange.pieces.filter((piece) => piece.kind === kind)
    if (own.length === 0) return []
    const body = redactBody(kind, row, join(own))
    if (body === undefined) dropped.add(kind)
    return body === undefined ? [] : [{ kind, seq: 0, ...body }]
  })
  return {
    ...exchange,
    pieces,
    verdicts: redactVerdicts(exchange.verdicts),
    row: redactRow({ ...row, dropped: [...dropped] }),
  }
}

/** What verdicts quote, and what was said about it. */
export function redactVerdicts(verdicts: readonly VerdictRecord[]): readonly VerdictRecord[] {
  const search = startMasking()
  return verdicts.map((verdict) => ({
    ...verdict,
    reason: maskMaybe(verdict.reason, search),
    details: maskJson(verdict.details, { search }),
    original: maskMaybe(verdict.original, search),
    delivered: maskMaybe(verdict.delivered, search),
  }))
}

function redactBody(kind: BodyKind, row: ExchangeRow, body: Body): Body | undefined {
  switch (kind) {
    case 'request':
    case 'sent':
      return body.bytes.length === 0 ? body : redactJsonBody(body)
    case 'upstream':
      return redactAnswer(row.upstreamWire ?? row.wire, body)
    case 'delivered':
      return redactAnswer(row.wire, body)
  }
}

function join(pieces: readonly Piece[]): Body {
  const inOrder = pieces.toSorted((a, b) => a.seq - b.seq)
  return {
    bytes: joinBytes(inOrder.map(({ bytes }) => bytes)),
    times: inOrder.flatMap(({ times }) => [...times]),
  }
}

/** Errors repeat what they are about; a header, a query or the name of a model may be anything. */
function redactRow(row: ExchangeRow): ExchangeRow {
  const search = startMasking()
  return {
    ...row,
    fault: maskJson(row.fault, { search }),
    attempts: row.attempts.map((one) => ({ ...one, fault: maskJson(one.fault, { search }) })),
    requestHeaders: maskJson(row.requestHeaders, { search }),
    upstreamHeaders: maskJson(row.upstreamHeaders, { search }),
    query: maskText(row.query, search),
    client: maskMaybe(row.client, search),
    model: maskMaybe(row.model, search),
    upstreamModel: maskMaybe(row.upstreamModel, search),
    answerModel: maskMaybe(row.answerModel, search),
  }
}

const maskMaybe = (text: string | undefined, search: Search): string | undefined =>
  text === undefined ? undefined : maskText(text, search)
