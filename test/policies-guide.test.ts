/**
 * The guide is true: its files are written, its commands are run one after the other in a project that has the package
 * installed, each ends well, and what it shows of their output is there. Needs what `npm run build` makes.
 */
import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-guide-'))
  mkdirSync(join(folder, 'node_modules'))
  // What "npm install --save-dev sluice vitest" would do.
  symlinkSync(ROOT, join(folder, 'node_modules/sluice'), 'junction')
  symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('following docs/guide/policies.md works', async () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/policies.md'), 'utf8')
  const fences = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  let printed = ''
  let commands = 0
  for (const [, language, text = ''] of fences) {
    const [, path] = /^(?:\/\/|#) (\S+)\n/.exec(text) ?? []
    if (language === 'text') expectShown(text, printed)
    else if (path !== undefined) write(path, text)
    else if (language === 'sh') {
      for (const line of text.trim().split('\n')) {
        const ran = await run(line)
        const said = ran.code === 0 ? '' : ran.stdout + ran.stderr
        expect({ line, code: ran.code, said }).toEqual({ line, code: 0, said: '' })
        printed = ran.stdout
        commands += 1
      }
    }
  }
  expect(commands).toBe(8)
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** Every cell of every line, but for how long something took. */
function expectShown(text: string, printed: string): void {
  for (const cell of text.trim().split(/\n| {2,}/))
    if (!/^[\d.]+ ms$/.test(cell)) expect(printed).toContain(cell)
}

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const DONE: Ran = { code: 0, stdout: '', stderr: '' }

function run(line: string): Ran | Promise<Ran> {
  const [program = '', ...args] = line.split(' ')
  if (line.startsWith('npm install ')) return DONE
  if (program === 'curl') {
    // There is no gateway here; what it records is such an answer.
    cpSync(
      join(ROOT, 'test/fixtures/anthropic-messages/text-then-two-calls.sse'),
      join(folder, 'recording.sse'),
    )
    return DONE
  }
  if (program === 'sluice') return start(join(ROOT, 'bin/sluice.js'), args)
  if (line.startsWith('npx vitest '))
    return start(join(ROOT, 'node_modules/vitest/vitest.mjs'), args.slice(1))
  throw new Error(`The test does not know how to run: ${line}`)
}

const start = (file: string, args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' }
    execFile(process.execPath, [file, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
