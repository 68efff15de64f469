/**
 * How much room is left on the disk of a file. Neighbours: `writer.ts` asks before it writes bodies: the last of the
 * room is for rows and verdicts, so that they go on when bodies cannot.
 */
import { statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { StoreLocation } from '../store/store.ts'

/** Rows of some ten thousand exchanges, and what SQLite needs to put its log into the file. */
const KEPT_BYTES = 64 * 1024 * 1024
/** Of a small disk, no more than this share. */
const KEPT_SHARE = 0.2

/** What is said of a disk: in blocks. */
export type ReadDisk = (folder: string) => {
  readonly bavail: number
  readonly blocks: number
  readonly bsize: number
}

/** Says whether so many bytes of bodies would take what is kept for rows. Never where the disk is somebody else's. */
export function createHeadroom(
  location: StoreLocation,
  readDisk: ReadDisk = statfsSync,
): (bytes: number) => boolean {
  if (location.type !== 'sqlite') return () => false
  const folder = dirname(resolve(location.file))
  return (bytes) => {
    try {
      // Asked for every batch: that is two microseconds, and a fast disk is full a moment later.
      const { bavail, blocks, bsize } = readDisk(folder)
      return bavail * bsize - bytes < Math.min(KEPT_BYTES, blocks * bsize * KEPT_SHARE)
    } catch {
      // Not every system tells; then the store says it when it is full.
      return false
    }
  }
}
