import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { findOpener, toPageLink, writeHop } from './page-link.ts'

const home = mkdtempSync(join(tmpdir(), 'sluice-link-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

test.each([
  ['http://127.0.0.1:4141', 'sla_x', 'http://127.0.0.1:4141/#token=sla_x'],
  ['http://127.0.0.1:4141', undefined, 'http://127.0.0.1:4141/'],
  ['https://0.0.0.0:4141', undefined, 'https://127.0.0.1:4141/'],
  ['http://[::]:4141', undefined, 'http://[::1]:4141/'],
  ['http://[::1]:4141', 'sla_x', 'http://[::1]:4141/#token=sla_x'],
])('the page of %s with the token %s is %s', (url, token, link) => {
  expect(toPageLink({ url, token })).toBe(link)
})

test('a link is opened only where there is a desktop', () => {
  expect(findOpener('linux', {})).toBeUndefined()
  expect(findOpener('linux', { DISPLAY: '' })).toBeUndefined()
  expect(findOpener('linux', { DISPLAY: ':0' })).toEqual(['xdg-open'])
  expect(findOpener('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toEqual(['xdg-open'])
  expect(findOpener('darwin', {})).toEqual(['open'])
  expect(findOpener('win32', {})?.[0]).toBe('rundll32')
})

test('a token goes to the browser by a file that nobody else reads', () => {
  const env = { XDG_STATE_HOME: home }
  const place = { url: 'http://127.0.0.1:4141', token: 'sla_x' }
  const first = writeHop(place, env)
  expect(first).not.toContain('sla_x')
  const file = fileURLToPath(first)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain('url=http://127.0.0.1:4141/#token=sla_x"')
  // One that lies there is replaced, not written into.
  rmSync(file)
  writeFileSync(file, 'other', { mode: 0o644 })
  expect(writeHop(place, env)).toBe(first)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
