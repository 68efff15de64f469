/**
 * A record → what is to be seen of it: the request in our own tongue, the answer as it came and as it left, and what is
 * different. Neighbours: `read-answer.ts` reads one answer; `sluice show`, the API and the page show it. Everything is
 * read from the bytes that passed, by the decoder that read them then.
 */
import { isObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import type { ModelRequest } from '../request/request.ts'
import type { ExchangeRecord } from '../store/query.ts'
import { BODY_KINDS, type Body, type BodyKind, type StoredVerdict } from '../store/record.ts'
import type { RecordReader } from '../store/store.ts'
import { WIRES } from '../wire/wires.ts'
import { parseBody } from './body-form.ts'
import { compareAnswers, type BlockChange } from './compare-answers.ts'
import { readAnswer, type AnswerView } from './read-answer.ts'

export interface RecordView {
  readonly record: ExchangeRecord
  /** In order; up to a thousand. */
  readonly verdicts: readonly StoredVerdict[]
  /** As the client asked; `undefined` where its bytes are not here or are no request. */
  readonly request: ModelRequest | undefined
  /** As the upstream was asked, where that is not the same. */
  readonly sent: ModelRequest | undefined
  /** As it came; `undefined` where its bytes are not here. */
  readonly upstream: AnswerView | undefined
  /** As it left: the same object where nothing was changed. */
  readonly delivered: AnswerView | undefined
  readonly isSame: boolean
  /** Block by block, where both are here and differ. */
  readonly changes: readonly BlockChange[]
  /** Why something is not here, a sentence each. */
  readonly notes: readonly string[]
}

export type Bodies = Partial<Readonly<Record<BodyKind, Body>>>

const MAX_VERDICTS = 1000

/** `undefined`: there is no such record. */
export async function readRecord(
  reader: RecordReader,
  id: string,
): Promise<RecordView | undefined> {
  const record = await reader.find(id)
  if (record === undefined) return undefined
  const [kept] = await reader.bodies([record.id], BODY_KINDS)
  const verdicts = await reader.verdicts({
    exchangeId: record.id,
    limit: MAX_VERDICTS,
    isOldestFirst: true,
  })
  return toRecordView(record, kept?.bodies ?? {}, verdicts.items)
}

export function toRecordView(
  record: ExchangeRecord,
  bodies: Bodies,
  verdicts: readonly StoredVerdict[],
): RecordView {
  const upstreamWire = record.upstreamWire ?? record.wire
  const { request, sent } = bodies
  const upstream = bodies.upstream && readAnswer(upstreamWire, bodies.upstream)
  const isSame = bodies.delivered === undefined && !record.dropped.includes('delivered')
  const delivered = isSame
    ? upstream
    : bodies.delivered && readAnswer(record.wire, bodies.delivered)
  const isCompared = !isSame && upstream !== undefined && delivered !== undefined
  return {
    record,
    verdicts: verdicts.toSorted((a, b) => a.at - b.at),
    request: request && readRequest(record.wire, request),
    sent: sent && readRequest(upstreamWire, sent),
    upstream,
    delivered,
    isSame,
    changes: isCompared ? compareAnswers(upstream.blocks, delivered.blocks) : [],
    notes: notesOf(record, { bodies, upstream, delivered }),
  }
}

function readRequest(wire: WireName, { bytes }: Body): ModelRequest | undefined {
  const body = parseBody(bytes)
  const read = isObject(body) ? WIRES[wire].readRequest(body) : undefined
  return read?.ok === true ? read.request : undefined
}

function notesOf(
  { record, dropped, status }: ExchangeRecord,
  of: { bodies: Bodies; upstream: AnswerView | undefined; delivered: AnswerView | undefined },
): readonly string[] {
  if (record === 'metadata')
    return ['Nothing of the content was kept: it was recorded with "record: metadata"']
  const notes: string[] = []
  if (record === 'redacted')
    notes.push('Secrets, mail addresses and card numbers are masked, and streams written anew')
  if (dropped.length > 0)
    notes.push(
      record === 'redacted'
        ? `Not kept, because there was no room or nobody could read it: ${dropped.join(', ')}`
        : `Not kept, because there was no room for it: ${dropped.join(', ')}`,
    )
  if (of.upstream === undefined && !dropped.includes('upstream'))
    notes.push(`No upstream has answered: the gateway said ${status} itself`)
  for (const view of new Set([of.upstream, of.delivered]))
    if (view?.form === 'other') notes.push(`The answer is nothing that ${view.wire} knows`)
  return notes
}
