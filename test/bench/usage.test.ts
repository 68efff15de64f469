import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { HAS_PROC, threadsOf, usedBy } from '../../bench/gateway/usage.ts'

const BUSY_MS = 300
/** Works for a while, says so, and stays. */
const WORKER = `
  const end = performance.now() + ${BUSY_MS}
  while (performance.now() < end);
  console.log('done')
  setInterval(() => {}, 1000)
`

test.skipIf(!HAS_PROC)('what a shell started counts as the shell’s', async () => {
  const line = '"$NODE" -e "$WORKER" & wait'
  const env = { ...process.env, NODE: process.execPath, NODE_OPTIONS: '', WORKER }
  const shell = spawn('/bin/sh', ['-c', line], {
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(shell.stdout, 'data')
    const used = await usedBy(shell)
    // Others may have had the core meanwhile.
    expect(used.cpuMs).toBeGreaterThan(BUSY_MS / 3)
    expect(used.rss).toBeGreaterThan(20e6)
    expect(used.peakRss).toBeGreaterThanOrEqual(used.rss)
    const threads = threadsOf(shell)
    expect(threads.size).toBeGreaterThan(2)
    expect(Math.max(...threads.values())).toBeGreaterThan(BUSY_MS / 3)
  } finally {
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
  }
})
