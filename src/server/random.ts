/**
 * Random bytes for ids, as bytes or as digits, from a pool: asking the system for eight bytes costs as much as asking
 * for thousands. Neighbours: `gateway.ts`. For ids only, not for keys.
 */
import { randomFillSync } from 'node:crypto'
import type { RandomHex } from '../exchange/trace-context.ts'

const POOL_BYTES = 8192

export function createRandom(): (size: number) => Buffer {
  const take = createPool()
  return (size) => take(size, (pool, from, to) => pool.subarray(from, to))
}

/** Straight from the pool: no buffer is made for those few bytes. */
export function createRandomHex(): RandomHex {
  const take = createPool()
  return (size) => take(size, (pool, from, to) => pool.toString('hex', from, to))
}

type Read<T> = (pool: Buffer, from: number, to: number) => T

function createPool(): <T>(size: number, read: Read<T>) => T {
  const pool = Buffer.allocUnsafeSlow(POOL_BYTES)
  let at = POOL_BYTES
  return (size, read) => {
    if (at + size > POOL_BYTES) {
      randomFillSync(pool)
      at = 0
    }
    at += size
    return read(pool, at - size, at)
  }
}
