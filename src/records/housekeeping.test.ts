import { setTimeout as rest } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { RecordSettings } from '../store/settings.ts'
import type { KeptBodies, RecordStore, TextDue } from '../store/store.ts'
import { createHousekeeping } from './housekeeping.ts'

const dueOf = (id: string, storedBytes: number): TextDue => ({
  id,
  wire: 'openai-chat',
  upstreamWire: undefined,
  isStream: true,
  record: 'bytes',
  storedBytes,
})

test('exchanges are read together while they are small, and one that cannot be read takes no other along', async () => {
  const due = [dueOf('a', 10), dueOf('bad', 10), dueOf('c', 10), dueOf('large', 300_000)]
  const asked: (readonly string[])[] = []
  const told = new Promise<readonly { id: string; text: string }[]>((resolve) => {
    let isAsked = false
    const store: Partial<RecordStore> = {
      textDue() {
        const found = isAsked ? [] : due
        isAsked = true
        return Promise.resolve(found)
      },
      bodies(ids) {
        asked.push(ids)
        if (ids.includes('bad')) return Promise.reject(new Error('broken'))
        const bodyOf = (id: string): KeptBodies => ({
          id,
          bodies: { request: { bytes: Buffer.from(id), times: [] } },
        })
        return Promise.resolve(ids.map(bodyOf))
      },
      setTexts: (texts) => Promise.resolve(resolve(texts)),
      enforce: () => Promise.reject(new Error('not now')),
    }
    const housekeeping = createHousekeeping({
      settings: { hasSearch: true, mode: 'bytes' } as RecordSettings,
      gateway: 'g',
      content: Promise.resolve({
        text: (_due, { request }) => `words of ${Buffer.from(request ?? []).toString()}`,
      }),
      store: () => store as RecordStore,
    })
    housekeeping.start()
  })
  expect(await told).toEqual([
    { id: 'a', text: 'words of a' },
    { id: 'bad', text: '' },
    { id: 'c', text: 'words of c' },
    { id: 'large', text: 'words of large' },
  ])
  expect(asked).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c'], ['large']])
})

test('a store that is slow for once does not make words wait when nothing more is written', async () => {
  const times: number[] = []
  const left = [dueOf('a', 10), dueOf('b', 10)]
  const done = new Promise<void>((resolve) => {
    const store: Partial<RecordStore> = {
      async textDue(which) {
        if ('before' in which) return []
        await rest(300)
        const next = left.shift()
        return next === undefined ? [] : [next]
      },
      bodies: () => Promise.resolve([]),
      setTexts: () => {
        times.push(performance.now())
        if (times.length === 2) resolve()
        return Promise.resolve()
      },
      enforce: () => Promise.resolve(0),
    }
    const housekeeping = createHousekeeping({
      settings: { hasSearch: true, mode: 'bytes' } as RecordSettings,
      gateway: 'g',
      content: Promise.resolve({ text: () => 'words' }),
      store: () => store as RecordStore,
    })
    housekeeping.start()
    // Shortly before it begins: it is busy, and would rest for half a minute.
    setTimeout(() => housekeeping.noteWritten(1), 700)
  })
  await done
  const [first = 0, second = 0] = times
  expect(second - first).toBeLessThan(8000)
}, 15_000)
