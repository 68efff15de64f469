import { expect, test } from 'vitest'
import { aFinished, aPiece, aVerdict } from '../../test/support/finished.ts'
import type { WriteItem } from '../store/record.ts'
import { createWriter } from './writer.ts'

const exchange = (id: string, over: Parameters<typeof aFinished>[1] = {}): WriteItem => ({
  type: 'exchange',
  ...aFinished(id, over),
  tools: [],
  text: undefined,
})

/** An error as SQLite's package throws it. */
const sqlite = (errcode: number): Error =>
  Object.assign(new Error('it says'), { code: 'ERR_SQLITE_ERROR', errcode, errstr: 'so' })

/** A store that fails as it is told, and a writer to it. */
function aWriter(
  refuse: (items: readonly WriteItem[], tries: number) => Error | undefined,
  isShort = false,
) {
  const kept: WriteItem[] = []
  const said: string[] = []
  const pauses: number[] = []
  let tries = 0
  let reopened = 0
  let more: readonly WriteItem[] = []
  const writer = createWriter({
    store: () => ({
      async write(items) {
        const error = refuse(items, tries++)
        if (error !== undefined) throw error
        kept.push(...items)
      },
    }),
    async reopen() {
      reopened++
    },
    isShort: () => isShort,
    onFailing: (why) => said.push(why),
    async pause(ms) {
      pauses.push(ms)
    },
    async more() {
      const taken = more
      more = []
      return taken
    },
  })
  const come = (items: readonly WriteItem[]): void => void (more = items)
  return { writer, kept, said, pauses, come, reopened: () => reopened }
}

test('writes a batch at once and names what is committed', async () => {
  const { writer, kept } = aWriter(() => undefined)
  const items = [exchange('a'), exchange('b')]
  expect(await writer.write(items)).toMatchObject({ ids: ['a', 'b'], droppedBodies: 0, lost: [] })
  expect(kept).toEqual(items)
})

test('tries again with longer and longer pauses while the file is locked, and loses nothing', async () => {
  const { writer, kept, said, pauses } = aWriter((_, tries) => (tries < 12 ? sqlite(5) : undefined))
  expect((await writer.write([exchange('a')])).ids).toEqual(['a'])
  expect(kept).toHaveLength(1)
  expect(said[0]).toMatch(/lock/)
  expect(pauses.slice(0, 3)).toEqual([50, 100, 200])
  expect(Math.max(...pauses)).toBe(5000)
})

test('opens the store again after some failures of the disk', async () => {
  const { writer, reopened } = aWriter((_, tries) =>
    tries < 7 ? sqlite(10 | (3 << 8)) : undefined,
  )
  await writer.write([exchange('a')])
  expect(reopened()).toBe(2)
})

test('writes what has come in the meantime along', async () => {
  const { writer, come } = aWriter((_, tries) => (tries < 1 ? sqlite(5) : undefined))
  come([exchange('b')])
  expect((await writer.write([exchange('a')])).ids).toEqual(['a', 'b'])
})

test('writes rows and verdicts without bodies where there is no room for those', async () => {
  const hasBytes = (item: WriteItem): boolean =>
    item.type === 'piece' || (item.type === 'exchange' && item.pieces.length > 0)
  const { writer, kept, said } = aWriter((items) => (items.some(hasBytes) ? sqlite(13) : undefined))
  const items: WriteItem[] = [
    { type: 'piece', exchangeId: 'a', piece: aPiece('delivered', 'x') },
    exchange('a', { verdicts: [aVerdict()] }),
  ]
  const written = await writer.write(items)
  expect(written).toMatchObject({ ids: ['a'], droppedBodies: 3, lost: [] })
  expect(written.droppedWhy).toMatch(/full/)
  expect(said).toEqual([])
  const [one] = kept
  if (one?.type !== 'exchange') throw new Error('no exchange')
  expect(one.pieces).toEqual([])
  expect(one.verdicts).toHaveLength(1)
  expect([...one.row.dropped].sort()).toEqual(['delivered', 'request', 'upstream'])
  expect([...one.without].sort()).toEqual(['delivered', 'request', 'upstream'])
})

test('leaves the last of the room to rows', async () => {
  const { writer, kept, said } = aWriter(() => undefined, true)
  const written = await writer.write([exchange('a')])
  expect(written).toMatchObject({ ids: ['a'], droppedBodies: 2, droppedWhy: /nearly full/ })
  expect(kept[0]).toMatchObject({ pieces: [], row: { dropped: ['request', 'upstream'] } })
  expect(said).toEqual([])
})

