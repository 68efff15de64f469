/**
 * Random bytes for ids, taken from a pool: asking the system for eight bytes costs as much as asking for
 * thousands. Neighbours: `gateway.ts`. For ids only, not for keys.
 */
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 8192

export function createRandom(): (size: number) => Buffer {
  const pool = Buffer.allocUnsafeSlow(POOL_BYTES)
  let at = POOL_BYTES
  return (size) => {
    if (at + size > POOL_BYTES) {
      randomFillSync(pool)
      at = 0
    }
    at += size
    return pool.subarray(at - size, at)
  }
}
