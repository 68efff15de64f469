import { expect, test } from 'vitest'
import type { FeedEvent, LivePiece } from '../store/feed.ts'
import type { Piece, RecordMode } from '../store/record.ts'
import type { Recorder, TapeEnd, TapeStart } from '../store/tape.ts'
import { aRow, aVerdict } from '../../test/support/finished.ts'
import { createFeed, type FeedDesk } from './feed.ts'
import { createIds } from './ids.ts'
import type { FinishedExchange, Outbox } from './outbox.ts'
import { createRecorder } from './recorder.ts'
import { BLOCK_BYTES } from './reel.ts'

interface Desk {
  readonly recorder: Recorder
  readonly feed: FeedDesk
  readonly ahead: Piece[]
  readonly finished: FinishedExchange[]
  readonly late: [id: string, at: number, count: number][]
  room: number
  now: number
  commit(ids: readonly string[]): void
}

/** An outbox that keeps what it gets, with so much room for bodies. */
function open(mode: RecordMode = 'bytes'): Desk {
  const feed = createFeed()
  let tell: (ids: readonly string[]) => void = () => {}
  const outbox: Outbox = {
    hasRoom: (bytes) => bytes <= desk.room,
    piece: (_, piece) => void desk.ahead.push(piece),
    finish: (exchange) => void desk.finished.push(exchange),
    later: (id, at, verdicts) => void desk.late.push([id, at, verdicts.length]),
    admit: () => true,
    onCommitted(callback) {
      tell = callback
      return () => {}
    },
  }
  const desk: Desk = {
    feed,
    ahead: [],
    finished: [],
    late: [],
    room: Infinity,
    now: 100,
    commit: (ids) => tell(ids),
    recorder: createRecorder({
      outbox,
      feed,
      mode,
      gateway: 'here',
      createId: createIds((size) => new Uint8Array(size)),
      costOf: () => 7,
      now: () => desk.now,
    }),
  }
  return desk
}

const START: TapeStart = {
  requestId: 'req_1',
  startedAt: 1_700_000_000_000,
  startedTick: 100,
  endpoint: '/v1/messages',
  wire: 'anthropic-messages',
  key: 'team',
  client: 'claude-cli/2',
}
const FACTS = { model: 'm', isStream: true, conversation: 'talk' }
const end = (more: Partial<TapeEnd> = {}): TapeEnd => ({
  row: aRow('x'),
  requestHeaders: { 'user-agent': 'x', authorization: 'Bearer hush' },
  verdicts: [],
  tools: undefined,
  ...more,
})
const bytes = (text: string): Buffer => Buffer.from(text)
const said = (pieces: readonly Piece[], kind: string): string =>
  Buffer.concat(
    pieces.filter((piece) => piece.kind === kind).map((piece) => piece.bytes),
  ).toString()

test('an exchange becomes a row and its bodies, with times from its beginning', () => {
  const desk = open()
  const tape = desk.recorder.begin(START)
  tape.asked(bytes('{}'), FACTS)
  tape.again()
  tape.head(200, { 'content-type': 'text/event-stream', 'set-cookie': 'hush' })
  desk.now = 101.5
  tape.came(bytes('one '))
  tape.settled(undefined)
  desk.now = 103
  tape.came(bytes('two'))
  tape.finish(end())
  const [exchange] = desk.finished
  expect(exchange?.row).toMatchObject({
    id: tape.id,
    gateway: 'here',
    cost: 7,
    upstreamStatus: 200,
    upstreamHeaders: { 'content-type': 'text/event-stream' },
    requestHeaders: { 'user-agent': 'x' },
    record: 'bytes',
    dropped: [],
  })
  expect(exchange?.pieces).toMatchObject([
    { kind: 'request', seq: 0, times: [2, 0] },
    { kind: 'upstream', seq: 0, times: [4, 1500, 3, 3000] },
  ])
  expect(exchange).toMatchObject({ without: [], tools: undefined })
})

test('what is masked before it is kept is not told in the clear', () => {
  const desk = open('redacted')
  const heard: FeedEvent[] = []
  desk.feed.onEvent((event) => heard.push(event))
  const tape = desk.recorder.begin(START)
  tape.asked(bytes('{}'), FACTS)
  tape.verdict(aVerdict({ reason: 'It mails HUSH', details: { to: 'HUSH' } }))
  const fault = { kind: 'invalid-request', message: 'No such value: HUSH' } as const
  tape.finish(end({ row: aRow('x', { fault }) }))
  expect(heard.map(({ type }) => type)).toEqual(['begun', 'verdict', 'finished'])
  expect(JSON.stringify(heard)).not.toContain('HUSH')
  expect(heard[2]).toMatchObject({ exchange: { fault: { kind: 'invalid-request' } } })
})

