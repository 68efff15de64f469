/**
 * `sluice policy`: what it tries is said block by block, and what is wrong with what was typed in a sentence.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SluiceError } from '../base/sluice-error.ts'
import { WIRE_NAMES } from '../wire/wires.ts'
import type { Output } from './output.ts'
import { policy } from './policy.ts'

const FIXTURES = join(import.meta.dirname, '../../test/fixtures')
const CALLS = 'text-then-two-calls.sse'
const before = process.cwd()

let folder = ''

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-policy-')))
  process.chdir(folder)
})

afterAll(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true, force: true })
})

function createText(): { readonly output: Output; readonly text: () => string } {
  let text = ''
  const write = (chunk: string | Uint8Array): Promise<void> => {
    text += String(chunk)
    return Promise.resolve()
  }
  const line = (said = ''): Promise<void> => write(`${said}\n`)
  return { output: { write, line, style: (_style, said) => said, isGone: false }, text: () => text }
}

/** As `main.ts` runs it. */
async function sluice(
  ...args: readonly string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [out, err] = [createText(), createText()]
  try {
    const code = await policy.run(args, { out: out.output, err: err.output })
    return { code, stdout: out.text(), stderr: err.text() }
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    return { code: 2, stdout: out.text(), stderr: error.message }
  }
}

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return name
}

describe('new', () => {
  test('says what it made and what to do next', async () => {
    const made = await sluice('new', 'no-deletes')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toContain(
      'made  policies/no-deletes.ts\nmade  policies/no-deletes.test.ts\n',
    )
    expect(made.stdout).toContain('    - use: ./policies/no-deletes.ts\n')
    expect(made.stdout).toContain('  sluice policy test policies/no-deletes.ts\n')
    const other = await sluice('new', 'calm', '--js', '--dir', 'a/b')
    expect(other.stdout).toContain('  node --test a/b/calm.test.mjs\n')
    expect((await sluice('test', 'policies/no-deletes.ts')).stdout).toContain(
      'rm is not allowed here.',
    )
  })

  test('never writes over a file, neither of the two', async () => {
    mkdirSync(join(folder, 'kept'))
    write('kept/mine.test.ts', 'mine')
    const { code, stderr } = await sluice('new', 'mine', '--dir', 'kept')
    expect(code).toBe(2)
    expect(stderr).toContain('it is there already, and nothing was changed')
    expect(readFileSync(join(folder, 'kept/mine.test.ts'), 'utf8')).toBe('mine')
    expect(() => readFileSync(join(folder, 'kept/mine.ts'))).toThrow('ENOENT')
  })

  test.each([
    [[], 'Say what it is called'],
    [['../out'], 'Cannot name a policy "../out"'],
    [['a', '--ts', '--js'], 'Say one of --ts and --js'],
    [['a', '--jss'], 'did you mean --js?'],
  ])('says what is wrong with %j', async (args, sentence) => {
    const { code, stderr } = await sluice('new', ...args)
    expect(stderr).toContain(sentence)
    expect(code).toBe(2)
  })
})

