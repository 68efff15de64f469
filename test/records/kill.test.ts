import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { killLoop } from '../support/kill-loop.ts'

/** The long form is `bench/records/kill.ts`. */
const ROUNDS = 4

test.skipIf(!existsSync('dist/cli/main.js'))(
  'what the API calls recorded is there after kill -9, and whole',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-kill-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    let turn = 0
    const random = (): number => [0.9, 0.3, 1, 0.6][turn++ % 4] ?? 0.5
    const report = await killLoop({ rounds: ROUNDS, folder, random })
    expect(report).toMatchObject({ lost: [], broken: [] })
    expect(report.acknowledged).toBeGreaterThan(0)
    expect(report.servedAfter).toHaveLength(ROUNDS)
  },
  120_000,
)
