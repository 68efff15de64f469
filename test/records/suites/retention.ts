/** What goes and what stays, on both engines: the chain of verdicts, deletion, limits of age and size. */
import { beforeEach, expect, test } from 'vitest'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import pg from 'pg'
import type { RecordStore, StoreLocation } from '../../../src/store/store.ts'
import type { TestEngine } from '../../support/engines.ts'
import { DAWN, sampleExchange, samplePiece, sampleVerdict } from '../../support/records.ts'

const DAY = 86_400_000

const MEDDLED: readonly (readonly [text: string, seq: number, why: string])[] = [
  ["update verdicts set type = 'pass' where seq = 4", 4, 'it was changed'],
  ["update verdicts set exchange_id = 'z' where seq = 4", 4, 'it was changed'],
  [`update verdicts set rest = '{"by":"eve","tookMs":1}' where seq = 4`, 4, 'it was changed'],
  ['update verdicts set decided_at = 5, n = n + 1 where seq = 4', 4, 'it was changed'],
  ['update verdicts set hash = previous where seq = 4', 4, 'it was changed'],
  [
    'update verdicts set content = (select content from verdicts where seq = 5) where seq = 4',
    4,
    'what it quotes was changed',
  ],
  ['update verdicts set content_codec = 9 where seq = 4', 4, 'what it quotes cannot be read'],
  ['delete from verdicts where seq = 4', 5, '1 before it are missing'],
  ['delete from verdicts where seq <= 2', 3, '2 before it are missing'],
  ['update verdicts set seq = 0 where seq = 10', 0, 'it stands before the beginning of the chain'],
]