test('says how much of a long body has gone ahead', () => {
  const desk = open('redacted')
  const tape = desk.recorder.begin(START)
  tape.asked(Buffer.alloc(2 * BLOCK_BYTES + 1), FACTS)
  tape.finish(end())
  const [exchange] = desk.finished
  expect(desk.ahead).toHaveLength(3)
  expect(exchange).toMatchObject({ pieces: [], ahead: { request: 3 } })
})

test('an attempt that is followed by another does not count', () => {
  const desk = open()
  const tape = desk.recorder.begin(START)
  tape.again()
  tape.head(500, { 'x-one': '1' })
  tape.came(Buffer.alloc(3 * BLOCK_BYTES))
  tape.again()
  tape.came(bytes('other'))
  tape.settled(bytes('changed'))
  tape.finish(end())
  const [exchange] = desk.finished
  // Nothing of the first had gone ahead.
  expect(desk.ahead).toEqual([])
  expect(said(exchange?.pieces ?? [], 'upstream')).toBe('other')
  expect(said(exchange?.pieces ?? [], 'sent')).toBe('changed')
  expect(exchange?.row).toMatchObject({ upstreamStatus: undefined, upstreamHeaders: {} })
})

test('what left is kept where it is not what came, also if it is nothing', () => {
  const kinds = (came: string, left: string): readonly string[] => {
    const desk = open()
    const tape = desk.recorder.begin(START)
    tape.came(bytes(came))
    tape.left(bytes(left))
    tape.finish(end())
    return desk.finished[0]?.pieces.map(({ kind }) => kind) ?? []
  }
  expect(kinds('same', 'same')).toEqual(['upstream'])
  expect(kinds('one', 'two')).toEqual(['upstream', 'delivered'])
  expect(kinds('one', '')).toEqual(['upstream', 'delivered'])
})

test('of a long answer that left as it came, what went ahead twice is taken back', () => {
  const desk = open()
  const tape = desk.recorder.begin(START)
  tape.settled(undefined)
  for (let n = 0; n < 3; n++) {
    tape.came(Buffer.alloc(BLOCK_BYTES / 2 + 1, n))
    tape.left(Buffer.alloc(BLOCK_BYTES / 2 + 1, n))
  }
  tape.same()
  tape.finish(end())
  expect(desk.ahead.map(({ kind, seq }) => [kind, seq])).toEqual([
    ['upstream', 0],
    ['delivered', 0],
  ])
  expect(desk.finished[0]).toMatchObject({ without: ['delivered'] })
  expect(desk.finished[0]?.pieces.map(({ kind, seq }) => [kind, seq])).toEqual([['upstream', 1]])
})

test('an answer that passed and broke off is what passed and what was said then', () => {
  for (const [length, passed] of [
    [30, 20],
    [BLOCK_BYTES * 2 + 30, BLOCK_BYTES * 2 + 10],
  ] as const) {
    const desk = open()
    const tape = desk.recorder.begin(START)
    tape.settled(undefined)
    const came = Buffer.alloc(length).map((_, at) => 97 + (at % 26))
    tape.came(came)
    tape.brokeOff(passed, bytes('!'))
    tape.finish(end())
    const [exchange] = desk.finished
    const before = said(desk.ahead.slice(0, exchange?.passed ?? 0), 'upstream')
    const rest = said(exchange?.pieces ?? [], 'delivered')
    expect(before + rest).toBe(`${Buffer.from(came.subarray(0, passed)).toString()}!`)
  }
})

test('a body that there is no room for is not kept at all, and the row says so', () => {
  const desk = open()
  const tape = desk.recorder.begin(START)
  tape.asked(bytes('{}'), FACTS)
  tape.settled(undefined)
  tape.came(Buffer.alloc(BLOCK_BYTES))
  desk.room = 10
  tape.came(Buffer.alloc(BLOCK_BYTES))
  desk.room = Infinity
  tape.came(Buffer.alloc(BLOCK_BYTES))
  tape.finish(end())
  expect(desk.finished[0]?.row.dropped).toEqual(['upstream'])
  expect(desk.finished[0]?.without).toEqual(['upstream'])
  expect(desk.finished[0]?.pieces.map(({ kind }) => kind)).toEqual(['request'])
})