test('marks a body whose first piece found no room, when its row comes later', async () => {
  let isFull = true
  const { writer, kept } = aWriter((items) =>
    isFull && items.some(({ type }) => type === 'piece') ? sqlite(13) : undefined,
  )
  await writer.write([{ type: 'piece', exchangeId: 'a', piece: aPiece('upstream', 'x') }])
  isFull = false
  await writer.write([{ type: 'piece', exchangeId: 'a', piece: aPiece('upstream', 'y', 1) }])
  const last = { ...aFinished('a'), pieces: [aPiece('upstream', 'z', 2)] }
  const { droppedBodies } = await writer.write([
    { type: 'exchange', ...last, tools: [], text: undefined },
  ])
  expect(droppedBodies).toBe(1)
  expect(kept).toHaveLength(1)
  expect(kept[0]).toMatchObject({
    pieces: [],
    without: ['upstream'],
    row: { dropped: ['upstream'] },
  })
})

test('keeps bodies when the room is back before anything was written', async () => {
  const { writer, kept, said } = aWriter((_, tries) => (tries < 4 ? sqlite(13) : undefined))
  const { droppedBodies } = await writer.write([exchange('a')])
  expect(droppedBodies).toBe(0)
  expect(kept[0]).toMatchObject({ row: { dropped: [] } })
  expect(said[0]).toMatch(/full/)
})

test('writes the others when one item always fails, and that one with less of it', async () => {
  const isBad = (item: WriteItem): boolean =>
    item.type === 'exchange' && item.row.id === 'bad' && item.pieces.length > 0
  const { writer, kept } = aWriter((items) => (items.some(isBad) ? new TypeError('no') : undefined))
  const written = await writer.write([exchange('a'), exchange('bad'), exchange('b')])
  expect(written).toMatchObject({ ids: ['a', 'bad', 'b'], droppedBodies: 2, lost: [] })
  expect(kept.map((item) => (item.type === 'exchange' ? item.pieces.length : 0))).toEqual([2, 0, 2])
})

test('writes the bare row where its verdicts are what cannot be written', async () => {
  const isBad = (item: WriteItem): boolean => item.type === 'exchange' && item.verdicts.length > 0
  const { writer, kept } = aWriter((items) => (items.some(isBad) ? sqlite(19) : undefined))
  const written = await writer.write([exchange('bad', { verdicts: [aVerdict()] }), exchange('b')])
  expect(kept).toHaveLength(2)
  expect(written).toMatchObject({ ids: ['bad', 'b'] })
  expect(written.lost).toEqual([
    { exchangeId: 'bad', what: 'verdicts', why: 'SQLite says 19 (so)' },
  ])
})

test('writes the others while there is little room, also when one item always fails', async () => {
  const isBad = (item: WriteItem): boolean => item.type === 'exchange' && item.row.id === 'bad'
  const { writer, said } = aWriter(
    (items, tries) => (tries < 50 && items.some(isBad) ? sqlite(20) : undefined),
    true,
  )
  const written = await writer.write([exchange('a'), exchange('bad'), exchange('b')])
  expect(written).toMatchObject({ ids: ['a', 'b'], droppedBodies: 4, droppedWhy: /nearly full/ })
  expect(written.lost).toMatchObject([{ exchangeId: 'bad', what: 'exchange' }])
  expect(said).toEqual([])
})

test('counts as lost what the store does not take in any form, once it has taken another', async () => {
  const isBad = (item: WriteItem): boolean => item.type === 'exchange' && item.row.id === 'bad'
  const { writer, said, come } = aWriter((items) => (items.some(isBad) ? sqlite(20) : undefined))
  come([exchange('b')])
  const written = await writer.write([exchange('bad')])
  // Alone it could have been the store.
  expect(said).toEqual(['SQLite says 20 (so)'])
  expect(written.ids).toEqual(['b'])
  expect(written.lost).toEqual([
    { exchangeId: 'bad', what: 'exchange', why: 'SQLite says 20 (so)' },
  ])
})

test('loses nothing when every item fails in a way that nobody knows', async () => {
  const { writer, kept } = aWriter((_, tries) => (tries < 40 ? new Error('odd') : undefined))
  const written = await writer.write([exchange('a'), exchange('b')])
  expect(written.lost).toEqual([])
  expect(new Set(written.ids)).toEqual(new Set(['a', 'b']))
  expect(kept.length).toBeGreaterThanOrEqual(2)
})
