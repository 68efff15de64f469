/**
 * A past that is written by hand, in a real file: what models said and what was decided, as tests say it. Neighbours:
 * `past.ts` has one that a gateway recorded, `records.ts` the rows.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { VerdictRecord } from '../../src/policy/policy.ts'
import { createCodec } from '../../src/records/codec.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { BodyKind, ExchangeRow, Piece } from '../../src/store/record.ts'
import type { RecordStore } from '../../src/store/store.ts'
import { makeAnswer, type TestBlock } from '../../src/testkit/made-answer.ts'
import { ask } from './gateway.ts'
import { sampleExchange, samplePiece, sampleVerdict } from './records.ts'
import { encodeAll } from './streams.ts'

export interface PastStore {
  readonly store: RecordStore
  readonly file: string
  /** One exchange: what the model said in it. Each begins a second after the one before. */
  add(blocks: readonly TestBlock[], more?: Added): Promise<string>
  close(): Promise<void>
}

interface Added {
  readonly row?: Partial<ExchangeRow>
  /** What was decided then; each is a denial of the first call unless it says otherwise. */
  readonly verdicts?: readonly Partial<VerdictRecord>[]
  readonly request?: object
  /** No body is kept. */
  readonly isBare?: boolean
  readonly delivered?: Uint8Array
}

const FIRST_AT = Date.UTC(2026, 10, 1, 12)

export async function openPastStore(): Promise<PastStore> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-past-'))
  const file = join(folder, 'records.db')
  const store = await openStore({ type: 'sqlite', file }, { codec: createCodec(undefined) })
  let count = 0
  return {
    store,
    file,
    async add(blocks, { row = {}, verdicts = [], request = {}, isBare = false, delivered } = {}) {
      const id = `exchange-${String(count).padStart(6, '0')}`
      const wire = row.wire ?? 'anthropic-messages'
      const startedAt = FIRST_AT + 1000 * count++
      const answer = encodeAll(
        row.upstreamWire ?? wire,
        makeAnswer(blocks, { model: 'm', number: count }),
      )
      const calls = blocks.flatMap((block) =>
        typeof block === 'object' && 'name' in block ? [block.name] : [],
      )
      const isAnswered = row.outcome !== 'refused'
      await store.write([
        sampleExchange(
          id,
          { startedAt, wire, upstreamWire: wire, model: 'm', conversation: 'talk', ...row },
          {
            pieces: isBare
              ? []
              : [
                  samplePiece(ask(wire, request), { kind: 'request' }),
                  ...(isAnswered ? [toPiece('upstream', answer)] : []),
                  ...(delivered === undefined ? [] : [toPiece('delivered', delivered)]),
                ],
            tools: [...new Set(calls)].map((name) => ({
              name,
              count: calls.filter((one) => one === name).length,
            })),
            verdicts: verdicts.map((one) => sampleVerdict(one)),
          },
        ),
      ])
      return id
    },
    async close() {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const toPiece = (kind: BodyKind, bytes: Uint8Array): Piece => ({
  kind,
  seq: 0,
  bytes,
  times: [bytes.length, 1000],
})
