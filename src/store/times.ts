/**
 * Times of a piece ↔ bytes: for each arrival its size, and the microseconds since the one before. Numbers are written in
 * as few bytes as they need, so that a hundred arrivals take some three hundred. Neighbours: `to-rows.ts`, `bodies.ts`.
 */
import type { Times } from './record.ts'

const NONE = new Uint8Array(0)
/** A number of 53 bits takes eight. */
const MAX_SIZE = 8

export function packTimes(times: Times): Uint8Array {
  if (times.length === 0) return NONE
  const bytes = new Uint8Array(times.length * MAX_SIZE)
  let end = 0
  let before = 0
  for (let i = 0; i < times.length; i++) {
    let value = toWhole(times[i])
    if (i % 2 === 1) {
      // A clock that goes back does not: what came later came no earlier.
      const at = Math.max(before, value)
      value = at - before
      before = at
    }
    while (value >= 128) {
      bytes[end++] = (value % 128) | 128
      value = Math.floor(value / 128)
    }
    bytes[end++] = value
  }
  return bytes.slice(0, end)
}

export function unpackTimes(bytes: Uint8Array): number[] {
  const times: number[] = []
  let value = 0
  let scale = 1
  let at = 0
  for (const byte of bytes) {
    value += (byte & 127) * scale
    scale *= 128
    if (byte >= 128) continue
    if (times.length % 2 === 1) at += value
    times.push(times.length % 2 === 1 ? at : value)
    value = 0
    scale = 1
  }
  return times
}

const toWhole = (value: number | undefined): number =>
  value !== undefined && value > 0 ? Math.min(Number.MAX_SAFE_INTEGER, Math.round(value)) : 0
