import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHeadroom } from './headroom.ts'

test('has room on a disk that is not full, and where the disk is not ours', () => {
  expect(createHeadroom({ type: 'sqlite', file: join(tmpdir(), 'records.db') })()).toBe(false)
  expect(createHeadroom({ type: 'postgres', url: 'postgres://there/db' })()).toBe(false)
  expect(createHeadroom({ type: 'sqlite', file: '/not/there/records.db' })()).toBe(false)
})

// A file system of processes: it has no room at all, and says so.
test.skipIf(process.platform !== 'linux')('says so where there is none', () => {
  let now = 0
  const isShort = createHeadroom({ type: 'sqlite', file: '/proc/records.db' }, () => now)
  expect(isShort()).toBe(false)
  now = 10_000
  expect(isShort()).toBe(false)
})
