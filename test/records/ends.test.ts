import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../support/end-threads.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'sluice-ends-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number | string | null | undefined
  readonly signal: string | null | undefined
  readonly stdout: string
}

const end = (how: string, times: number): Promise<Ended> =>
  new Promise((resolve) => {
    const args = ['--import', 'tsx', PROGRAM, mkdtempSync(join(folder, 'one-')), how, String(times)]
    execFile(process.execPath, args, (error, stdout) =>
      resolve({ code: error?.code ?? 0, signal: error?.signal, stdout }),
    )
  })

test.each(['close', 'replace'])(
  'a thread that is at work in SQLite, or opens its file, is ended without the process: %s',
  async (how) => {
    expect(await end(how, 12)).toEqual({ code: 0, signal: undefined, stdout: 'all ended' })
  },
)

test('a process that ends while its thread is at work ends as it said', async () => {
  for (let time = 0; time < 4; time++)
    expect(await end('leave', 1)).toEqual({ code: 7, signal: null, stdout: '' })
})
