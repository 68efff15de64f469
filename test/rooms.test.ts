/**
 * The walls between rooms, seen to hold: wrong imports are planted in a copy of the tree's outline,
 * and lint must refuse each, and let the right ones pass.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { LEANS_ON, ON_NODE } = (await import(
  pathToFileURL(join(ROOT, 'oxlint.config.mjs')).href
)) as { LEANS_ON: Record<string, readonly string[]>; ON_NODE: readonly string[] }
const ROOMS = Object.keys(LEANS_ON)

const WALL = 'eslint(no-restricted-imports)'

/** What to plant: a file, its text, and the rule that must refuse it, if any. */
const PLANTED: readonly [path: string, text: string, refusedBy?: string][] = [
  // The walls that matter most, said out loud. The whole table follows below.
  ['src/block/imports-wire.ts', `import '../wire/wire.ts'`, WALL],
  ['src/sse/imports-event.ts', `import '../event/event.ts'`, WALL],
  ['src/wire/openai-chat/imports-wire.ts', `import '../openai-responses/json.ts'`, WALL],
  ['src/wire/openai-chat/imports-registry.ts', `import '../wires.ts'`, WALL],
  ['src/wire/openai-chat/imports-node.ts', `import 'node:fs'`, WALL],
  ['src/wire/openai-chat/imports-contract.ts', `import '../wire.ts'`],
  ['src/wire/openai-chat/imports-base.ts', `import '../../base/stage.ts'`],
  ['src/wire/openai-chat/imports-block.ts', `import '../../block/state.ts'`, WALL],
  ['src/wire/openai-chat/part/imports-wire.ts', `import '../../openai-responses/json.ts'`, WALL],
  ['src/wire/openai-chat/part/imports-own.ts', `import '../json.ts'\nimport '../../wire.ts'`],
  ['src/cli/imports-node.ts', `import 'node:fs'`],
  ['src/cli/imports-index.ts', `import '../index.ts'`, WALL],
  ['src/unlisted/imports-base.ts', `import '../base/stage.ts'`, WALL],

  // Every way to import, and the ways around.
  ['src/block/imports-type.ts', `export type { Wire } from '../wire/wire.ts'`, WALL],
  ['src/block/re-exports.ts', `export * from '../wire/wire.ts'`, WALL],
  ['src/block/imports-later.ts', `export const later = import('../wire/wire.ts')`, WALL],
  ['src/block/imports-node-later.ts', `export const later = import('node:fs')`, WALL],
  ['src/block/imports-bare-node.ts', `import 'fs'`, WALL],
  ['src/block/imports-package.ts', `import 'fast-check'`, WALL],
  ['src/block/imports-around.ts', `import '../base/../wire/wire.ts'`, WALL],
  ['src/block/imports-around-itself.ts', `import './../wire/wire.ts'`, WALL],
  ['src/block/imports-above.ts', `import '../../test/support/bytes.ts'`, WALL],
  [
    'src/block/imports-inline.ts',
    `export type Inline = import('../wire/wire.ts').Wire`,
    'typescript(consistent-type-imports)',
  ],

  // Tests beside the code: the same row, and what tests need.
  ['src/block/wrong.test.ts', `import '../wire/wire.ts'`, WALL],
  ['src/wire/openai-chat/wrong.test.ts', `import '../openai-responses/json.ts'`, WALL],
  [
    'src/wire/openai-chat/right.test.ts',
    `import 'node:fs'\nimport 'vitest'\nimport 'fast-check'\nimport '../../../test/support/bytes.ts'\nimport '../../sse/frame.ts'`,
  ],

  [
    'src/block/focused.test.ts',
    `import { test } from 'vitest'\n\ntest.only('alone', () => {})`,
    'vitest(no-focused-tests)',
  ],

  // The other rules that a stream's safety hangs on.
  [
    'src/block/cycle-a.ts',
    `import { b } from './cycle-b.ts'\nexport const a = () => b`,
    'import(no-cycle)',
  ],
  [
    'src/block/cycle-b.ts',
    `import { a } from './cycle-a.ts'\nexport const b = () => a`,
    'import(no-cycle)',
  ],
  [
    'src/block/any.ts',
    `export const a = (x: any): number => Number(x)`,
    'typescript(no-explicit-any)',
  ],
  ['src/block/default.ts', `export default 1`, 'import(no-default-export)'],
  ['src/block/globals.ts', `export const { env } = process`, 'eslint(no-restricted-globals)'],
  [
    'src/block/floating.ts',
    `export function f(): void {\n  Promise.resolve(1)\n}`,
    'typescript(no-floating-promises)',
  ],
  [
    'src/block/inexhaustive.ts',
    `export function f(x: 'a' | 'b'): void {\n  switch (x) {\n    case 'a':\n  }\n}`,
    'typescript(switch-exhaustiveness-check)',
  ],
]

