/**
 * How much memory is really held: what is left after the collector has been asked to collect.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
export const collect = runInNewContext('gc') as () => void

export function heldBytes(): number {
  collect()
  // Buffers that the first one found are given back beside what runs on; the second waits for that.
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
