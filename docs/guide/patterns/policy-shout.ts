/**
 * Change text while it streams. `onChunk` sees every event; those of blocks leave only if they are sent. A changed event
 * is a new object without `step`, which says where it was read: what was not changed leaves as it came.
 */
import { definePolicy, type Policy, type StreamEvent } from '../../../src/policy.ts'

export const shout = (): Policy =>
  definePolicy({
    name: 'shout',
    onChunk(chunk, _state, ctx) {
      if (chunk.type !== 'block-delta' || chunk.delta.type !== 'text') return ctx.send(chunk)
      const { step: _step, vendor: _vendor, ...event } = chunk
      const changed: StreamEvent = {
        ...event,
        delta: { type: 'text', text: chunk.delta.text.toUpperCase() },
      }
      return ctx.send(changed)
    },
  })
