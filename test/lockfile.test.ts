/** The guard of the lockfiles, seen to fail: each hole is cut into a copy of ours. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LOCKFILE = readFileSync(join(ROOT, 'package-lock.json'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'sluice-lockfile-'))

interface Lockfile {
  packages: Record<string, { resolved?: string; optionalDependencies?: Record<string, string> }>
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('our lockfiles name no address and lack no binary', () => {
  expect(check()).toEqual({ status: 0, stderr: '' })
})

test('an address is refused', () => {
  const { status, stderr } = checkWith(({ packages }) => {
    packages['node_modules/vitest'] = { resolved: 'https://registry.invalid/vitest.tgz' }
  })
  expect(stderr).toMatch(/"node_modules\/vitest" carries an address/)
  expect(status).toBe(1)
})

test('a binary that was left out is refused', () => {
  const { status, stderr } = checkWith(({ packages }) => {
    const [name] = Object.keys(packages['node_modules/oxlint']?.optionalDependencies ?? {})
    delete packages[`node_modules/${name}`]
  })
  expect(stderr).toMatch(/optional in "node_modules\/oxlint", has no entry/)
  expect(status).toBe(1)
})

function checkWith(change: (lockfile: Lockfile) => void): ReturnType<typeof check> {
  const lockfile = JSON.parse(LOCKFILE) as Lockfile
  change(lockfile)
  const path = join(folder, 'package-lock.json')
  writeFileSync(path, JSON.stringify(lockfile))
  return check(path)
}

function check(...paths: string[]): { status: number | null; stderr: string } {
  const script = join(ROOT, 'scripts/check-lockfile.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, ...paths], { encoding: 'utf8' })
  return { status, stderr }
}
