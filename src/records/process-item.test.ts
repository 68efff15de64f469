import { expect, test } from 'vitest'
import { aFinished, aPiece, aSettings, aVerdict } from '../../test/support/finished.ts'
import type { WriteItem } from '../store/record.ts'
import type { RecordSettings } from '../store/settings.ts'
import { createContentReader } from './content.ts'
import type { FinishedExchange } from './outbox.ts'
import { createProcessor, type ContentReader, type RecordedItem } from './process-item.ts'

/** A reader that names the answer it was shown as a tool, so that a test sees what it got. */
const reader: ContentReader = {
  tools: (_, answer) => [{ name: answer.map(textOf).join(''), count: 1 }],
  redact: (exchange) => Promise.resolve({ ...exchange, pieces: [aPiece('request', 'masked')] }),
  redactVerdicts: (verdicts) =>
    Promise.resolve(verdicts.map((one) => ({ ...one, original: 'masked' }))),
  text: () => '',
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

async function process(
  settings: Partial<RecordSettings>,
  items: readonly RecordedItem[],
  content: ContentReader = reader,
): Promise<readonly WriteItem[]> {
  const out: WriteItem[] = []
  const processor = createProcessor({
    settings: aSettings('', settings),
    content: Promise.resolve(content),
    earlier: async () => [new TextEncoder().encode('before ')],
  })
  await processor.process(items, out)
  return out
}

const exchange = (over: Parameters<typeof aFinished>[1]): RecordedItem => ({
  type: 'exchange',
  exchange: aFinished('a', over),
})

test('a long body that was held and is not there any more is named as dropped', async () => {
  const ahead: RecordedItem[] = [0, 1].map((seq) => ({
    type: 'piece',
    exchangeId: 'a',
    piece: aPiece('request', seq === 0 ? '{"a":' : '1}', seq),
  }))
  // All of it has gone ahead: nothing of it comes with the end.
  const over = exchange({ pieces: [], ahead: { request: 2 }, row: { record: 'redacted' } })
  const content = createContentReader()
  const [kept] = await process({ mode: 'redacted' }, [...ahead, over], content)
  expect(kept).toMatchObject({ pieces: [{ kind: 'request' }], row: { dropped: [] } })
  // Another thread held it, and died.
  const [lost] = await process({ mode: 'redacted' }, [over], content)
  expect(lost).toMatchObject({ pieces: [], row: { dropped: ['request'] } })
  const [half] = await process({ mode: 'redacted' }, [...ahead.slice(0, 1), over], content)
  expect(half).toMatchObject({ pieces: [], row: { dropped: ['request'] } })
})

test('finds tools only where nobody has named them', async () => {
  const pieces = [aPiece('upstream', 'an answer')]
  const [named] = await process({}, [exchange({ pieces, tools: [{ name: 'Bash', count: 2 }] })])
  expect(named).toMatchObject({ tools: [{ name: 'Bash', count: 2 }] })
  const [found] = await process({}, [exchange({ pieces, tools: undefined })])
  expect(found).toMatchObject({ tools: [{ name: 'an answer', count: 1 }] })
})

test('looks for tools in what came before, too', async () => {
  const pieces = [aPiece('upstream', 'the end', 3)]
  const [found] = await process({}, [exchange({ pieces, tools: undefined })])
  expect(found).toMatchObject({ tools: [{ name: 'before the end' }] })
})

test('looks for tools in an answer that has gone ahead to its last byte', async () => {
  const [found] = await process({}, [exchange({ pieces: [], tools: undefined })])
  expect(found).toMatchObject({ tools: [{ name: 'before ' }] })
  const row = { upstreamStatus: undefined }
  const [none] = await process({}, [exchange({ pieces: [], tools: undefined, row })])
  expect(none).toMatchObject({ tools: [] })
})

test('writes an exchange whose answer cannot be read', async () => {
  const broken: ContentReader = {
    ...reader,
    tools: () => {
      throw new Error('no')
    },
  }
  const [found] = await process({}, [exchange({ tools: undefined })], broken)
  expect(found).toMatchObject({ tools: [], row: { id: 'a' } })
  expect(found).toMatchObject({ pieces: [{ kind: 'request' }, { kind: 'upstream' }] })
})

test('says that the text is due only where it can be searched for', async () => {
  const [open] = await process({}, [exchange({})])
  expect(open).toMatchObject({ isTextDue: true })
  const [closed] = await process({ secret: 'so' }, [exchange({})])
  expect(closed).toMatchObject({ isTextDue: false })
  const [off] = await process({ hasSearch: false }, [exchange({})])
  expect(off).toMatchObject({ isTextDue: false })
})

test('keeps no bytes and no quotes with "metadata"', async () => {
  const out = await process({ mode: 'metadata' }, [
    { type: 'piece', exchangeId: 'a', piece: aPiece('request', 'x') },
    exchange({
      verdicts: [
        aVerdict({ reason: 'It says rm -rf', details: { rule: 'deny[0]', said: 'rm -rf' } }),
      ],
      tools: undefined,
      row: {
        record: 'metadata',
        fault: { kind: 'invalid-request', message: 'Bad content: rm -rf' },
        query: '?q=rm -rf',
        requestHeaders: { 'x-note': 'rm -rf' },
      },
    }),
    { type: 'verdicts', exchangeId: 'a', at: 1, verdicts: [aVerdict()] },
  ])
  expect(out).toHaveLength(2)
  expect(JSON.stringify(out)).not.toContain('rm -rf')
  expect(out[0]).toMatchObject({ verdicts: [{ reason: undefined, details: { rule: 'deny[0]' } }] })
  expect(out[0]).toMatchObject({ pieces: [], tools: [], isTextDue: false })
  expect(out[1]).toMatchObject({ verdicts: [{ policy: 'rules', original: undefined }] })
})

test('writes nothing of an exchange that is to be masked before all of it is there', async () => {
  const seen: FinishedExchange[] = []
  const content: ContentReader = {
    ...reader,
    redact(one) {
      seen.push(one)
      return reader.redact(one)
    },
  }
  const out = await process(
    { mode: 'redacted' },
    [
      { type: 'piece', exchangeId: 'a', piece: aPiece('upstream', 'sk-', 0) },
      { type: 'piece', exchangeId: 'a', piece: aPiece('upstream', 'ant-', 1) },
      exchange({ pieces: [aPiece('upstream', 'api', 2)], row: { record: 'redacted' } }),
      { type: 'verdicts', exchangeId: 'a', at: 0, verdicts: [aVerdict()] },
    ],
    content,
  )
  expect(seen[0]?.pieces.map(({ bytes }) => textOf(bytes))).toEqual(['sk-', 'ant-', 'api'])
  expect(out).toMatchObject([
    { type: 'exchange', pieces: [{ kind: 'request' }] },
    { type: 'verdicts', verdicts: [{ original: 'masked' }] },
  ])
})

test('drops and marks a body that has a hole, and one that cannot be masked', async () => {
  const [holed] = await process({ mode: 'redacted' }, [
    { type: 'piece', exchangeId: 'a', piece: aPiece('upstream', 'x', 1) },
    exchange({ pieces: [aPiece('upstream', 'y', 2)], row: { record: 'redacted' } }),
  ])
  expect(holed).toMatchObject({ row: { dropped: ['upstream'] } })
  const broken: ContentReader = {
    ...reader,
    redact: () => {
      throw new Error('no')
    },
  }
  const row = { record: 'redacted', query: '?key=1', requestHeaders: { a: 'b' } } as const
  const [bare] = await process(
    { mode: 'redacted' },
    [exchange({ verdicts: [aVerdict()], row })],
    broken,
  )
  expect(bare).toMatchObject({
    pieces: [],
    row: { dropped: ['request', 'upstream'], query: '', requestHeaders: {} },
    verdicts: [{ original: undefined }],
  })
})

test('forgets what was held of a body that began anew or is not needed', async () => {
  const seen: FinishedExchange[] = []
  const content: ContentReader = {
    ...reader,
    redact: (one) => (seen.push(one), Promise.resolve(one)),
  }
  await process(
    { mode: 'redacted' },
    [
      { type: 'piece', exchangeId: 'a', piece: aPiece('upstream', 'first try') },
      { type: 'piece', exchangeId: 'a', piece: aPiece('delivered', 'the same') },
      exchange({
        pieces: [aPiece('upstream', 'second')],
        without: ['delivered'],
        row: { record: 'redacted' },
      }),
    ],
    content,
  )
  expect(seen[0]?.pieces.map(({ bytes }) => textOf(bytes))).toEqual(['second'])
})

test('reads tools and words of real answers', () => {
  const content = createContentReader()
  const answer =
    '{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"a heron"},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}'
  const request = '{"model":"x","max_tokens":9,"messages":[{"role":"user","content":"what bird"}]}'
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  const { row } = aFinished('a', { row: { isStream: false } })
  expect(content.tools(row, [bytes(answer)])).toEqual([{ name: 'Bash', count: 1 }])
  const text = content.text(row, { request: bytes(request), upstream: bytes(answer) })
  expect(text).toContain('what bird')
  expect(text).toContain('a heron')
  expect(content.text(row, { delivered: bytes(answer) })).toContain('heron')
})
