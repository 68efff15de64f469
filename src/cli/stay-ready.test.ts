/** That V8 does what it is told, in a process of its own: an option that a release does not know would only be printed. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

/** Makes garbage until the whole heap was collected, then is quiet for longer than V8 waits. */
const QUIET = `
  const lists = []
  for (let at = 0; at < 400; at++) { lists.push(new Array(20_000).fill({ at })); if (lists.length > 100) lists.shift() }
  lists.length = 0
  setTimeout(() => {}, 11_000)
`
const READY = `import { stayReady } from './src/cli/stay-ready.ts'; stayReady();`

async function run(code: string): Promise<string> {
  const args = ['--import', 'tsx', '--trace-gc', '--input-type=module', '--eval', code]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
  return stdout + stderr
}

describe('A process that stays ready', () => {
  test('gives no memory back while it is quiet for some seconds, as others do', async () => {
    const [ready, other] = await Promise.all([run(READY + QUIET), run(QUIET)])
    expect(other).toContain('(reduce)')
    expect(ready).toContain('Mark-Compact')
    expect(ready).not.toContain('(reduce)')
    expect(ready).not.toContain('illegal value')
    expect(ready).not.toContain('unrecognized')
  })
})
