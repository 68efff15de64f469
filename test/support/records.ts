/** Small exchanges to record, and a codec that only marks. */
import type { VerdictRecord } from '../../src/policy/policy.ts'
import type { ExchangeRow, Piece, WriteItem } from '../../src/store/record.ts'
import type { PieceCodec } from '../../src/store/store.ts'

/** 13 May 2026. */
export const DAWN = 1_778_630_400_000

export const sampleRow = (id: string, over: Partial<ExchangeRow> = {}): ExchangeRow => ({
  id,
  requestId: `request-${id}`,
  traceId: '0af7651916cd43dd8448eb211c80319c',
  gateway: 'one',
  startedAt: DAWN,
  durationMs: 812.5,
  firstByteMs: 91.25,
  method: 'POST',
  endpoint: '/v1/messages',
  wire: 'anthropic-messages',
  upstreamWire: 'anthropic-messages',
  key: 'team',
  client: 'claude-cli',
  route: 'claude-*',
  upstream: 'anthropic',
  model: 'claude-sonnet-4-5',
  upstreamModel: 'claude-sonnet-4-5',
  answerModel: 'claude-sonnet-4-5-20250929',
  answerId: `msg_${id}`,
  conversation: 'session-1',
  isStream: true,
  status: 200,
  outcome: 'done',
  fault: undefined,
  finishReason: 'tool-calls',
  usage: { inputTokens: 10, cacheReadTokens: 90, outputTokens: 20 },
  isUsageEstimated: false,
  cost: 1234.5,
  attempts: [
    {
      upstream: 'anthropic',
      startedAt: DAWN,
      durationMs: 800,
      firstByteMs: 90,
      status: 200,
      fault: undefined,
    },
  ],
  losses: [{ kind: 'dropped', what: 'citation', count: 2 }],
  violations: 0,
  bytesIn: 2_000,
  bytesOut: 12_000,
  requestHeaders: { 'user-agent': 'claude-cli/2.1' },
  query: '?beta=true',
  upstreamStatus: 200,
  upstreamHeaders: { 'content-type': 'text/event-stream' },
  record: 'bytes',
  dropped: [],
  ...over,
})

export const sampleVerdict = (over: Partial<VerdictRecord> = {}): VerdictRecord => ({
  policy: 'rules',
  version: 'v1',
  type: 'deny',
  reason: 'Deleting is not allowed here',
  tags: ['shell'],
  details: { rule: 1 },
  by: undefined,
  block: { type: 'tool-call', id: 'toolu_1', index: 0, name: 'Bash' },
  original: '{"command":"rm -rf /srv/data"}',
  delivered: undefined,
  isShadow: false,
  tookMs: 0.75,
  ...over,
})

export const samplePiece = (text: string, over: Partial<Piece> = {}): Piece => ({
  kind: 'upstream',
  seq: 0,
  bytes: new TextEncoder().encode(text),
  times: [text.length, 91_250],
  ...over,
})

type ExchangeItem = Extract<WriteItem, { type: 'exchange' }>

export const sampleExchange = (
  id: string,
  over: Partial<ExchangeRow> = {},
  beside: Partial<Omit<ExchangeItem, 'type' | 'row'>> = {},
): ExchangeItem => ({
  type: 'exchange',
  row: sampleRow(id, over),
  pieces: [],
  verdicts: [],
  tools: [],
  without: [],
  text: undefined,
  ...beside,
})

/** Turns every bit around, so that it is seen where it was left out. */
export const flipCodec = (): PieceCodec => ({
  open: (kept) => kept,
  pack: (bytes) => ({ codec: 7, bytes: bytes.map((byte) => byte ^ 255) }),
  unpack: (codec, bytes) => {
    if (codec !== 7) throw new Error(`Not packed by this codec: ${codec}`)
    return Uint8Array.from(bytes, (byte) => byte ^ 255)
  },
})
