/**
 * Policy files as people write them: in TypeScript and JavaScript, right and wrong, alone and with imports.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfigAsync } from './load.ts'
import type { Policy } from '../policy/policy.ts'

let cwd = ''
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-file-')))
})
afterEach(() => {
  rmSync(cwd, { recursive: true })
})

function write(name: string, text: string): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true })
  writeFileSync(join(cwd, name), text)
}

async function load(use: string, more = ''): Promise<Policy> {
  write('sluice.yaml', `policies:\n  - use: ${use}\n${more}`)
  const { settings } = await loadConfigAsync({ env: {}, cwd })
  const policy = settings.policies[0]?.installed.policy
  if (policy === undefined) throw new Error('There is no policy')
  return policy
}

/** What the judge says of no block at all. */
const verdict = async (use: string, more = ''): Promise<unknown> => {
  const { judge } = await load(use, more)
  return (judge as unknown as () => unknown)()
}

async function mistakes(text: string, { file = 'x.ts', more = '' } = {}): Promise<string> {
  write(file, text)
  try {
    await load(`./${file}`, more)
    return ''
  } catch (error) {
    return (error as Error).message.replaceAll('sluice.yaml:2:10 policies[0].use: ', '')
  }
}

describe('a policy file', () => {
  test('is shown without what its function is handed, which may be secret', async () => {
    write('x.mjs', 'export default () => ({ name: "x", judge: () => ({ type: "pass" }) })')
    await load('./x.mjs', '    name: mine\n    # hunter1\n    hook: { url: hunter2 }\n')
    const { settings } = await loadConfigAsync({ env: {}, cwd })
    const [{ source } = { source: undefined }] = settings.policies
    expect(source?.yaml()).toBe('- use: ./x.mjs\n  name: mine\n  hook: …\n')
  })

  test('is TypeScript, with what has to be translated and not only left out', async () => {
    write(
      'x.ts',
      `import { definePolicy, deny, type Policy } from 'sluice/policy'
enum Word { no = 'No.' }
class Reason { constructor(private readonly word: Word) {} get text(): string { return this.word } }
interface Options { readonly more: string }
export default ({ more }: Options): Policy =>
  definePolicy({ name: 'x', judge: () => deny(new Reason(Word.no).text + more) })
`,
    )
    expect(await verdict('./x.ts', '    more: "!"')).toEqual({ type: 'deny', reason: 'No.!' })
  })

  test.each([
    ['x.mjs', `import { pass } from 'sluice'\nexport default { name: 'x', judge: () => pass() }`],
    ['x.js', `import { pass } from 'sluice'\nexport default { name: 'x', judge: () => pass() }`],
    ['x.cjs', `module.exports = { name: 'x', judge: () => ({ type: 'pass' }) }`],
    ['x.js', `module.exports = { name: 'x', judge: () => ({ type: 'pass' }) }`],
    ['deep/x.mts', `export default { name: 'x', judge: (): object => ({ type: 'pass' }) }`],
  ])('may be %s', async (file, text) => {
    write(file, text)
    expect(await verdict(`./${file}`)).toEqual({ type: 'pass' })
  })

  test('may be a module of a package that is one, with a JSON file', async () => {
    write('package.json', '{ "type": "module" }')
    write('list.json', '{ "words": ["rm"] }')
    write(
      'words.js',
      `import list from './list.json' with { type: 'json' }\nexport const { words } = list`,
    )
    write(
      'x.js',
      `import { words } from './words.js'\nexport default { name: 'x', judge: () => words }`,
    )
    expect(await verdict('./x.js')).toEqual(['rm'])
  })

  test('may give a function that takes its time', async () => {
    write('x.ts', `export default async ({ a }) => ({ name: 'x', judge: () => a })`)
    expect(await verdict('./x.ts', '    a: 5')).toBe(5)
  })

  test('may give an instance of a class, with private members', async () => {
    write(
      'x.ts',
      `class Mine { #count = 0; name = 'x'; helper = 1; judge() { this.#count += 1; return this.#count } }
export default new Mine()`,
    )
    const { judge } = await load('./x.ts', '    name: other')
    const count = judge as unknown as () => number
    expect([count(), count()]).toEqual([1, 2])
  })

  test('imports one file once, whoever imports it, and may import in circles', async () => {
    write('d.ts', `import { b } from './b.ts'\nexport const d = { b: () => b }`)
    write('b.ts', `import { d } from './d'\nexport const b = d`)
    write('c.ts', `import { d } from './d.js'\nexport const c = d`)
    write(
      'x.ts',
      `import { b } from './b.ts'\nimport { c } from './c.ts'\nexport default { name: 'x', judge: () => b === c }`,
    )
    expect(await verdict('./x.ts')).toBe(true)
  })

  test('is read anew each time, and so is what it imports, in whatever form', async () => {
    write('list.json', '{ "l": 1 }')
    write('a.mjs', 'export const a = 1')
    write('b.cjs', 'module.exports = { b: 1 }')
    write('c.ts', 'export const c = 1')
    write(
      'x.ts',
      `import { a } from './a.mjs'\nimport { b } from './b.cjs'\nimport { c } from './c.ts'\nimport list from './list.json'
export default { name: 'x', judge: () => [a, b, c, list.l] }`,
    )
    expect(await verdict('./x.ts')).toEqual([1, 1, 1, 1])
    write('list.json', '{ "l": 2 }')
    write('a.mjs', 'export const a = 2')
    write('b.cjs', 'module.exports = { b: 2 }')
    write('c.ts', 'export const c = 2')
    expect(await verdict('./x.ts')).toEqual([2, 2, 2, 2])
  })

  test('may lie in a package, and use others', async () => {
    const at = 'node_modules/@acme/policies'
    write(`${at}/package.json`, '{ "type": "module", "exports": { "./x": "./lib/x.js" } }')
    write(
      `${at}/lib/x.js`,
      `import { a } from './a.js'\nimport { o } from 'other'\nimport { pass } from 'sluice'
export default { name: 'x', judge: () => ({ a, o, ...pass() }) }`,
    )
    write(`${at}/lib/a.js`, 'export const a = 1')
    write('node_modules/other/package.json', '{ "type": "module", "exports": "./o.js" }')
    write('node_modules/other/o.js', 'export const o = 1')
    expect(await verdict('"@acme/policies/x"')).toEqual({ a: 1, o: 1, type: 'pass' })
    write(`${at}/lib/a.js`, 'export const a = 2')
    expect(await verdict('"@acme/policies/x"')).toEqual({ a: 2, o: 1, type: 'pass' })
  })
})

