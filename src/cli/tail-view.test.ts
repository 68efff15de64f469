import { afterEach, expect, test, vi } from 'vitest'
import type { ApiEvent } from '../api/types.ts'
import type { OpenExchange } from '../store/feed.ts'
import type { ExchangeSummary } from '../store/query.ts'
import type { Output } from './output.ts'
import { createTailView } from './tail-view.ts'

afterEach(() => void vi.useRealTimers())

function view(json = false, isWanted = (_one: { model: string | undefined }): boolean => true) {
  const lines: string[] = []
  const out: Output = {
    write: (chunk) => Promise.resolve(void lines.push(String(chunk))),
    line: (text = '') => Promise.resolve(void lines.push(text)),
    style: (style, text) => `<${String(style)}>${text}</>`,
    isGone: false,
  }
  return { lines, ...createTailView(out, { json, isWanted }) }
}

const EXCHANGE = {
  id: 'x',
  startedAt: 0,
  endpoint: '/v1/messages',
  wire: 'anthropic-messages',
  model: 'm',
} as OpenExchange
const FINISHED = {
  ...EXCHANGE,
  status: 200,
  outcome: 'done',
  durationMs: 1500,
  usage: { inputTokens: 3, outputTokens: 4 },
  cost: 1234,
  tools: [{ name: 'Bash', count: 2 }],
} as unknown as ExchangeSummary

const STREAM = [
  { type: 'message_start', message: { id: 'msg', role: 'assistant', model: 'm', content: [] } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
].map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`)

const piece = (text: string, kind = 'upstream'): ApiEvent =>
  ({ type: 'piece', id: 'x', kind, at: 1, bytes: new TextEncoder().encode(text) }) as ApiEvent
const verdict = (type: string, isShadow = false): ApiEvent =>
  ({
    type: 'verdict',
    id: 'x',
    verdict: { type, policy: 'p', reason: 'why\u001b[2J', block: { name: 'Bash' }, isShadow },
  }) as unknown as ApiEvent

test('an exchange is a line at its beginning, one for each block and verdict, and one at its end', async () => {
  const { lines, take } = view()
  await take({ type: 'begun', exchange: EXCHANGE })
  await take(piece(STREAM.join('')))
  for (const type of ['deny', 'rewrite', 'pass']) await take(verdict(type))
  await take(verdict('deny', true))
  await take({ type: 'finished', exchange: FINISHED })
  expect(lines.length).toBe(7)
  expect(lines[0]).toContain('<bold>m</>')
  expect(lines[1]).toContain('<cyan>text</>  Hello')
  expect(lines[2]).toContain('<red>deny  Bash  by p  why·[2J</>')
  expect(lines[3]).toContain('<yellow>rewrite')
  expect(lines[4]).toContain('<dim>pass')
  expect(lines[5]).toContain('<dim>would deny')
  expect(lines[6]).toContain('<green>200</>  1.5 s  3 in, 4 out  $0.0012  Bash ×2')
  expect(lines.join()).not.toContain('\u001b')
})

test('bytes that come behind the end still count, and one that is cut is said to be', async () => {
  vi.useFakeTimers()
  const { lines, take } = view()
  await take({ type: 'begun', exchange: EXCHANGE })
  await take(piece(STREAM.slice(0, 3).join('')))
  await take({ type: 'finished', exchange: FINISHED })
  expect(lines.length).toBe(1)
  await take(piece(STREAM.slice(3).join('')))
  expect(lines.length).toBe(3)
  expect(lines[1]).not.toContain('(cut)')
  await take({ type: 'begun', exchange: EXCHANGE })
  await take(piece(STREAM.slice(0, 3).join('')))
  await take({ type: 'finished', exchange: FINISHED })
  await vi.advanceTimersByTimeAsync(1000)
  expect(lines.length).toBe(6)
  expect(lines[4]).toContain('(cut)')
})

test('only what is wanted is shown, and what others got is not', async () => {
  const { lines, take } = view(false, ({ model }) => model === 'other')
  await take({ type: 'state', pending: [], halt: { halted: false }, open: [EXCHANGE] })
  await take({ type: 'begun', exchange: EXCHANGE })
  await take(piece(STREAM.join('')))
  await take(verdict('deny'))
  await take({ type: 'finished', exchange: FINISHED })
  expect(lines).toEqual(['<dim>Watching: 1 under way. Ctrl-C ends it.</>'])
})

test('as JSON it is one object a line', async () => {
  const { lines, take } = view(true)
  await take({ type: 'state', pending: [], halt: { halted: false }, open: [EXCHANGE] })
  await take(piece(STREAM.join('')))
  await take(piece(STREAM.join(''), 'delivered'))
  await take(verdict('deny'))
  await take({ type: 'finished', exchange: FINISHED })
  await take({ type: 'recorded', id: 'x' })
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
    'state',
    'begun',
    'block',
    'verdict',
    'finished',
  ])
})
