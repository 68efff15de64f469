import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fetchRaw } from '../../test/support/raw-client.ts'
import { createApiClient } from '../api/client.ts'
import { hashKey } from '../config/keys.ts'
import { demoSettings, loadConfig } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { createLog } from '../telemetry/log.ts'
import { startGateway } from './gateway.ts'
import { startService, type Service } from './service.ts'

const ADMIN = 'admin: { token: a-token-of-some-length }\n'
const KEYS = `${ADMIN}keys:\n  - { name: me, hash: "sha256:${hashKey('k-1')}" }\n`
const ME = { authorization: 'Bearer k-1' }

let folder: string
let service: Service | undefined
let said: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-service-'))
  said = ''
})
afterEach(async () => {
  await service?.close(0)
  service = undefined
  rmSync(folder, { recursive: true })
})

const write = (text: string): void => writeFileSync(join(folder, 'sluice.yaml'), text)

async function start(
  text: string,
  override = (settings: Settings): Settings => settings,
): Promise<Service> {
  write(text)
  const config = loadConfig({ file: join(folder, 'sluice.yaml'), env: {}, cwd: folder })
  const log = createLog(
    { level: 'info', format: 'json', redact: true },
    { write: (line) => void (said += line) },
  )
  service = await startService(config, { log, override })
  return service
}

async function heard(words: RegExp): Promise<void> {
  for (let i = 0; i < 100 && !words.test(said); i++) await sleep(50)
  expect(said).toMatch(words)
}

async function statusOf(port: number, headers: Record<string, string> = {}): Promise<number> {
  return (await fetchRaw(`http://127.0.0.1:${port}/v1/models`, { method: 'GET', headers })).status
}

test('a new config cannot open to others what is listened on: it is refused', async () => {
  const { port } = await start(`listen: 0.0.0.0:0\n${KEYS}`)
  expect([await statusOf(port), await statusOf(port, ME)]).toEqual([401, 200])
  write(`listen: 127.0.0.1:0\n${ADMIN}`)
  await heard(/old one stays in force/)
  expect(said).toMatch(/Cannot listen on 0\.0\.0\.0 without keys/)
  expect(said).not.toMatch(/is in force/)
  expect([await statusOf(port), await statusOf(port, ME)]).toEqual([401, 200])
  const { body } = await fetchRaw(`http://127.0.0.1:${port}/metrics`, {
    method: 'GET',
    headers: ME,
  })
  expect(body.toString()).toContain('sluice_config_reloads_total{result="failed"} 1')
  expect(body.toString()).not.toContain('{result="ok"}')
})

test('what the command line says stays over a new config, and is checked with it', async () => {
  const override = (settings: Settings): Settings => ({
    ...settings,
    listen: { host: '0.0.0.0', port: 0 },
  })
  const { port } = await start(KEYS, override)
  write(`commit: 5s\n${ADMIN}`)
  await heard(/Cannot listen on 0\.0\.0\.0 without keys/)
  expect(await statusOf(port)).toBe(401)
})

test('says which changes wait for a restart, and keeps to the old ones until then', async () => {
  const { port } = await start('listen: 127.0.0.1:0\n')
  write(
    'listen: 127.0.0.1:0\nlimits: { headers: 8KB, requestTime: 1s }\ntelemetry: { otlp: http://127.0.0.1:1 }\n',
  )
  await heard(/Changes to limits\.headers, limits\.requestTime, telemetry take effect after a rest/)
  await heard(/read again and is in force/)
  expect(await statusOf(port, { 'x-long': 'x'.repeat(20_000) })).toBe(200)
})

test('a gateway of a program’s own is held to the same', async () => {
  const open = { ...demoSettings(), listen: { host: '0.0.0.0', port: 0 } }
  await expect(startGateway(open)).rejects.toThrow(/Cannot listen on 0\.0\.0\.0 without keys/)
  for (const host of ['127.0.0.1', 'localhost', '::ffff:127.0.0.1']) {
    const gateway = await startGateway({ ...demoSettings(), listen: { host, port: 0 } })
    gateway.reload(open)
    expect(await statusOf(gateway.port)).toBe(200)
    await gateway.close(0)
  }
  const keys = [
    {
      name: 'me',
      hash: hashKey('k-1'),
      models: undefined,
      rate: undefined,
      budget: undefined,
      concurrent: undefined,
    },
  ]
  const log = { ...open.log, level: 'silent' } as const
  await expect(startGateway({ ...open, keys, log })).rejects.toThrow(/without an admin token/)
  const admin = { token: 'a-token-of-some-length', url: undefined }
  const gateway = await startGateway({ ...open, keys, log, admin })
  expect(() => gateway.reload(demoSettings())).toThrow(/without keys/)
  expect(() => gateway.reload({ ...demoSettings(), keys })).toThrow(/without an admin token/)
  expect(await statusOf(gateway.port)).toBe(401)
  await gateway.close(0)
})

test('the config is shown as it holds, with its lines, and anew when the file changes', async () => {
  const { url, adminToken } = await start(`listen: 127.0.0.1:0\n${KEYS}grace: 1s\n`)
  const api = createApiClient({ url, token: adminToken() })
  const graceOf = async (): Promise<unknown> =>
    (await api.config()).values.find(({ path }) => path === 'grace')
  const before = await api.config()
  expect(before.file).toBe(join(folder, 'sluice.yaml'))
  expect(await graceOf()).toMatchObject({ value: '1s', where: 'sluice.yaml:5' })
  expect((await api.keys()).keys[0]).toMatchObject({ name: 'me', where: 'sluice.yaml:4' })
  await expect(api.revokeKey('me')).rejects.toThrow(
    'Key "me" stands in the config (sluice.yaml:4): take it out there',
  )
  expect(JSON.stringify([before, await api.keys()])).not.toContain(hashKey('k-1'))
  write(`listen: 127.0.0.1:1\n${KEYS}\ngrace: 2s\n`)
  await heard(/read again and is in force/)
  expect(await graceOf()).toMatchObject({
    value: '2s',
    where: expect.stringContaining('sluice.yaml:6'),
  })
  const after = await api.config()
  expect(after.readAt).toBeGreaterThanOrEqual(before.readAt ?? 0)
  expect(after.notes).toEqual(['Changes to listen take effect after a restart'])
})
