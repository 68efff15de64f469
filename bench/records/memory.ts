/**
 * Memory and time of many exchanges through the queue and its thread into a real SQLite file:
 * `npm run build && tsx bench/records/memory.ts [100000]`. Each has an answer of 100 chunks. Memory must be flat once it is
 * warm: the store keeps them, the process does not.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createQueue } from '../../src/records/queue.ts'
import { aFinished, aPiece, aSettings } from '../../test/support/finished.ts'

const COUNT = Number(process.argv[2] ?? 100_000)
const STEP = COUNT / 10
/** As a busy gateway ends them: some at once, then a moment of nothing. */
const AT_ONCE = 25

const folder = mkdtempSync(join(tmpdir(), 'sluice-memory-'))
const queue = createQueue({
  settings: aSettings(join(folder, 'records.db')),
  gateway: 'bench',
  onState: (change) => console.log(change),
  onAnswer: () => {},
  onDown: () => {},
})
let committed = 0
queue.onCommitted((ids) => (committed += ids.length))
await queue.thread.opened

const times = Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? 124 : at * 1000))
const answer = Array.from(
  { length: 100 },
  (_, n) =>
    `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word ${n * 7919} "}}\n\n`,
).join('')

try {
  let began = process.cpuUsage()
  for (let n = 1; n <= COUNT; n++) {
    const pieces = [aPiece('request', '{"model":"x"}'), { ...aPiece('upstream', answer), times }]
    const id = n.toString().padStart(26, '0')
    queue.finish({
      ...aFinished(id, { pieces, row: { startedAt: Date.now() } }),
      tools: undefined,
    })
    if (n % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    while (n - committed > 2000) await new Promise((resolve) => setTimeout(resolve, 5))
    if (n % STEP !== 0) continue
    while (committed < n) await new Promise((resolve) => setTimeout(resolve, 5))
    const { user, system } = process.cpuUsage(began)
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
    const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`
    console.log(
      `${n}: ${((user + system) / STEP).toFixed(0)} µs of CPU each, rss ${mb(rss)}, heap ${mb(heapUsed)}, buffers ${mb(arrayBuffers)}`,
    )
    began = process.cpuUsage()
  }
} finally {
  await queue.drain(10_000)
  await queue.thread.close(5000)
  rmSync(folder, { recursive: true, force: true })
}
