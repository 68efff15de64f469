/**
 * `sluice policy` as a process: what it makes runs as it is, in a project that has the package installed. What it says
 * and how it ends is in `src/cli/policy.test.ts`; TypeScript is in `policies-guide.test.ts`.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-policy-'))
  mkdirSync(join(folder, 'node_modules'))
  // As "npm install" leaves it.
  symlinkSync(ROOT, join(folder, 'node_modules/sluice'), 'junction')
  symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (file: string, ...args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', NODE_TEST_CONTEXT: undefined }
    execFile(process.execPath, [file, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })

const sluice = (...args: readonly string[]): Promise<Ran> =>
  run(join(ROOT, 'bin/sluice.js'), 'policy', ...args)

test('makes one in JavaScript, for the runner that Node has', async () => {
  expect(await sluice('new', 'calm', '--js', '--dir', 'a/b')).toMatchObject({ code: 0 })
  const tested = await run('--test', 'a/b/calm.test.mjs')
  expect(tested.stdout).toMatch(/pass 3/)
  expect(tested.code).toBe(0)
})

test('makes what a strict compiler takes', async () => {
  await sluice('new', 'typed', '--dir', 'typed')
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const flags =
    '--ignoreConfig --noEmit --strict --target ES2023 --lib ES2023,DOM --module nodenext --allowImportingTsExtensions --skipLibCheck'
  const checked = await run(
    tsc,
    ...flags.split(' '),
    '--types',
    '',
    'typed/typed.ts',
    'typed/typed.test.ts',
  )
  expect(checked).toMatchObject({ code: 0, stdout: '' })
})
