/**
 * Policy files that change while they are in force: real files, as an editor writes them.
 */
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Settings } from './settings.ts'
import { watchConfig, type ConfigWatch } from './watch.ts'

let cwd = ''
let seen: Settings[] = []
let errors: string[] = []
let watch: ConfigWatch | undefined

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-reload-')))
  seen = []
  errors = []
  mkdirSync(join(cwd, 'policies/parts'), { recursive: true })
  write('policies/parts/word.ts', `export const word = 'one'`)
  write('policies/mine.ts', mine())
  write('sluice.yaml', 'policies: [./policies/mine.ts]')
})

afterEach(() => {
  watch?.close()
  rmSync(cwd, { recursive: true, force: true })
})

const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text)

const mine = (more = ''): string =>
  `import { word } from './parts/word.ts'\nexport default { name: 'mine', judge: () => word${more} }`

function start(): void {
  watch = watchConfig(join(cwd, 'sluice.yaml'), {
    cwd,
    env: {},
    settle: 30,
    poll: 1_000_000,
    onChange: (settings) => void seen.push(settings),
    onError: (error) => void errors.push(error.message),
  })
}

/** What each version that came says. */
const said = (): readonly unknown[] =>
  seen.map(({ policies }) =>
    policies.map(({ installed }) => (installed.policy.judge as unknown as () => unknown)()),
  )

const comes = (check: () => void): Promise<void> =>
  vi.waitFor(check, { timeout: 10_000, interval: 10 })

test('a policy file that changes is in force anew, and the version before goes on as it was', async () => {
  start()
  write('policies/mine.ts', mine(` + '!'`))
  await comes(() => expect(said()).toEqual([['one!']]))
  write('policies/mine.ts', mine(` + '?'`))
  await comes(() => expect(said()).toEqual([['one!'], ['one?']]))
  expect(new Set(seen.map(({ policies }) => policies[0]?.version)).size).toBe(2)
})

test('a file that it imports is watched as it is', async () => {
  start()
  write('policies/parts/new.ts', `export const word = 'two'`)
  renameSync(join(cwd, 'policies/parts/new.ts'), join(cwd, 'policies/parts/word.ts'))
  await comes(() => expect(said()).toEqual([['two']]))
})

test('a broken one is told of, and changes nothing until it is mended', async () => {
  start()
  write('policies/parts/word.ts', `export const word = = 'two'`)
  await comes(() => expect(errors).toHaveLength(1))
  expect(errors[0]).toMatch(
    /^sluice\.yaml:1:12 policies\[0\]: policies\/parts\/word\.ts:1:21: Unexpected token\n/,
  )
  expect(seen).toEqual([])
  write('policies/parts/word.ts', `export const word = 'three'`)
  await comes(() => expect(said()).toEqual([['three']]))
})

test('a mistake in a file that is named only now can be mended there', async () => {
  start()
  mkdirSync(join(cwd, 'more'))
  write('more/other.ts', 'export default {')
  write('sluice.yaml', 'policies: [./policies/mine.ts, ./more/other.ts]')
  await comes(() => expect(errors).toHaveLength(1))
  write('more/other.ts', `export default { name: 'other', judge: () => 'other' }`)
  await comes(() => expect(said()).toEqual([['one', 'other']]))
})

test('a file that was imported before it was there is seen when it comes', async () => {
  write('policies/mine.ts', `import { late } from './parts/late.ts'\n${mine(' + late')}`)
  start()
  write('policies/parts/late.ts', `export const late = '!'`)
  await comes(() => expect(said()).toEqual([['one!']]))
})

test('a config that names no policy file any more is no longer led by it', async () => {
  start()
  write('sluice.yaml', 'policies: []')
  await comes(() => expect(said()).toEqual([[]]))
  write('policies/mine.ts', 'export default broken')
  await sleep(200)
  expect([seen.length, errors]).toEqual([1, []])
})

test('what is written while a function takes its time is not lost', async () => {
  const slow = (word: string): string =>
    `export default () => new Promise((resolve) => setTimeout(() => resolve({ name: 'slow', judge: () => '${word}' }), 300))`
  start()
  write('policies/mine.ts', slow('first'))
  await sleep(150)
  write('policies/mine.ts', slow('second'))
  await comes(() => expect(said().at(-1)).toEqual(['second']))
  expect(errors).toEqual([])
})

test.each(['throw 1', `return { name: 'late', judge() {} }`])(
  'nothing is heard of a function that ends after close with %j',
  async (end) => {
    start()
    const code = `await new Promise((r) => setTimeout(r, 200)); ${end}`
    write('policies/mine.ts', `export default async () => { ${code} }`)
    await sleep(150)
    watch?.close()
    await sleep(300)
    expect([seen, errors]).toEqual([[], []])
  },
)
