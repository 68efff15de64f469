/** What a gateway has compiled is there when the next one comes: V8 does not tidy up behind its back. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { stateHome } from '../support/command.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Longer than V8 waits by itself. */
const QUIET_MS = 11_000

/** What V8 says of its collections while that program serves nobody. */
async function collections(...program: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['--trace-gc', ...program], {
    cwd: ROOT,
    env: { ...process.env, XDG_STATE_HOME: stateHome() },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (said += piece.toString()))
  await sleep(QUIET_MS)
  child.kill('SIGTERM')
  await once(child, 'exit')
  return said
}

const SERVE = ['serve', '--port', '0']
const WITHOUT = `import('./dist/cli/main.js').then(({ main }) => main(${JSON.stringify(SERVE)}))`

describe('A gateway that nobody asks', () => {
  test('gives no memory back for some seconds, as it would without its settings', async () => {
    const [own, usual] = await Promise.all([
      collections('bin/sluice.js', ...SERVE),
      collections('--eval', WITHOUT),
    ])
    expect(usual).toContain('listening on')
    expect(usual).toContain('(reduce)')
    expect(own).toContain('listening on')
    expect(own).toContain('Scavenge')
    expect(own).not.toContain('(reduce)')
    expect(own).not.toMatch(/illegal value|unrecognized/)
  })
})
