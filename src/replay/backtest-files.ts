/**
 * Recordings in files → a past to try policies on. Neighbours: `replay-files.ts` reads them, `backtest.ts` walks. Nobody
 * knows what was decided then: all of it is taken to have passed.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { ENDPOINTS } from '../exchange/endpoint.ts'
import type { ExchangeQuery, ExchangeSummary, PageQuery } from '../store/query.ts'
import type { Body } from '../store/record.ts'
import type { PastSource } from './backtest-walk.ts'
import type { Found, RecordingSource } from './replay-recording.ts'

/** What was asked is held while it goes on. */
const MAX_REQUEST_BYTES = 512 * 1024 * 1024

export async function readPastFiles(source: RecordingSource): Promise<PastSource> {
  const found = new Map<string, Found>()
  const rows: ExchangeSummary[] = []
  let bytes = 0
  for await (const one of source.read()) {
    bytes += one.request?.length ?? 0
    if (bytes > MAX_REQUEST_BYTES)
      throw new SluiceError(
        'wrong-use',
        `Cannot hold more than ${MAX_REQUEST_BYTES} bytes of requests: try a smaller folder, or a store`,
      )
    const row = toRow(one, rows.length)
    rows.push(row)
    found.set(row.id, one)
  }

  return {
    list({ cursor, limit = 50, isOldestFirst = false, ...query }) {
      const all = matching(rows, query)
      const ordered = isOldestFirst ? all : all.toReversed()
      const from = cursor === undefined ? 0 : Number(cursor)
      const to = from + limit
      return Promise.resolve({
        items: ordered.slice(from, to),
        next: to < ordered.length ? String(to) : undefined,
      })
    },
    count: (query, max) => Promise.resolve(Math.min(max, matching(rows, query).length)),
    async bodies(ids) {
      const kept = []
      for (const id of ids) {
        const one = found.get(id)
        if (one === undefined) continue
        const { bytes: answer, times } = await one.recording.load()
        const request = one.request === undefined ? undefined : toBody(one.request)
        const upstream: Body = { bytes: answer, times }
        kept.push({ id, bodies: { upstream, ...(request === undefined ? {} : { request }) } })
      }
      return kept
    },
    verdicts: () => Promise.resolve({ items: [], next: undefined }),
  }
}

const toBody = (bytes: Uint8Array): Body => ({ bytes, times: [] })

type Query = ExchangeQuery & Omit<PageQuery, 'cursor' | 'limit' | 'isOldestFirst'>

/** What is not known of a file does not choose: which tools were called is found when it is read. */
const matching = (
  rows: readonly ExchangeSummary[],
  { hasTools, model, wire, conversation, since }: Query,
): readonly ExchangeSummary[] =>
  hasTools === false
    ? []
    : rows.filter(
        (row) =>
          (model === undefined || row.model === model) &&
          (wire === undefined || row.wire === wire) &&
          (conversation === undefined || row.conversation === conversation) &&
          (since === undefined || row.startedAt >= since),
      )

function toRow({ recording, request }: Found, at: number): ExchangeSummary {
  const { name, wire, path, model, conversation, answerId } = recording
  const endpoint = ENDPOINTS.find((one) => one.path === path && one.wire === wire)
  return {
    id: name,
    requestId: name,
    traceId: '',
    gateway: '',
    // Their order is all that is known.
    startedAt: at,
    durationMs: 0,
    firstByteMs: undefined,
    method: 'POST',
    endpoint: endpoint?.pattern ?? path,
    wire,
    upstreamWire: wire,
    key: undefined,
    client: undefined,
    route: undefined,
    upstream: undefined,
    model,
    upstreamModel: model,
    answerModel: undefined,
    answerId,
    conversation,
    isStream: true,
    status: 200,
    outcome: 'done',
    fault: undefined,
    finishReason: undefined,
    usage: undefined,
    isUsageEstimated: false,
    cost: undefined,
    violations: 0,
    bytesIn: request?.length ?? 0,
    bytesOut: 0,
    upstreamStatus: 200,
    record: 'bytes',
    dropped: [],
    attemptCount: 0,
    lossCount: 0,
    tools: [],
    verdicts: {},
    shadowVerdicts: {},
  }
}
