/**
 * What a policy file is made of, found without running it.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSources } from './policy-sources.ts'

let cwd = ''
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-sources-')))
})
afterEach(() => {
  rmSync(cwd, { recursive: true })
})

function write(name: string, text: string): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true })
  writeFileSync(join(cwd, name), text)
}

const files = (text: string): readonly string[] => {
  write('x.ts', text)
  return readSources(join(cwd, 'x.ts')).files.map((file) => relative(cwd, file))
}

test.each([
  [`import { a } from './a.ts'`, ['a.ts']],
  [`import {\n  a,\n} from "./a.js"`, ['a.ts']],
  [`import './a'`, ['a.ts']],
  [`export * from './sub'`, ['sub/index.js', 'sub/deep.ts']],
  [`const a = await import(\`./a.ts\`)`, ['a.ts']],
  [`const a = require('../${'sluice'}/nothing')`, []],
  [`readFileSync(new URL('./words.txt', import.meta.url))`, ['words.txt']],
  [`import list from './list.json'`, ['list.json']],
  [`import { gone } from './gone.ts'`, ['gone.ts']],
  [`import { z } from 'zod'\nimport fs from 'node:fs'`, []],
  [`// see './sub/', './' and '..'`, ['sub/index.js', 'sub/deep.ts']],
])('%j', (text, expected) => {
  write('a.ts', '')
  write('sub/index.js', `import './deep.ts'`)
  write('sub/deep.ts', `import '../x.ts'`)
  write('words.txt', `'./never.ts'`)
  write('list.json', '["./never.ts"]')
  expect(files(text)).toEqual(['x.ts', ...expected])
})

test('packages are told by their names', () => {
  write(
    'x.ts',
    `import { z } from 'zod'\nimport '@acme/a/b.js'\nconst c = require("c/d")\nimport fs from 'node:fs'\nawait import('e')`,
  )
  expect(readSources(join(cwd, 'x.ts')).packages).toEqual(['zod', '@acme/a', 'c', 'e'])
})

test('files that import each other without end are read once', () => {
  write('a.ts', `import './x.ts'`)
  expect(files(`import './a.ts'`)).toEqual(['x.ts', 'a.ts'])
})

test('a million quotes are looked at in a moment', () => {
  const started = performance.now()
  files(`'./`.repeat(300_000))
  files(`from ${' '.repeat(900_000)}`)
  expect(performance.now() - started).toBeLessThan(3000)
})
