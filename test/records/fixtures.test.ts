/** Every stream that we have, through a gateway that records: what is kept is what came, and what the client got. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { install } from '../../src/policy/installed.ts'
import { pass } from '../../src/policy/verdict.ts'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { allTo, ask, httpUpstream, PATHS } from '../support/gateway.ts'
import { fetchRaw } from '../support/raw-client.ts'
import {
  openTestRecords,
  startRecorded,
  textOf,
  type RecordedGateway,
} from '../support/recorded-gateway.ts'
import { stateOf } from '../support/streams.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures')

let upstream: TestUpstream
/** One that passes everything on, and one that reads it. */
let gateways: readonly RecordedGateway[]
let close: () => Promise<void>
beforeAll(async () => {
  upstream = await startUpstream()
  const records = await openTestRecords()
  const settings = allTo(httpUpstream(upstream.url))
  const policies = [install({ name: 'test', judge: () => pass() })]
  gateways = [
    await startRecorded(settings, { records }),
    await startRecorded(settings, { records, policies }),
  ]
  close = async () => {
    for (const gateway of gateways) await gateway.close(0)
    await records.close(5000)
    await upstream.close()
  }
}, 30_000)
afterAll(() => close())

describe.each(WIRE_NAMES)('%s', (wire) => {
  const files = readdirSync(join(FIXTURES, wire)).filter((file) => file.endsWith('.sse'))
  test('decoded from its record, every stream says what the wire said', async () => {
    const kept = fc.asyncProperty(
      fc.constantFrom(...files),
      fc.array(fc.nat(4000), { maxLength: 5 }),
      fc.nat(1),
      async (file, cuts, which) => {
        const gateway = gateways[which]
        if (gateway === undefined) throw new Error('There are two')
        const body = readFileSync(join(FIXTURES, wire, file))
        upstream.next({
          body,
          cuts: cuts.filter((at) => at < body.length).toSorted((a, b) => a - b),
        })
        const at = gateway.reports.length
        const answer = await fetchRaw(gateway.url + PATHS[wire], {
          body: ask(wire, { stream: true }),
        })
        const { id } = await gateway.report(at)
        const record = await recordOf(gateway, id)
        const came = textOf((await gateway.records.store.body(record, 'upstream')) ?? undefined)
        const left = textOf((await gateway.records.store.body(record, 'delivered')) ?? undefined)
        // What comes behind the end of an answer need not be read.
        expect(body.toString().startsWith(came ?? '')).toBe(true)
        expect(left ?? came).toBe(answer.body.toString())
        expect(blocksOf(wire, left ?? came ?? '')).toEqual(blocksOf(wire, answer.body))
      },
    )
    await fc.assert(kept, { seed: 11, numRuns: 40 })
  }, 30_000)
})

/** What can be compared: a block that grew knows how to grow, too. */
const blocksOf = (wire: WireName, stream: string | Uint8Array): unknown =>
  JSON.parse(JSON.stringify(stateOf(wire, stream).blocks))

async function recordOf(
  { records: { store } }: RecordedGateway,
  requestId: string,
): Promise<string> {
  for (let n = 0; n < 1000; n++) {
    const found = await store.find(requestId)
    if (found !== undefined) return found.id
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('There is no record')
}
