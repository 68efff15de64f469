import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { demoSettings } from '../config/load.ts'
import { readyDefaultStore } from './default-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-default-store-'))
afterAll(() => rmSync(folder, { recursive: true }))

const settings = demoSettings()
const named = {
  ...settings,
  store: { ...settings.store, location: { type: 'sqlite', file: '/x.db' } as const },
}
const off = { ...settings, store: { ...settings.store, mode: 'off' as const } }

test('records go into a folder that only their user can read', () => {
  const env = { XDG_STATE_HOME: join(folder, 'state') }
  const { place, warning } = readyDefaultStore(settings, env)
  expect(warning).toBeUndefined()
  expect(place(settings).records?.location).toEqual({
    type: 'sqlite',
    file: join(folder, 'state/sluice/records.db'),
  })
  expect(statSync(join(folder, 'state/sluice')).mode & 0o777).toBe(0o700)
  expect(place(named)).toBe(named)
  expect(place(off).records).toBeUndefined()
})

test('a folder that cannot be made is warned of, and only where it is needed', () => {
  writeFileSync(join(folder, 'file'), '')
  const env = { XDG_STATE_HOME: join(folder, 'file') }
  const { place, warning } = readyDefaultStore(settings, env)
  expect(warning).toMatch(/nothing is recorded, because .* cannot be written to: name a place/)
  expect(place(settings).records).toBeUndefined()
  expect(readyDefaultStore(named, env).warning).toBeUndefined()
  expect(readyDefaultStore(off, env).warning).toBeUndefined()
})
