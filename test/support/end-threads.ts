/**
 * Threads of the records that are ended at any moment, as a process of its own: `test/records/ends.test.ts` starts it and
 * looks at how it ended. With `leave` the process itself ends while its thread is at work.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createThread } from '../../src/records/thread.ts'
import { aSettings } from './finished.ts'

const [folder = '', how = 'close', times = '20'] = process.argv.slice(2)

for (let time = 0; time < Number(times); time++) {
  const thread = createThread({
    data: {
      role: 'writer',
      settings: aSettings(join(folder, `${time}.db`)),
      gateway: 'here',
    },
    onMessage: () => {},
    onUp: () => {},
    onDown: () => {},
  })
  const isEarly = how === 'close' && time % 2 === 0
  if (!isEarly) await thread.opened
  // All of its time is spent in the store from here on.
  for (let call = 0; call < 5000; call++)
    thread.post({ type: 'call', call, name: 'size', values: [] })
  await sleep(Math.random() * (isEarly ? 300 : 30))
  if (how === 'leave') process.exit(7)
  if (how === 'replace') {
    thread.replace()
    await sleep(20)
  }
  await thread.close(0)
}
process.stdout.write('all ended')
