/**
 * `sluice config` and `sluice keys` as processes: what a person sees, and the code it ends with.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashKey } from '../../src/config/keys.ts'
import { loadConfig } from '../../src/config/load.ts'
import { sluice, type Ran } from '../support/command.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

function check(yaml: string): Promise<Ran> {
  writeFileSync(join(folder, 'my.yaml'), yaml)
  return sluice(['config', 'check', join(folder, 'my.yaml')])
}

const HASH = 'ab'.repeat(32)

describe('config check', () => {
  test('prints what was understood, and no secret', async () => {
    const ran = await check(`listen: "[::1]:4141"
upstreams:
  anthropic: { wire: anthropic-messages, baseUrl: "https://api.anthropic.com", apiKey: sk-secret }
  local: { wire: [openai-chat, openai-responses], baseUrl: "http://127.0.0.1:11434/v1", headers: { x-secret: sk-secret } }
  demo: { kind: demo, wire: openai-chat }
routes:
  - { model: "claude-*", to: [anthropic, local], as: { local: qwen3 } }
  - { model: "*", wire: openai-chat, to: demo }
keys:
  - { name: blue, hash: ${HASH} }
  - { name: red, hash: ${HASH.toUpperCase().replaceAll('AB', 'CD')} }
record: metadata
store: { url: "postgres://me:sk-secret@db.example/sluice", keep: 7d, size: none, key: sk-secret-of-some-length }
`)
    expect(ran).toEqual({
      code: 0,
      stdout: `right  ${join(folder, 'my.yaml')}
listen     http://[::1]:4141
upstreams  anthropic  anthropic-messages             api.anthropic.com  with its own key
           local      openai-chat, openai-responses  127.0.0.1:11434    with the client's credential
           demo       openai-chat                    embedded demo
routes     claude-*  any wire     anthropic, then local as qwen3
           *         openai-chat  demo
keys       blue, red
records    metadata  postgres://db.example/sluice  kept up to 7 days  encrypted
policies   none
`,
      stderr: expect.stringMatching(/^warning .*my\.yaml:13:\d+ store\.key: .* in the clear.*\n$/),
    })
  })

  test('lists the policies with their versions and what they apply to', async () => {
    writeFileSync(
      join(folder, 'mine.mjs'),
      `export default { name: 'mine', version: '1.0', judge: () => ({ type: 'pass' }) }`,
    )
    const ran = await check(`policies:
  - { use: ./mine.mjs, models: [a, "b*"], onError: pass }
routes:
  - { model: "*", to: demo, policies: [{ use: approve, name: people, shadow: true }] }
`)
    expect(ran.stdout.slice(ran.stdout.indexOf('policies'))).toMatch(
      /^policies {3}mine {4}\.\/mine\.mjs {2}1\.0 {11}models a or b\*; passes on error\n {11}people {2}approve {5}[0-9a-f]{12} {2}its route \*; in shadow\n$/,
    )
  })

  test('shows what is wrong in a policy file below its mistake', async () => {
    writeFileSync(join(folder, 'wrong.mjs'), 'export default {,}')
    const ran = await check('policies: [./wrong.mjs]')
    expect(ran.code).toBe(1)
    expect(ran.stderr.split('\n').slice(1)).toEqual([
      '             1 | export default {,}',
      '               |                 ^',
      '',
    ])
  })

  test('tells of what is odd, and is content', async () => {
    const ran = await check('listen: 1')
    expect([ran.code, ran.stderr]).toEqual([
      0,
      `warning  ${join(folder, 'my.yaml')}:1:1: there are no upstreams, so the embedded demo answers\n`,
    ])
  })

  test('tells every mistake on a line of its own, and ends with 1', async () => {
    const ran = await check('listn: 1\ngrace: soon')
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toMatch(
      /^mistake {2}.*my\.yaml:1:1 listn: there is no such key: .*did you mean listen\?\nmistake {2}.*my\.yaml:2:8 grace: "soon" is no time: .*\n$/,
    )
  })

  test('ends with 2 when there is no such file', async () => {
    const ran = await sluice(['config', 'check', join(folder, 'none.yaml')])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('none.yaml": there is no such file')
  })
})

test('config schema prints the schema', async () => {
  const ran = await sluice(['config', 'schema'])
  const file = join(import.meta.dirname, '../../schema/sluice.schema.json')
  expect(ran).toEqual({ code: 0, stdout: readFileSync(file, 'utf8'), stderr: '' })
})

test.each([[[]], [['chek']], [['schema', 'x.yaml']]])('config %j is wrong use', async (more) => {
  const ran = await sluice(['config', ...more])
  expect([ran.code, ran.stdout]).toEqual([2, ''])
  expect(ran.stderr).toMatch(/sluice config (?:check|schema)/)
})

describe('keys new', () => {
  test('prints a key once, and lines that let it in', async () => {
    const ran = await sluice(['keys', 'new', 'team-blue'])
    const [key = '', ...rest] = ran.stdout.split('\n')
    expect(key).toMatch(/^slc_[\w-]{43}$/)
    expect(rest.join('\n')).not.toContain(key)
    const file = join(folder, 'keys.yaml')
    writeFileSync(file, rest.slice(rest.indexOf('keys:')).join('\n'))
    expect(loadConfig({ file, env: {}, cwd: folder }).settings.keys).toMatchObject([
      { name: 'team-blue', hash: hashKey(key) },
    ])
  })

  test('prints another key each time', async () => {
    const [one, two] = await Promise.all([
      sluice(['keys', 'new', 'a']),
      sluice(['keys', 'new', 'a']),
    ])
    expect(one.stdout).not.toBe(two.stdout)
  })

  test.each([[[]], [['new']], [['new', 'a b']], [['new', 'a', 'b']]])(
    'keys %j is wrong use',
    async (more) => {
      const ran = await sluice(['keys', ...more])
      expect([ran.code, ran.stdout]).toEqual([2, ''])
    },
  )
})
