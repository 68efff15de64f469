import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHeadroom } from './headroom.ts'

const MB = 1024 * 1024
const file = { type: 'sqlite', file: join(tmpdir(), 'records.db') } as const

/** A disk of so many megabytes, with so many left. */
const disk = (size: number, left: number) => () => ({ bavail: left, blocks: size, bsize: MB })

test('keeps the last 64 MB of a disk for rows, and a fifth of a small one', () => {
  expect(createHeadroom(file, disk(1000, 70))(5 * MB)).toBe(false)
  expect(createHeadroom(file, disk(1000, 70))(7 * MB)).toBe(true)
  expect(createHeadroom(file, disk(100, 22))(1 * MB)).toBe(false)
  expect(createHeadroom(file, disk(100, 22))(3 * MB)).toBe(true)
})

test('has room where the disk is not ours, or says nothing', () => {
  expect(createHeadroom({ type: 'postgres', url: 'postgres://there/db' })(1e12)).toBe(false)
  expect(createHeadroom({ type: 'sqlite', file: '/not/there/records.db' })(1)).toBe(false)
})
