/**
 * The thread of the records: batches in, commits out; and the calls of whoever reads. Neighbours: `thread.ts` starts it,
 * `message.ts` is what is said. One for writing, which also takes the text for the search and takes old records
 * away, and one for reading.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { createUnbroken } from '../base/unbroken.ts'
import type { ThreadStart } from './message.ts'

if (parentPort !== null) {
  const { ends, ...rest } = workerData as ThreadStart
  const data = { ...rest, unbroken: createUnbroken(ends, () => process.exit()) }
  // Whoever reads needs no half of what the writer does.
  if (data.role === 'writer') {
    const { runWriter } = await import('./run-writer.ts')
    await runWriter(parentPort, data)
  } else {
    const { runReader } = await import('./run-reader.ts')
    await runReader(parentPort, data)
  }
}