test('with metadata no byte is taken and no verdict quotes', () => {
  const desk = open('metadata')
  const tape = desk.recorder.begin(START)
  tape.asked(Buffer.alloc(BLOCK_BYTES * 3), FACTS)
  tape.settled(bytes('changed'))
  tape.came(Buffer.alloc(BLOCK_BYTES * 3))
  tape.left(bytes('x'))
  tape.finish(end({ verdicts: [aVerdict()] }))
  expect(desk.ahead).toEqual([])
  expect(desk.finished[0]?.pieces).toEqual([])
  expect(desk.finished[0]?.verdicts).toMatchObject([{ original: undefined, type: 'deny' }])
})

test('verdicts that come later stand behind the rest', () => {
  const desk = open()
  const tape = desk.recorder.begin(START)
  tape.finish(end({ verdicts: [aVerdict(), aVerdict()] }))
  tape.later([])
  tape.later([aVerdict()])
  tape.later([aVerdict(), aVerdict()])
  expect(desk.late).toEqual([
    [tape.id, 2, 1],
    [tape.id, 3, 2],
  ])
})

test('whoever listens hears of the beginning, of verdicts without content, of the end and of the record', () => {
  const desk = open()
  const heard: FeedEvent[] = []
  const stop = desk.feed.onEvent((event) => void heard.push(event))
  const tape = desk.recorder.begin(START)
  tape.asked(bytes('{}'), FACTS)
  expect(desk.feed.open()).toMatchObject([{ id: tape.id, model: 'm', conversation: 'talk' }])
  tape.verdict(aVerdict())
  tape.finish(end({ verdicts: [aVerdict(), aVerdict({ isShadow: true })] }))
  desk.commit([tape.id])
  expect(heard).toMatchObject([
    { type: 'begun', exchange: { id: tape.id, key: 'team', model: 'm' } },
    { type: 'verdict', id: tape.id, verdict: { type: 'deny', policy: 'rules' } },
    {
      type: 'finished',
      exchange: { id: tape.id, verdicts: { deny: 1 }, shadowVerdicts: { deny: 1 } },
    },
    { type: 'recorded', id: tape.id },
  ])
  expect(JSON.stringify(heard)).not.toContain('rm -rf')
  expect(desk.feed.open()).toEqual([])
  stop()
  desk.commit(['other'])
  expect(heard).toHaveLength(4)
})

test('whoever watches gets what has passed, then what passes, and is told of the end', () => {
  const desk = open()
  const tape = desk.recorder.begin(START)
  const other = desk.recorder.begin(START)
  const seen: LivePiece[] = []
  const all: string[] = []
  let isOver = false
  tape.asked(bytes('{}'), FACTS)
  tape.came(bytes('on'))
  tape.came(bytes('e'))
  desk.feed.watch(
    tape.id,
    (piece) => void seen.push(piece),
    () => (isOver = true),
  )
  const stopAll = desk.feed.watch(undefined, ({ id }) => void all.push(id))
  tape.came(bytes('two'))
  other.came(bytes('other'))
  tape.left(bytes('out'))
  expect(seen.map((piece) => `${piece.kind} ${Buffer.from(piece.bytes).toString()}`)).toEqual([
    'request {}',
    'upstream on',
    'upstream e',
    'upstream two',
    'delivered out',
  ])
  const third = desk.recorder.begin(START)
  third.came(bytes('third'))
  stopAll()
  third.came(bytes('unseen'))
  expect(all).toEqual([tape.id, tape.id, tape.id, tape.id, other.id, tape.id, third.id])
  expect(isOver).toBe(false)
  tape.finish(end())
  expect(isOver).toBe(true)
  let isUnknown = false
  desk.feed.watch(
    'nothing',
    () => {},
    () => (isUnknown = true),
  )
  expect(isUnknown).toBe(true)
})

test('where secrets are masked, nobody watches them pass', () => {
  const desk = open('redacted')
  const tape = desk.recorder.begin(START)
  const seen: LivePiece[] = []
  let isOver = false
  desk.feed.watch(
    tape.id,
    (piece) => void seen.push(piece),
    () => (isOver = true),
  )
  tape.came(bytes('hush'))
  tape.finish(end())
  expect(seen).toEqual([])
  expect(isOver).toBe(true)
})
