import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createQueue } from '../../src/records/queue.ts'
import type { StateChange } from '../../src/records/state-change.ts'
import { createCodec } from '../../src/records/codec.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aFinished, aSettings, aVerdict } from '../support/finished.ts'

/** A file system of its own, so small that it can be filled; `undefined` where that is not allowed. */
function aSmallDisk(megabytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-full-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], {
      stdio: 'ignore',
    })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder], { stdio: 'ignore' }))
  return folder
}

/** Takes all that is left. */
function fill(folder: string): void {
  const { bavail, bsize } = statfsSync(folder)
  writeFileSync(join(folder, 'filler'), Buffer.alloc(bavail * bsize))
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 40_000
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`${what} did not come about`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const big = (kind: 'upstream' | 'request') => {
  const bytes = new Uint8Array(randomBytes(400_000))
  return { kind, seq: 0, bytes, times: [bytes.length, 1] }
}

test('a disk that is full costs bodies, and no row and no verdict', async ({ skip }) => {
  const folder = aSmallDisk(60)
  if (folder === undefined) return skip('a file system cannot be mounted here')
  const file = join(folder, 'records.db')
  // What somebody can take away later.
  const reserve = join(folder, 'reserve')
  writeFileSync(reserve, Buffer.alloc(30_000_000))
  const changes: StateChange[] = []
  const committed = new Set<string>()
  const queue = createQueue({
    settings: aSettings(file),
    gateway: 'here',
    onState: (change) => changes.push(change),
    onAnswer: () => {},
    onDown: () => {},
  })
  queue.onCommitted((ids) => ids.forEach((id) => committed.add(id)))
  await queue.thread.opened
  const finish = (id: string): void =>
    queue.finish(
      aFinished(id, { pieces: [big('request'), big('upstream')], verdicts: [aVerdict()] }),
    )

  // Bodies of 40 MB in 30 MB.
  for (let n = 0; n < 50; n++) finish(`a${n}`)
  await until(() => committed.size === 50, 'every row')
  expect(queue.health()).toMatchObject({ state: 'behind', why: /full/, waitingExchanges: 0 })
  expect(changes).toMatchObject([{ type: 'behind', why: /full/ }])

  // Not even a row fits.
  fill(folder)
  for (let n = 0; n < 200; n++) finish(`b${n}`)
  await until(() => changes.some(({ type }) => type === 'failing'), 'the failure')
  expect(queue.health()).toMatchObject({ state: 'failing', why: /full/ })
  expect(queue.health().waitingExchanges).toBeGreaterThan(0)
  rmSync(reserve)
  await until(() => committed.size === 250, 'what waited')
  expect(changes.filter(({ type }) => type === 'failing')).toHaveLength(1)
  expect(changes.at(-1)).toMatchObject({ type: 'recovered' })
  await queue.drain(5000)
  await queue.thread.close(5000)

  const store = await openStore({ type: 'sqlite', file }, { codec: createCodec() })
  try {
    const rows = (await store.list({ limit: 1000 })).items
    expect(rows).toHaveLength(250)
    const dropped = rows.reduce((sum, row) => sum + row.dropped.length, 0)
    expect(dropped).toBe(queue.health().droppedBodies)
    expect(dropped).toBeGreaterThan(100)
    for (const { id, dropped: missing } of rows) {
      const bodies = (await store.find(id))?.bodies ?? {}
      expect([...Object.keys(bodies), ...missing].sort()).toEqual(['request', 'upstream'])
    }
    expect(await store.verify()).toMatchObject({ links: 250, broken: undefined })
  } finally {
    await store.close()
  }
})
