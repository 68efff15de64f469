/** Exchanges as the gateway hands them to the outbox, made by hand. */
import type { VerdictRecord } from '../../src/policy/policy.ts'
import type { FinishedExchange } from '../../src/records/outbox.ts'
import type { ExchangeRow, Piece } from '../../src/store/record.ts'
import type { RecordSettings } from '../../src/store/settings.ts'

export const aRow = (id: string, over: Partial<ExchangeRow> = {}): ExchangeRow => ({
  id,
  requestId: `request-${id}`,
  traceId: '0'.repeat(32),
  gateway: 'here',
  startedAt: 1_700_000_000_000,
  durationMs: 120,
  firstByteMs: 20,
  method: 'POST',
  endpoint: '/v1/messages',
  wire: 'anthropic-messages',
  upstreamWire: 'anthropic-messages',
  key: 'team',
  client: 'claude-cli',
  route: '*',
  upstream: 'demo',
  model: 'some-model',
  upstreamModel: 'some-model',
  answerModel: 'some-model',
  answerId: 'msg_1',
  conversation: 'talk-1',
  isStream: true,
  status: 200,
  outcome: 'done',
  fault: undefined,
  finishReason: undefined,
  usage: undefined,
  isUsageEstimated: false,
  cost: 12,
  attempts: [],
  losses: [],
  violations: 0,
  bytesIn: 10,
  bytesOut: 20,
  requestHeaders: { 'content-type': 'application/json' },
  query: '',
  upstreamStatus: 200,
  upstreamHeaders: { 'content-type': 'text/event-stream' },
  record: 'bytes',
  dropped: [],
  ...over,
})

export const aPiece = (kind: Piece['kind'], text: string, seq = 0): Piece => {
  const bytes = new TextEncoder().encode(text)
  return { kind, seq, bytes, times: [bytes.length, 1000] }
}

export const aVerdict = (over: Partial<VerdictRecord> = {}): VerdictRecord => ({
  policy: 'rules',
  version: '1',
  type: 'deny',
  reason: 'not here',
  tags: [],
  details: {},
  by: undefined,
  block: { type: 'tool-call', id: 'call_1', index: 0, name: 'Bash' },
  original: '{"command":"rm -rf /"}',
  delivered: 'not allowed',
  isShadow: false,
  tookMs: 1,
  ...over,
})

export const aFinished = (
  id: string,
  over: Partial<Omit<FinishedExchange, 'row'>> & { readonly row?: Partial<ExchangeRow> } = {},
): FinishedExchange => ({
  pieces: [aPiece('request', '{"model":"some-model"}'), aPiece('upstream', `data: ${id}\n\n`)],
  verdicts: [],
  tools: [],
  without: [],
  ...over,
  row: aRow(id, over.row),
})

export const aSettings = (file: string, over: Partial<RecordSettings> = {}): RecordSettings => ({
  mode: 'bytes',
  location: { type: 'sqlite', file },
  onFull: 'wait',
  maxWait: 500,
  maxAge: undefined,
  maxBytes: undefined,
  secret: undefined,
  hasSearch: true,
  isSynced: false,
  ...over,
})
