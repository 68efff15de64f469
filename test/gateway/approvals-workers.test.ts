/** The kill switch and the admin token of `sluice serve --workers 2`, as a person sees them. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { endOf, sluice, start } from '../support/command.ts'

const home = mkdtempSync(join(tmpdir(), 'sluice-workers-state-'))
const before = process.env['XDG_STATE_HOME']
beforeEach(() => void (process.env['XDG_STATE_HOME'] = home))
afterEach(() => {
  if (before === undefined) delete process.env['XDG_STATE_HOME']
  else process.env['XDG_STATE_HOME'] = before
})
afterAll(() => rmSync(home, { recursive: true }))

test('all workers have one token and one switch, and commands find them', async () => {
  const child = start('serve', '--port', '0', '--workers', '2')
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.on('exit', () => reject(new Error(said)))
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('Point a client at it')) resolve()
    })
  })
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? ''
  const token = /Admin token: (\S+)/.exec(said)?.[1] ?? ''
  // A connection each, so that they reach both workers in turn.
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  const states = async (): Promise<unknown[]> =>
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const response = await fetch(`${url}/api/policies/halt`, { headers })
        return ((await response.json()) as { halted: unknown }).halted
      }),
    )
  expect(new Set(await states())).toEqual(new Set([false]))
  expect((await sluice(['halt', 'an incident'])).code).toBe(0)
  expect(new Set(await states())).toEqual(new Set([true]))
  expect((await sluice(['approvals'])).stdout).toBe('Nothing waits for you.\n')
  child.kill('SIGTERM')
  expect(await endOf(child)).toBe(0)
  const left = readdirSync(join(home, 'sluice'))
  expect(left.filter((name) => name.startsWith('gateway'))).toEqual([])
})
