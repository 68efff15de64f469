/**
 * The faulty upstream as a process of its own. Neighbours: `upstream-process.ts` forks it, is told where it is,
 * and asks what it has counted.
 */
import { startFaultyUpstream } from '../../src/testkit/faulty-upstream.ts'

export type ToUpstream = 'counts' | 'close-idle'

const upstream = await startFaultyUpstream()
process.on('message', (message: ToUpstream) => {
  if (message === 'close-idle') upstream.closeIdle()
  process.send?.(upstream.counts)
})
process.on('disconnect', () => process.exit())
process.send?.({ url: upstream.url })
