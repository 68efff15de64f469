/** `sluice backtest` and `sluice policy list, shadow, promote, demote` on a real file of records. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SluiceError } from '../../src/base/sluice-error.ts'
import { backtest } from '../../src/cli/backtest.ts'
import type { Command } from '../../src/cli/command.ts'
import type { Output } from '../../src/cli/output.ts'
import { policy } from '../../src/cli/policy.ts'
import { makeAnswer } from '../../src/testkit/made-answer.ts'
import { openPastStore, type PastStore } from '../support/past-store.ts'
import { encodeAll } from '../support/streams.ts'

const home = process.cwd()
let folder = ''
let past: PastStore

const RULES = `use: rules
    name: calm
    shadow: true
    deny:
      - when: tool.name == "Bash"
        reason: No shell.
        name: no-shell
`

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-backtest-')))
  process.chdir(folder)
  past = await openPastStore()
  const bash = { name: 'Bash', args: { command: 'ls \u001b[31m' } }
  await past.add([bash], {
    verdicts: [
      { policy: 'old', type: 'pass', reason: undefined },
      { policy: 'calm', isShadow: true, details: { rule: 'no-shell' }, reason: 'No shell.' },
    ],
  })
  await past.add(['Hello', { name: 'Read', args: { path: 'x' } }], {
    row: { model: 'other' },
    verdicts: [{ policy: 'calm', isShadow: true, type: 'pass', reason: undefined }],
  })
  writeFileSync('sluice.yaml', `store: ${past.file}\npolicies:\n  - ${RULES}`)
  writeFileSync(
    'list.yaml',
    '# mine\n- use: rules\n  deny: [{ when: tool.name == "Read", reason: No. }]\n',
  )
})

afterAll(async () => {
  process.chdir(home)
  await past.close()
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

async function run(command: Command, ...args: readonly string[]) {
  const [out, err] = [createText(), createText()]
  try {
    const code = await command.run(args, { out: out.output, err: err.output })
    return { code, stdout: out.text(), stderr: err.text() }
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    return { code: 2, stdout: out.text(), stderr: error.message }
  }
}

test('a config whose policies are in shadow changes nothing, and says what they would', async () => {
  const { code, stdout } = await run(backtest, '--policies', 'sluice.yaml')
  expect(code).toBe(0)
  expect(stdout).toContain('2 exchanges')
  expect(stdout).toContain('Nothing changes.')
  expect(stdout).toMatch(/In shadow, would have\n {2}deny {2}1 {2}calm {2}no-shell {2}Bash/)
})

test('the same as if they acted, with a row, an example, and nothing that moves the cursor', async () => {
  const { stdout } = await run(backtest, '--policies', 'sluice.yaml', '--act')
  expect(stdout).toMatch(/newly denied +1\n/)
  expect(stdout).toMatch(/newly denied +1 {2}calm +no-shell {2}Bash/)
  expect(stdout).toContain('exchange-000000')
  expect(stdout).not.toContain('\u001b[31m')
})

test('--fail-on decides the exit code, --where and --since what is looked at', async () => {
  const args = ['--policies', 'sluice.yaml', '--act']
  expect((await run(backtest, ...args, '--fail-on', 'newly-denied')).code).toBe(1)
  expect((await run(backtest, ...args, '--fail-on', 'any')).code).toBe(1)
  const where = ['--where', 'model=other', '--fail-on', 'any']
  expect((await run(backtest, ...args, ...where)).code).toBe(0)
  const since = await run(backtest, ...args, '--since', '2026-11-02', '--json')
  expect(JSON.parse(since.stdout)).toMatchObject({ exchanges: { seen: 0 } })
})

test('a list of policies is tried beside what there was', async () => {
  const { code, stdout } = await run(backtest, '--policies', 'list.yaml', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    against: 'own',
    policies: [{ name: 'rules', use: 'rules' }],
    changes: { 'newly-denied': 1 },
    rows: [{ tool: 'Read' }],
  })
})

test('a policy file is tried on a folder of recordings', async () => {
  mkdirSync('recorded')
  for (const wire of ['anthropic-messages', 'openai-responses'] as const)
    writeFileSync(
      join('recorded', `${wire}.sse`),
      encodeAll(wire, makeAnswer([{ name: 'Bash', args: {} }], { model: 'm', number: 1 })),
    )
  writeFileSync(
    'mine.mjs',
    'export default { name: "mine", judge: () => ({ type: "deny", reason: "Never" }) }\n',
  )
  const { code, stdout } = await run(backtest, '--policies', 'mine.mjs', 'recorded', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    changes: { 'newly-denied': 2 },
    rows: [{ rule: 'Never' }],
  })
})

test.each([
  [['--policies', 'none.yaml'], 'Cannot read "none.yaml": there is no such file'],
  [[], 'Say which policies to try'],
  [['--policies', 'sluice.yaml', '--policy', 'clam'], 'did you mean calm?'],
  [['--policies', 'sluice.yaml', '--where', 'tol=x'], 'did you mean "tool"?'],
  [['--policies', 'sluice.yaml', '--where', 'tool'], 'it takes key=value'],
  [['--policies', 'sluice.yaml', '--since', 'soon'], '"since" cannot be "soon"'],
  [['--policies', 'sluice.yaml', '--limit', 'x'], '--limit x: it takes a number from 1 on'],
  [['--policies', 'sluice.yaml', '--fail-on', 'denied'], 'it takes newly-denied, any'],
  [['--policies', 'sluice.yaml', '--store', 'none.db'], 'There are no records in'],
])('%j is answered with what to do', async (args, words) => {
  const { code, stderr } = await run(backtest, ...args)
  expect(code).toBe(2)
  expect(stderr).toContain(words)
})

test('what one in shadow would have done is summed up by rule and tool', async () => {
  const { stdout } = await run(policy, 'shadow', '--since', '2026-01-01')
  expect(stdout).toContain('judged 2, would have: deny 1')
  expect(stdout).toMatch(/deny +1 {2}no-shell {2}Bash/)
  const other = await run(policy, 'shadow', 'nobody', '--since', '2026-01-01')
  expect(other.stdout).toContain('"nobody" has judged nothing in shadow')
})

test('a policy is promoted and demoted by name, and the list says so', async () => {
  expect((await run(policy, 'list')).stdout).toMatch(
    /calm +\w+ +rules {2}in shadow {2}as its config says/,
  )
  const promoted = await run(policy, 'promote', 'calm', '--by', 'ann')
  expect(promoted).toMatchObject({ code: 0 })
  expect(promoted.stdout).toMatch(/^calm \w+ acts, whatever its config says\n$/)
  expect((await run(policy, 'list')).stdout).toMatch(/calm .* acts +promoted by ann, 20/)
  expect(await past.store.policyModes()).toMatchObject([
    { policy: 'calm', mode: 'acts', by: 'ann' },
  ])
  await run(policy, 'demote', 'calm', '--by', 'bob')
  expect((await run(policy, 'list', '--json')).stdout).toContain('"mode":"shadow"')
  const wrong = await run(policy, 'promote', 'clam')
  expect(wrong).toMatchObject({ code: 2 })
  expect(wrong.stderr).toContain('did you mean calm?')
})

test('a config is tried as it is live: with what was said of its policies since', async () => {
  await run(policy, 'promote', 'calm')
  const { stdout } = await run(backtest, '--policies', 'sluice.yaml', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    policies: [{ name: 'calm', isShadow: false }],
    changes: { 'newly-denied': 1 },
  })
})
