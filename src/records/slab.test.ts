import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aFinished, aVerdict } from '../../test/support/finished.ts'
import type { Batch } from './message.ts'
import type { RecordedItem } from './process-item.ts'
import { packBatch, sizeOf, unpackBatch } from './slab.ts'

const piece = fc.record({
  kind: fc.constantFrom('request', 'sent', 'upstream', 'delivered'),
  seq: fc.nat(5),
  // Part of a larger buffer, as those of reels are.
  bytes: fc
    .tuple(fc.uint8Array({ maxLength: 200 }), fc.nat(50))
    .map(([all, from]) => all.subarray(from)),
  times: fc.array(fc.nat()).map((times) => Float64Array.from(times)),
})

const item: fc.Arbitrary<RecordedItem> = fc.oneof(
  fc.record({ type: fc.constant('piece'), exchangeId: fc.string(), piece }),
  fc.tuple(fc.string(), fc.array(piece)).map(
    ([id, pieces]) =>
      ({
        type: 'exchange',
        exchange: aFinished(id, { pieces, passed: 0, ahead: { request: 1 } }),
      }) as const,
  ),
  fc.constant({ type: 'verdicts', exchangeId: 'a', at: 1, verdicts: [aVerdict()] } as const),
)

test('what is packed for a thread comes out the same on the other side', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 10 }), (items) => {
      const packed = packBatch(1, items)
      expect(packed.slab.byteLength).toBe(items.reduce((sum, one) => sum + sizeOf(one), 0))
      const sent = structuredClone<Batch>(packed, { transfer: [packed.slab, packed.times] })
      expect(unpackBatch(sent)).toEqual(items)
    }),
  )
})
