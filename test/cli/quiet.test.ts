/** What a gateway has compiled is there when the next one comes: V8 does not tidy up behind its back. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { stateHome } from '../support/command.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What V8 says of its collections while that program serves nobody. */
function watchCollections(...program: readonly string[]) {
  const child = spawn(process.execPath, ['--trace-gc', ...program], {
    cwd: ROOT,
    env: { ...process.env, XDG_STATE_HOME: stateHome() },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (said += piece.toString()))
  return {
    said: () => said,
    async end() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

const SERVE = ['serve', '--port', '0']
const WITHOUT = `import('./dist/cli/main.js').then(({ main }) => main(${JSON.stringify(SERVE)}))`

describe('A gateway that nobody asks', () => {
  test('gives no memory back for some seconds, as it would without its settings', async () => {
    const own = watchCollections('bin/sluice.js', ...SERVE)
    const usual = watchCollections('--eval', WITHOUT)
    try {
      await vi.waitFor(() => expect(usual.said()).toContain('(reduce)'), {
        timeout: 45_000,
        interval: 200,
      })
      expect(own.said()).toContain('listening on')
      expect(own.said()).toContain('Scavenge')
      expect(own.said()).not.toContain('(reduce)')
      expect(own.said()).not.toMatch(/illegal value|unrecognized/)
    } finally {
      await Promise.all([own.end(), usual.end()])
    }
  })
})
