/**
 * Headers of a recorded answer → those that are said again. Neighbours: `replay-store.ts`, `replay-meta.ts`. What belongs
 * to the connection of then is not true of the one now.
 */
import type { Headers } from '../upstream/upstream.ts'

const OF_THE_CONNECTION = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'keep-alive',
  'set-cookie',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export function toReplayHeaders(recorded: Readonly<Record<string, unknown>>): Headers {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(recorded)) {
    const lower = name.toLowerCase()
    if (typeof value === 'string' && !OF_THE_CONNECTION.has(lower)) headers[lower] = value
  }
  return headers
}