describe('test', () => {
  test('tries a stock policy on what agents say, without a recording', async () => {
    const { code, stdout } = await sluice('test', 'coding-agent')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /Claude Code deletes\n {2}0 {2}tool-call {4}deny +\d+(\.\d\d)? ms {2}Bash .*coding-agent: This would delete/,
    )
    expect(stdout).toMatch(/Claude Code lists\n {2}0 {2}tool-call {4}pass /)
    expect(stdout).toMatch(/12 answers: \d+ pass, \d+ deny, 2 not held\n$/)
  })

  test.each(WIRE_NAMES)('reads a recording of %s without being told the wire', async (wire) => {
    const file = join(FIXTURES, wire, CALLS)
    const { code, stdout } = await sluice('test', 'coding-agent', '--on', file, '--json')
    const said = JSON.parse(stdout) as {
      policies: object[]
      answers: { wire: string; illegal: string[]; blocks: object[] }[]
      counts: object
    }
    expect(code).toBe(0)
    expect(said.policies).toMatchObject([{ name: 'coding-agent', use: 'coding-agent' }])
    expect(said.answers).toMatchObject([
      {
        wire,
        illegal: [],
        blocks: [
          { index: 0, type: 'text', verdict: '-' },
          { index: 1, type: 'tool-call', name: 'read_file', verdict: 'pass' },
          { index: 2, type: 'tool-call', name: 'delete_files', verdict: 'deny' },
        ],
      },
    ])
    expect(said.counts).toEqual({ pass: 1, deny: 1 })
  })

  test('reads folders, and passes over what is no recording', async () => {
    mkdirSync(join(folder, 'recordings/deep'), { recursive: true })
    for (const wire of WIRE_NAMES)
      write(`recordings/deep/${wire}.sse`, readFileSync(join(FIXTURES, wire, CALLS), 'utf8'))
    write('recordings/notes.json', '{ "a": 1 }')
    const { code, stdout, stderr } = await sluice('test', 'coding-agent', '--on', 'recordings')
    expect(code).toBe(0)
    expect(stdout).toContain('3 answers: 3 pass, 3 deny, 3 not held')
    expect(stderr).toContain('skipped  "recordings/notes.json" is no stream of any wire')
  })

  test('fails for CI when something else is decided than was expected', async () => {
    const on = ['--on', join(FIXTURES, 'openai-chat', CALLS)]
    const strict = await sluice('test', 'coding-agent', ...on, '--expect', 'pass')
    expect(strict.code).toBe(1)
    expect(strict.stderr).toContain('Expected only pass, and there is deny')
    expect((await sluice('test', 'coding-agent', ...on, '--expect', 'pass,deny')).code).toBe(0)
    const idle = await sluice('test', 'replace-text', ...on, '--expect', 'deny', '--options', RED)
    expect(idle).toMatchObject({ code: 1 })
    expect(idle.stderr).toContain('nothing was judged at all')
  })

  const RED = '{"replace":[{"words":["notes"],"with":"papers"}]}'

  test('shows what a filter left', async () => {
    const on = ['--on', join(FIXTURES, 'openai-chat', CALLS)]
    const { stdout } = await sluice('test', 'replace-text', ...on, '--options', RED)
    expect(stdout).toContain(
      'changed             I will read the notes first.  → I will read the papers first.',
    )
  })

  test('a policy that fails is exit 1, and one that cannot be read exit 2 with its line', async () => {
    const throws = write(
      'throws.mjs',
      `export default { name: 'throws', judge() { throw new Error('secret words') } }\n`,
    )
    const failed = await sluice('test', throws)
    expect(failed.code).toBe(1)
    expect(failed.stdout).toMatch(/error .*throws: Policy "throws" could not decide/)
    expect(failed.stdout + failed.stderr).not.toContain('secret words')
    const broken = await sluice('test', write('broken.ts', 'export default {\n  name: ,\n}\n'))
    expect(broken.code).toBe(2)
    expect(broken.stderr).toContain('broken.ts:2:')
    const wrong = await sluice(
      'test',
      write('wrong.mjs', `export default { name: 'x', jugde() {} }\n`),
    )
    expect(wrong.stderr).toContain('did you mean judge?')
  })

  test('takes policies from a config, by name, by file, or all', async () => {
    await sluice('new', 'own')
    const config = write(
      'sluice.yaml',
      `policies:
  - use: ./policies/own.ts
    programs: [ls]
  - { use: rules, name: mine, deny: [{ tools: query, reason: No queries. }] }
`,
    )
    const all = await sluice('test', '--config', config)
    expect(all.stdout).toMatch(/ls -la.* own: ls is not allowed here\./)
    expect(all.stdout).toContain('mine: No queries.')
    const one = await sluice('test', 'mine', '--config', config)
    expect(one.stdout).toContain('No queries.')
    expect(one.stdout).not.toContain('ls is not allowed')
    expect((await sluice('test', 'policies/own.ts', '--config', config)).stdout).toContain(
      'ls is not allowed',
    )
    const none = await sluice('test', 'mind', '--config', config)
    expect(none).toMatchObject({ code: 2 })
    expect(none.stderr).toContain('there are own, mine; did you mean mine?')
  })

  test('shows policies the tools and the conversation of a request', async () => {
    const request = write(
      'request.json',
      JSON.stringify({
        model: 'm',
        max_tokens: 1,
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [
          {
            name: 'read_file',
            input_schema: { type: 'object', properties: { file: {} }, required: ['file'] },
          },
        ],
      }),
    )
    const on = ['--on', join(FIXTURES, 'openai-chat', CALLS)]
    const { stdout } = await sluice('test', 'check-arguments', ...on, '--request', request)
    expect(stdout).toMatch(/tool-call {4}deny .*read_file/)
  })

  test('a question stays one, and no model is asked', async () => {
    const asks = write(
      'asks.mjs',
      `import { ask, definePolicy } from 'sluice/policy'
export default definePolicy({ name: 'asks', judge: () => ask('May it?') })\n`,
    )
    const { code, stdout } = await sluice('test', asks, '--expect', 'ask')
    expect(stdout).toContain('asks: May it?')
    expect(code).toBe(0)
    const judged = await sluice('test', 'judge', '--options', '{"model":"m","rules":"None."}')
    expect(judged.stdout).toContain('no model is asked here')
    expect(judged.code).toBe(1)
  })

  test.each([
    [['test'], 'Say which policy'],
    [['test', 'nope'], 'nope'],
    [['test', 'policies/nope.ts'], 'there is no such file'],
    [['test', 'coding-agent', '--on', 'nope.sse'], 'there is no such file'],
    [['test', 'coding-agent', '--expect', 'dney'], 'did you mean deny?'],
    [['test', 'coding-agent', '--options', '[]'], '--options takes a JSON object'],
    [['test', 'coding-agent', '--request', 'nope.json'], 'there is no such file'],
    [['tst'], 'did you mean test?'],
    [[], 'Say what to do with a policy'],
  ])('says what is wrong with %j', async (args, sentence) => {
    const { code, stderr } = await sluice(...args)
    expect(stderr).toContain(sentence)
    expect(code).toBe(2)
  })
})
