/**
 * Exchanges of the store → recordings. One that crossed wires is two: what its client saw on its wire, and what its
 * upstream said on the other. Neighbours: `store/` keeps them, `replay-source.ts` chooses. Reads requests in batches when
 * it begins, and each answer when it is its turn.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { ENDPOINTS, isCount, type Endpoint } from '../exchange/endpoint.ts'
import { PATHS } from '../exchange/way.ts'
import type { ExchangeQuery, ExchangeRecord, ExchangeSummary } from '../store/query.ts'
import type { Body, BodyKind } from '../store/record.ts'
import type { RecordReader } from '../store/store.ts'
import { toReplayHeaders } from './replay-headers.ts'
import { MAX_RECORDINGS, type Found, type RecordedAnswer } from './replay-recording.ts'

export interface StoreOptions {
  /** One exchange alone, by its id or its request's. */
  readonly id?: string | undefined
  readonly query?: ExchangeQuery
  /** What was played by this upstream is no recording of its own. */
  readonly except?: string | undefined
  readonly answers: 'delivered' | 'upstream'
}

type Reader = Pick<RecordReader, 'list' | 'find' | 'body' | 'bodies'>

const PAGE = 100

export async function* readStore(reader: Reader, options: StoreOptions): AsyncGenerator<Found> {
  let count = 0
  let without = 0
  for await (const rows of pagesOf(reader, options)) {
    const kept = rows.filter((row) => isPlayable(row, options))
    const ids = kept.map(({ id }) => id)
    const bodies = ids.length === 0 ? [] : await reader.bodies(ids, ['request', 'sent'])
    const byId = new Map(bodies.map((one) => [one.id, one.bodies]))
    for (const row of kept) {
      if (row.record === 'metadata' || !(await hasAnswer(row, reader))) {
        without += 1
        continue
      }
      if (++count > MAX_RECORDINGS) throw tooMany()
      yield* toFound(row, byId.get(row.id) ?? {}, { reader, answers: options.answers })
    }
  }
  if (count === 0) throw nothing(options, without)
}

async function* pagesOf(
  reader: Reader,
  { id, query = {} }: StoreOptions,
): AsyncGenerator<readonly Row[]> {
  if (id !== undefined) {
    const found = await reader.find(id)
    if (found === undefined)
      throw new SluiceError('wrong-use', `There is no exchange "${id}" in the records`)
    yield [found]
    return
  }
  let cursor: string | undefined
  do {
    const page = await reader.list({ ...query, cursor, limit: PAGE, isOldestFirst: true })
    yield page.items
    cursor = page.next
  } while (cursor !== undefined)
}

type Row = ExchangeSummary | ExchangeRecord

/** Counts are estimated anew, and what an upstream kept is not here. */
const isPlayable = (row: Row, { except }: StoreOptions): boolean => {
  const endpoint = endpointOf(row)
  return (
    endpoint !== undefined &&
    endpoint.kind !== 'stored' &&
    !isCount(endpoint) &&
    (except === undefined || row.upstream !== except)
  )
}

/** Whether something of its answer was kept: there may have been no room, or nothing was said. */
async function hasAnswer(row: Row, reader: Reader): Promise<boolean> {
  const isPlain = row.outcome === 'done' && row.dropped.length === 0
  if (isPlain) return true
  const { bodies = {} } = 'bodies' in row ? row : ((await reader.find(row.id)) ?? {})
  return bodies['delivered'] !== undefined || bodies['upstream'] !== undefined
}

const endpointOf = ({ endpoint, method }: Row): Endpoint | undefined =>
  ENDPOINTS.find((one) => one.pattern === endpoint && one.method === method)

interface Making {
  readonly reader: Reader
  readonly answers: StoreOptions['answers']
}

function* toFound(
  row: Row,
  bodies: Partial<Readonly<Record<BodyKind, Body>>>,
  making: Making,
): Generator<Found> {
  const { id: name, wire, upstreamWire, conversation } = row
  yield {
    recording: {
      name,
      wire,
      path: endpointOf(row)?.path ?? PATHS[wire],
      conversation,
      model: row.model,
      answerId: row.answerId,
      load: async () => await loadClient(row, making),
    },
    request: bodies.request?.bytes,
  }
  if (upstreamWire === undefined || upstreamWire === wire) return
  yield {
    recording: {
      name,
      wire: upstreamWire,
      path: PATHS[upstreamWire],
      conversation,
      model: row.upstreamModel ?? row.model,
      answerId: undefined,
      isBehind: true,
      load: async () => await loadUpstream(row, making),
    },
    request: bodies.sent?.bytes,
  }
}

/** What the client got. */
async function loadClient(row: Row, making: Making): Promise<RecordedAnswer> {
  const { reader, answers } = making
  const isOwnWire = row.upstreamWire === undefined || row.upstreamWire === row.wire
  const came = isOwnWire && answers === 'upstream' ? await tryUpstream(row, reader) : undefined
  if (came !== undefined) return came
  const delivered = await reader.body(row.id, 'delivered')
  if (delivered === undefined && isOwnWire) return await loadUpstream(row, making)
  if (delivered === undefined) throw notKept(row)
  const isJson = delivered.bytes.find((byte) => byte > 0x20) === OPEN_BRACE
  return {
    ...delivered,
    status: row.outcome === 'client-left' ? 200 : row.status,
    headers: {
      ...(isOwnWire ? await headersOf(row, reader) : {}),
      'content-type': isJson ? 'application/json' : 'text/event-stream; charset=utf-8',
    },
    ending: row.outcome === 'client-left' ? 'cut' : 'end',
  }
}

const OPEN_BRACE = 0x7b

/** What the upstream said. */
async function loadUpstream(row: Row, { reader }: Making): Promise<RecordedAnswer> {
  const answer = await tryUpstream(row, reader)
  if (answer === undefined) throw notKept(row)
  return answer
}

async function tryUpstream(row: Row, reader: Reader): Promise<RecordedAnswer | undefined> {
  const body = await reader.body(row.id, 'upstream')
  if (body === undefined) return undefined
  return {
    ...body,
    status: row.upstreamStatus ?? row.status,
    headers: await headersOf(row, reader),
    ending: row.outcome === 'broken' || row.outcome === 'client-left' ? 'cut' : 'end',
  }
}

async function headersOf({ id }: Row, reader: Reader): Promise<RecordedAnswer['headers']> {
  return toReplayHeaders((await reader.find(id))?.upstreamHeaders ?? {})
}

const notKept = ({ id }: Row): SluiceError =>
  new SluiceError('wrong-use', `The answer of "${id}" is not in the records any more`)

const tooMany = (): SluiceError =>
  new SluiceError(
    'wrong-use',
    `Cannot replay more than ${MAX_RECORDINGS} exchanges at once: name a conversation, or a shorter time`,
  )

function nothing({ id, query }: StoreOptions, without: number): SluiceError {
  const what =
    id !== undefined
      ? `Exchange "${id}"`
      : query?.conversation === undefined
        ? 'What the records hold'
        : `Conversation "${query.conversation}"`
  return new SluiceError(
    'wrong-use',
    without > 0
      ? `${what} was recorded without its answers: with "record: bytes" they are kept`
      : `${what} has no answer that could be replayed`,
  )
}
