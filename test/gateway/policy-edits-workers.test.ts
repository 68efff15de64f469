/** A policy that is edited through one of the processes of `sluice serve --workers 2` holds in the other, and in its file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { endOf, sluice, start } from '../support/command.ts'
import { until } from '../support/several-gateways.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-edits-'))
afterAll(() => rmSync(folder, { recursive: true }))

const CONFIG = `store: ${join(folder, 'records.db')}
log: { level: info, format: json }
admin: { token: the-admin-token-of-all }
upstreams: { demo: { kind: demo } }
policies:
  - { use: rules, name: calm, deny: [{ when: 'tool.name == "a"', reason: No. }] }
`

test('all workers follow an edit, the command shows it, and an edit of the file ends it', async () => {
  const file = join(folder, 'sluice.yaml')
  writeFileSync(file, CONFIG)
  const child = start('serve', '--port', '0', '--workers', '2', '--config', file)
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const url = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0], 'the address', 20_000)
  // A connection each, so that they reach both workers in turn.
  const headers = { authorization: 'Bearer the-admin-token-of-all', connection: 'close' }
  const authors = async (): Promise<string> => {
    const all = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const response = await fetch(`${url}/api/policies`, { headers })
        const { policies } = (await response.json()) as { policies: { edit?: { by: string } }[] }
        return policies[0]?.edit?.by ?? 'config'
      }),
    )
    return [...new Set(all)].join(' ')
  }
  expect(await authors()).toBe('config')
  const yaml = '- { use: rules, deny: [{ when: \'tool.name == "b"\', reason: No. }] }'
  const response = await fetch(`${url}/api/policies/calm/versions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ yaml, mode: 'acts', by: 'ann' }),
  })
  expect(response.status).toBe(200)
  const editedAt = performance.now()
  await until(async () => (await authors()) === 'ann', 'all workers')
  expect(performance.now() - editedAt).toBeLessThan(5000)
  const listed = await sluice(['policy', 'list', '--config', file])
  expect(listed.stdout).toContain('edited by ann')

  writeFileSync(file, readFileSync(file, 'utf8').replace('"a"', '"c"'))
  await until(async () => (await authors()) === 'config', 'the new config')
  await until(() => said.includes('has changed in its config'), 'the log')
  child.kill('SIGTERM')
  expect(await endOf(child)).toBe(0)
})
