/**
 * A report of an exchange that went well, for the tests of what reads reports.
 */
import type { Attempt, ExchangeReport } from '../../src/exchange/report.ts'
import type { VerdictRecord } from '../../src/policy/policy.ts'

export const attempt = (changes: Partial<Attempt> = {}): Attempt => ({
  upstream: 'openai',
  spanId: 'aaaaaaaaaaaaaaaa',
  startedAt: Date.UTC(2026, 10, 15, 10, 20, 30, 5),
  durationMs: 1200,
  firstByteMs: 300,
  status: 200,
  fault: undefined,
  ...changes,
})

export const verdict = (changes: Partial<VerdictRecord> = {}): VerdictRecord => ({
  policy: 'rules',
  version: '1',
  type: 'deny',
  reason: 'Never delete everything',
  tags: ['danger'],
  details: { rule: 'no-delete' },
  by: undefined,
  block: { type: 'tool-call', id: 'call_1', index: 1, name: 'Bash' },
  original: '{"command":"rm -rf /"}',
  delivered: undefined,
  isShadow: false,
  tookMs: 0.05,
  ...changes,
})

export const report = (changes: Partial<ExchangeReport> = {}): ExchangeReport => ({
  id: 'req_0123456789abcdef01234567',
  trace: {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    parentId: undefined,
    isSampled: true,
    state: undefined,
  },
  startedAt: Date.UTC(2026, 10, 15, 10, 20, 30),
  durationMs: 1234.5,
  firstByteMs: 310.4,
  method: 'POST',
  endpoint: '/v1/messages',
  wire: 'anthropic-messages',
  upstreamWire: 'openai-responses',
  key: 'laptop',
  route: 'claude-*',
  upstream: 'openai',
  model: 'claude-sonnet-4-5',
  upstreamModel: 'gpt-5.5',
  answerModel: 'gpt-5.5-2026-10-01',
  answerId: 'resp_1',
  isStream: true,
  status: 200,
  outcome: 'done',
  fault: undefined,
  finishReason: 'tool-calls',
  isUsageEstimated: false,
  usage: { inputTokens: 100, cacheReadTokens: 900, outputTokens: 50, reasoningTokens: 20 },
  attempts: [attempt()],
  bytesIn: 2048,
  bytesOut: 4096,
  losses: [],
  violations: 0,
  verdicts: [],
  client: 'claude-cli/2.1.325',
  ...changes,
})