const NAMED = `name: 'x', judge() {}`
const REMEDY = 'end the file with export default definePolicy({ name, judge, … })'

describe('mistakes in a policy file', () => {
  test('that cannot be read as code come with place, line and caret', async () => {
    expect(
      await mistakes(`const a: number = 1\nexport default {\n\tname: 'x' judge() {},\n}`),
    ).toBe(
      `x.ts:3:12: Unexpected token, expected ","\n    3 |  name: 'x' judge() {},\n      |            ^`,
    )
  })

  test('in an imported file are told where they are', async () => {
    write('sub/y.ts', 'export const y = = 1')
    expect(await mistakes(`import { y } from './sub/y.ts'\nexport default y`)).toBe(
      'sub/y.ts:1:18: Unexpected token\n    1 | export const y = = 1\n      |                  ^',
    )
  })

  test('in a very long line show only what is near', async () => {
    const sentence = await mistakes(`const a = [${'1, '.repeat(500)} ? ${', 2'.repeat(500)}]`)
    expect(Math.max(...sentence.split('\n').map((line) => line.length))).toBeLessThan(140)
    const [, source = '', caret = ''] = sentence.split('\n')
    expect(source[caret.indexOf('^')]).toBe('?')
  })

  test.each([
    [
      'const a = 1\nconst b = await Promise.resolve(a)\nexport default b',
      'x.ts:2: a policy file cannot await at its top level: export an async function that makes the policy\n    2 | const b = await Promise.resolve(a)',
    ],
    [
      'interface A {\n  b: string\n}\n\nexport default nothing.here',
      'x.ts:5: ReferenceError: nothing is not defined',
    ],
    [
      `\n\nimport { q } from './nowhere.ts'\nexport default q`,
      'x.ts:3: there is no module "./nowhere.ts" to import',
    ],
    [
      `import { q } from 'nowhere-at-all'\nexport default q`,
      'x.ts:1: there is no module "nowhere-at-all" to import',
    ],
    ['throw "no"', 'it threw string, and no error'],
    ['export const a = 1', `it has no default export: ${REMEDY}`],
    ['', `it has no default export: ${REMEDY}`],
    ['export default "x"', `it gives text and no policy: ${REMEDY}`],
    ['export default null', `it gives nothing and no policy: ${REMEDY}`],
    ['export default () => {}', `it has no default export: ${REMEDY}`],
    ['export default () => [1]', `it gives a list and no policy: ${REMEDY}`],
    [
      `\nexport default () => {\n  throw new TypeError('I want a word')\n}`,
      'x.ts:3: TypeError: I want a word',
    ],
    [
      `export default async () => {\n  throw new Error('I want a word')\n}`,
      'x.ts:2: Error: I want a word',
    ],
    [
      'export default class Mine { judge() {} }',
      expect.stringMatching(/^TypeError: Class constructor Mine cannot be invoked without 'new'$/),
    ],
    ['export default { judge() {} }', `name is missing: give it one, as in name: 'no-force-push'`],
    [
      `export default { name: 'a b', judge() {} }`,
      '"a b" is no name: it takes up to 64 letters, digits, dots, dashes and underscores, a letter or digit first',
    ],
    [`export default { name: 'x', judge: true }`, 'judge takes a function, not true or false'],
    [
      `export default { ${NAMED}, version: 1 }`,
      `version takes a short text without spaces, such as '1.0', not a number`,
    ],
    [
      `export default { ${NAMED}, holds: ['thinking'] }`,
      'holds takes a list of text, refusal, tool-call, not "thinking": nothing else can wait for a verdict',
    ],
    [
      `export default { ${NAMED}, holds: 'text' }`,
      'holds takes a list of text, refusal, tool-call, not text',
    ],
    [
      `export default { ${NAMED}, watches: ['txt'] }`,
      'watches takes a list of text, refusal, tool-call, thinking, server-tool, tool-result, opaque, not "txt"',
    ],
    [`export default { ${NAMED}, isEager: 'yes' }`, 'isEager takes true or false, not text'],
    [
      `export default { ${NAMED}, onBlok() {} }`,
      'a policy has no "onBlok": it has name, version, holds, watches, isEager, state, memory, judge, onBlock, onChunk, onRequest, onFinish, close; did you mean onBlock?',
    ],
    [
      `export default { name: 'x' }`,
      'it does nothing: give it one of judge, onBlock, onChunk, onRequest, onFinish, close',
    ],
    [
      `export default { name: 'x', holds: ['text'], onBlock() {} }`,
      'it holds blocks and judges none: give it judge, or remove holds',
    ],
    [`export default { get name() { throw new Error('no') }, judge() {} }`, 'x.ts:1: Error: no'],
  ])('%j', async (text, expected) => {
    expect(await mistakes(text)).toEqual(expected)
  })

  test('are all told at once, of all files', async () => {
    write('one.ts', 'export default { jugde() {} }')
    write('two.ts', 'export default nothing')
    write('sluice.yaml', 'policies: [./one.ts, ./two.ts]')
    const told = await loadConfigAsync({ env: {}, cwd }).catch((error: Error) => error.message)
    expect(String(told).split('\n')).toEqual([
      expect.stringMatching(/^sluice\.yaml:1:12 policies\[0\]: name is missing/),
      expect.stringMatching(
        /^sluice\.yaml:1:12 policies\[0\]: a policy has no "jugde".*did you mean judge/,
      ),
      expect.stringMatching(/^sluice\.yaml:1:12 policies\[0\]: it does nothing/),
      'sluice.yaml:1:22 policies[1]: two.ts:1: ReferenceError: nothing is not defined',
    ])
  })

  test('too many files are no policy', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `./part/p${index}.ts`)
    for (const name of names) write(name, '')
    const text = `${names.map((name) => `import '${name}'`).join('\n')}\nexport default {}`
    expect(await mistakes(text)).toBe('it is made of more than 256 files: make a package of it')
  })
})