/** The whole table, room by room. */
const TABLE: typeof PLANTED = ROOMS.flatMap((room) =>
  ROOMS.filter((other) => other !== room).map((other) => {
    const text = `import '../${other}/x.ts'`
    const path = `src/${room}/table-${other}.ts`
    return LEANS_ON[room]?.includes(other) === true ? [path, text] : [path, text, WALL]
  }),
)

let folder = ''
let refusals = new Map<string, readonly string[]>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-rooms-'))
  for (const file of ['oxlint.config.mjs', 'tsconfig.json', '.gitignore']) {
    await cp(join(ROOT, file), join(folder, file))
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction')
  for (const [path, text] of [...PLANTED, ...TABLE]) await plant(path, text)
  refusals = await lint()
})

afterAll(() => rm(folder, { recursive: true, force: true }))

for (const [path, text, refusedBy] of [...PLANTED, ...TABLE]) {
  const verb = refusedBy === undefined ? 'allows' : 'refuses'
  test(`lint ${verb} ${JSON.stringify(text)} in ${path}`, () => {
    expect(refusals.get(path) ?? []).toEqual(refusedBy === undefined ? [] : [refusedBy])
  })
}

test('every room that exists has a row in the table', async () => {
  const entries = await readdir(join(ROOT, 'src'), { withFileTypes: true })
  const rooms = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  expect(ROOMS).toEqual(expect.arrayContaining(rooms))
})

describe("the library's face", () => {
  test.each(ROOMS)('shows %s only if it runs anywhere', async (room) => {
    await plant('src/index.ts', `import './${room}/x.ts'`)
    const found = (await lint('src/index.ts')).get('src/index.ts') ?? []
    expect(found).toEqual(ON_NODE.includes(room) ? [WALL] : [])
  })

  test('imports no node: module', async () => {
    await plant('src/index.ts', `import 'node:fs'`)
    expect((await lint('src/index.ts')).get('src/index.ts')).toEqual([WALL])
  })
})

describe('the face for authors of policies', () => {
  const shown = ['base', 'event', 'block', 'request', 'policy', 'facts', 'stock', 'testkit']

  test('shows what an author needs, and nothing of the gateway', async () => {
    const found: [string, readonly string[]][] = []
    for (const room of ['testkit', 'stock', 'wire', 'exchange', 'server', 'cli']) {
      await plant('src/policy.ts', `import './${room}/x.ts'`)
      found.push([room, (await lint('src/policy.ts')).get('src/policy.ts') ?? []])
    }
    expect(found).toEqual(found.map(([room]) => [room, shown.includes(room) ? [] : [WALL]]))
  })
})

async function plant(path: string, text: string): Promise<void> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${text}\n`)
}

/** Which rules refuse which file, without repeats. */
async function lint(...paths: string[]): Promise<Map<string, readonly string[]>> {
  const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint')
  const args = [oxlint, '-c', 'oxlint.config.mjs', '--format=json', ...paths]
  const text = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      args,
      { cwd: folder, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        // 0: nothing found, 1: something found.
        if (error !== null && error.code !== 1)
          reject(new Error(`${stdout}${stderr}`, { cause: error }))
        else resolve(stdout)
      },
    )
  })
  const { diagnostics } = JSON.parse(text) as { diagnostics: { filename: string; code: string }[] }
  const found = new Map<string, Set<string>>()
  for (const { filename, code } of diagnostics) {
    const codes = found.get(filename) ?? new Set()
    found.set(filename, codes.add(code))
  }
  return new Map([...found].map(([path, codes]) => [path, [...codes]]))
}