export function retentionSuite(engine: TestEngine): void {
  let place: StoreLocation
  let store: RecordStore
  let now = DAWN
  beforeEach(async () => {
    now = DAWN
    place = await engine.made()
    store = await engine.open({ now: () => now }, place)
  })
  const ids = async () => (await store.list({ isOldestFirst: true })).items.map(({ id }) => id)

  /** As somebody would who has the file or the database. */
  async function meddle(text: string): Promise<void> {
    if (place.type === 'sqlite') {
      const file = new DatabaseSync(place.file)
      file.exec(text)
      file.close()
      return
    }
    const client = new pg.Client({ connectionString: place.url })
    await client.connect()
    await client.query(text)
    await client.end()
  }

  test('each verdict carries the hash of the one before, over batches and processes', async () => {
    const other = await engine.open({}, place)
    for (let i = 0; i < 20; i++)
      await (i % 2 === 0 ? store : other).write([
        sampleExchange(
          `x${i}`,
          {},
          { verdicts: [sampleVerdict(), sampleVerdict({ reason: `${i}` })] },
        ),
      ])
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? store : other).write([
          { type: 'verdicts', exchangeId: `x${i}`, at: 2, verdicts: [sampleVerdict()] },
        ]),
      ),
    )
    const report = await store.verify()
    expect(report).toMatchObject({ links: 60, broken: undefined })
    const verdicts = (await store.verdicts({ limit: 100 })).items.toSorted((a, b) => a.seq - b.seq)
    expect(verdicts.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1))
    expect(verdicts.at(-1)?.hash).toBe(report.head)
    for (const [i, one] of verdicts.entries())
      expect(one.previous).toBe(i === 0 ? '0'.repeat(64) : verdicts[i - 1]?.hash)
  })

  test('the walk over the chain finds what somebody changed', async () => {
    for (let i = 0; i < 5; i++)
      await store.write([
        sampleExchange(
          `x${i}`,
          {},
          { verdicts: [sampleVerdict(), sampleVerdict({ reason: `${i}` })] },
        ),
      ])
    await meddle('create table kept as select * from verdicts')
    for (const [text, seq, why] of MEDDLED) {
      expect((await store.verify()).broken).toBeUndefined()
      await meddle(text)
      expect([text, (await store.verify()).broken]).toEqual([text, { seq, why }])
      await meddle('delete from verdicts')
      await meddle('insert into verdicts select * from kept')
    }
    await meddle('drop table kept')
  })

  test('what was deleted is gone, its verdicts keep their place and lose what they quote', async () => {
    const content = 'a very telling answer'
    for (const [i, id] of ['a', 'b', 'c'].entries())
      await store.write([
        sampleExchange(
          id,
          { startedAt: DAWN + i, key: id === 'c' ? 'other' : 'team' },
          {
            verdicts: [sampleVerdict()],
            pieces: [samplePiece(content)],
            tools: [{ name: 'Bash', count: 1 }],
            text: content,
          },
        ),
      ])
    const { head } = await store.verify()
    expect(await store.remove({ id: 'a' })).toBe(1)
    expect(await store.remove({ id: 'a' })).toBe(0)
    expect(await ids()).toEqual(['b', 'c'])
    expect(await store.find('a')).toBeUndefined()
    expect(await store.body('a', 'upstream')).toBeUndefined()
    expect((await store.list({ text: 'telling' })).items.map(({ id }) => id)).toEqual(['c', 'b'])
    expect((await store.list({ tool: 'Bash' })).items.map(({ id }) => id)).toEqual(['c', 'b'])
    const [first] = (await store.verdicts({ isOldestFirst: true })).items
    expect(first).toMatchObject({ exchangeId: 'a', type: 'deny', policy: 'rules', details: {} })
    expect([first?.original, first?.reason]).toEqual([undefined, undefined])
    expect(await store.verify()).toEqual({ links: 3, broken: undefined, head })
    expect(await store.remove({ key: 'team' })).toBe(1)
    expect(await store.remove({ before: DAWN + 3 })).toBe(1)
    expect(await store.verify()).toEqual({ links: 3, broken: undefined, head })
    // What comes late does not bring it back.
    await store.write([{ type: 'verdicts', exchangeId: 'a', at: 1, verdicts: [sampleVerdict()] }])
    expect((await store.verdicts({})).items.map(({ original }) => original)).toEqual(
      Array.from({ length: 4 }, () => undefined),
    )
    expect(await store.verify()).toMatchObject({ links: 4, broken: undefined })
  })

  test('many of one key go in several steps, and nobody else', async () => {
    await store.write(
      Array.from({ length: 450 }, (_, i) =>
        sampleExchange(`x${i}`, { startedAt: DAWN + i, key: i % 3 === 0 ? 'team' : 'other' }),
      ),
    )
    expect(await store.remove({ key: 'team' })).toBe(150)
    expect(await store.count({}, 1_000)).toBe(300)
    expect(await store.count({ key: 'other' }, 1_000)).toBe(300)
  })

  test('time cuts the chain from its beginning and leaves a hash to hold on to', async () => {
    for (let i = 0; i < 10; i++)
      await store.write([
        sampleExchange(
          `x${i}`,
          { startedAt: DAWN + i * DAY },
          { verdicts: [sampleVerdict()], pieces: [samplePiece('x')] },
        ),
      ])
    const { head } = await store.verify()
    now = DAWN + 10 * DAY
    expect(await store.enforce({ maxAgeMs: 4 * DAY })).toBe(6)
    expect(await ids()).toEqual(['x6', 'x7', 'x8', 'x9'])
    expect(await store.verify()).toEqual({ links: 4, broken: undefined, head })
    await meddle('delete from verdicts where seq = 7')
    expect((await store.verify()).broken).toEqual({ seq: 8, why: '1 before it are missing' })
    expect(await store.enforce({ maxAgeMs: 0 })).toBe(4)
    expect(await store.verify()).toEqual({ links: 0, broken: undefined, head })
    await store.write([sampleExchange('y', { startedAt: now }, { verdicts: [sampleVerdict()] })])
    const [verdict] = (await store.verdicts({})).items
    expect([verdict?.seq, verdict?.previous]).toEqual([11, head])
    expect(await store.verify()).toMatchObject({ links: 1, broken: undefined })
  })

  test('a link of an old exchange that stands behind one of a young one loses what it quotes and waits', async () => {
    await store.write([
      sampleExchange('young', { startedAt: DAWN + 5 * DAY }, { verdicts: [sampleVerdict()] }),
    ])
    await store.write([sampleExchange('old', {}, { verdicts: [sampleVerdict()] })])
    now = DAWN + 6 * DAY
    expect(await store.enforce({ maxAgeMs: 2 * DAY })).toBe(1)
    const verdicts = (await store.verdicts({})).items
    expect(verdicts.map((one) => [one.exchangeId, one.original !== undefined])).toEqual([
      ['young', true],
      ['old', false],
    ])
    expect(await store.verify()).toMatchObject({ links: 2, broken: undefined })
    now = DAWN + 20 * DAY
    expect(await store.enforce({ maxAgeMs: 2 * DAY })).toBe(1)
    expect(await store.verify()).toMatchObject({ links: 0, broken: undefined })
  })

  test('the oldest go until the rest fits, and room is given back', async () => {
    const noise = (i: number) =>
      Uint8Array.from({ length: 20_000 }, (_, at) => (at * at * (i + 7)) % 251)
    for (let i = 0; i < 300; i += 50)
      await store.write(
        Array.from({ length: 50 }, (_, k) =>
          sampleExchange(
            `x${String(i + k).padStart(3, '0')}`,
            { startedAt: DAWN + i + k },
            {
              pieces: [samplePiece('', { bytes: noise(i + k) })],
              text: `word${i + k} common`,
            },
          ),
        ),
      )
    const before = await store.size()
    expect(before).toMatchObject({ exchanges: 300, oldestAt: DAWN })
    expect(before.bytes).toBeGreaterThan(6_000_000)
    const gone = await store.enforce({ maxBytes: 4_000_000 })
    expect(gone).toBeGreaterThanOrEqual(100)
    expect(gone).toBeLessThan(250)
    const after = await store.size()
    expect(after).toMatchObject({ exchanges: 300 - gone, oldestAt: DAWN + gone })
    if (engine.name === 'sqlite') expect(after.bytes).toBeLessThan(4_000_000)
    expect(await store.enforce({ maxBytes: 4_000_000 })).toBe(0)
    expect(await store.enforce({ maxBytes: 0 })).toBe(300 - gone)
    expect((await store.size()).exchanges).toBe(0)
  })

  test('several that enforce a size at once take away no more than one would', async () => {
    const others = await Promise.all(
      Array.from({ length: 3 }, () => engine.open({ now: () => now }, place)),
    )
    // Random: it cannot be packed.
    const bytes = (): Uint8Array => new Uint8Array(randomBytes(10_000))
    for (let from = 0; from < 1000; from += 100)
      await store.write(
        Array.from({ length: 100 }, (_, i) =>
          sampleExchange(
            `x${from + i}`,
            { startedAt: DAWN + from + i },
            { pieces: [{ ...samplePiece(''), bytes: bytes() }] },
          ),
        ),
      )
    const gone = await Promise.all(
      [store, ...others].map((one) => one.enforce({ maxBytes: 6_000_000 })),
    )
    const all = gone.reduce((sum, one) => sum + one, 0)
    expect(all).toBeGreaterThanOrEqual(400)
    expect(all).toBeLessThanOrEqual(700)
    const after = await store.size()
    expect(after.exchanges).toBe(1000 - all)
    if (engine.name === 'sqlite') expect(after.bytes).toBeLessThan(6_000_000)
  })

  test('pieces whose exchange never came are taken away after a day', async () => {
    await store.write([
      { type: 'piece', exchangeId: 'lost', piece: samplePiece('x') },
      { type: 'piece', exchangeId: 'late', piece: samplePiece('y') },
    ])
    now = DAWN + DAY / 2
    await store.enforce({})
    await store.write([sampleExchange('late')])
    now = DAWN + 2 * DAY
    await store.enforce({})
    expect(await store.body('lost', 'upstream')).toBeUndefined()
    expect(await store.body('late', 'upstream')).toBeDefined()
  })

  test('two that enforce at once and one that writes do not hinder each other', async () => {
    const other = await engine.open({ now: () => now }, place)
    await store.write(
      Array.from({ length: 400 }, (_, i) =>
        sampleExchange(`x${i}`, { startedAt: DAWN + i }, { verdicts: [sampleVerdict()] }),
      ),
    )
    now = DAWN + 10 * DAY
    const write = (async () => {
      for (let i = 0; i < 30; i++)
        await store.write([
          sampleExchange(`y${i}`, { startedAt: now }, { verdicts: [sampleVerdict()] }),
        ])
    })()
    const [one, two] = await Promise.all([
      store.enforce({ maxAgeMs: DAY }),
      other.enforce({ maxAgeMs: DAY }),
      write,
    ])
    expect(one + two).toBe(400)
    expect(await store.count({}, 1_000)).toBe(30)
    expect(await store.verify()).toMatchObject({ links: 30, broken: undefined })
  })

  test.runIf(engine.name === 'sqlite')(
    'what was deleted is not found in the file, either',
    async () => {
      const plain = await engine.open(
        {
          codec: {
            open: (kept) => kept,
            pack: (bytes) => ({ codec: 0, bytes }),
            unpack: (_, bytes) => bytes,
          },
        },
        place,
      )
      const secret = 'the-telling-part-of-an-answer'
      for (let i = 0; i < 20; i++)
        await plain.write([
          sampleExchange(
            `x${i}`,
            { key: i === 7 ? 'gone' : 'stays' },
            {
              verdicts: [sampleVerdict({ original: i === 7 ? `quoted ${secret}` : 'x' })],
              pieces: [samplePiece(i === 7 ? `${secret} ${'y'.repeat(9_000)}` : 'x')],
            },
          ),
        ])
      const { file } = place as Extract<StoreLocation, { type: 'sqlite' }>
      const holds = () => [file, `${file}-wal`].some((one) => readFileSync(one).includes(secret))
      expect(holds()).toBe(true)
      await plain.remove({ key: 'gone' })
      expect(holds()).toBe(false)
    },
  )
}
