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
const KEPT_SHARE = 0.1
const LOOK_EVERY_MS = 500

/** Says whether the room for bodies is used up. Always `false` where the disk is somebody else's. */
export function createHeadroom(
  location: StoreLocation,
  now = (): number => performance.now(),
): () => boolean {
  if (location.type !== 'sqlite') return () => false
  const folder = dirname(resolve(location.file))
  let lookedAt = -Infinity
  let isUsedUp = false
  return () => {
    if (now() - lookedAt < LOOK_EVERY_MS) return isUsedUp
    lookedAt = now()
    isUsedUp = isShort(folder)
    return isUsedUp
  }
}

function isShort(folder: string): boolean {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder)
    return bavail * bsize < Math.min(KEPT_BYTES, blocks * bsize * KEPT_SHARE)
  } catch {
    // Not every system tells; then the store says it when it is full.
    return false
  }
}
