/** What may be ordered of a gateway's backtests: installed policies by name, or YAML that can run and read nothing here. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfigAsync } from '../../src/config/load.ts'
import type { BacktestOrder } from '../../src/replay/backtest-jobs.ts'
import { createBacktests } from '../../src/server/backtests.ts'
import { openPastStore, type PastStore } from '../support/past-store.ts'

let past: PastStore
let folder = ''
beforeEach(async () => {
  past = await openPastStore()
  folder = mkdtempSync(join(tmpdir(), 'sluice-jobs-'))
  await past.add([{ name: 'Bash', args: { command: 'ls' } }])
})
afterEach(async () => {
  await past.close()
  rmSync(folder, { recursive: true, force: true })
})

const INSTALLED = `policies:
  - { use: rules, name: one, shadow: true, deny: [{ when: tool.name == "Bash", reason: No. }] }
  - { use: rules, name: two, deny: [{ when: tool.name == "Read", reason: No. }] }
`

async function order(given: BacktestOrder) {
  const { settings } = await loadConfigAsync({
    file: 'x.yaml',
    text: INSTALLED,
    env: {},
    cwd: folder,
  })
  const jobs = createBacktests({
    settings: () => settings,
    store: past.store,
    callModel: () => () => Promise.reject(new Error('nobody')),
    createId: () => 'job',
  })
  await jobs.start(given)
  await expect.poll(() => jobs.find('job')?.state).toBe('done')
  const job = jobs.find('job')
  await jobs.close()
  return job
}

test('installed ones by name, in shadow or as if they acted', async () => {
  expect(await order({ policies: ['one'] })).toMatchObject({
    policies: ['one'],
    result: { shadow: [{ policy: 'one', count: 1 }], rows: [] },
  })
  expect(await order({ policies: ['one'], isActing: true })).toMatchObject({
    result: { rows: [{ kind: 'newly-denied', policy: 'one' }] },
  })
  expect(await order({})).toMatchObject({ policies: ['one', 'two'] })
})

test('one that was promoted is tried as it is live', async () => {
  const { settings } = await loadConfigAsync({
    file: 'x.yaml',
    text: INSTALLED,
    env: {},
    cwd: folder,
  })
  const version = settings.policies[0]?.version ?? ''
  await past.store.setPolicyMode({ policy: 'one', version, mode: 'acts', by: 'ann', at: 1 })
  expect(await order({ policies: ['one'] })).toMatchObject({ result: { rows: [{ count: 1 }] } })
})

test('stock policies as YAML, as a list or as a config', async () => {
  const list = '- use: rules\n  deny: [{ when: "true", reason: No. }]\n'
  expect(await order({ yaml: list })).toMatchObject({ result: { rows: [{ count: 1 }] } })
  expect(await order({ yaml: `policies:\n${list}` })).toMatchObject({ policies: ['rules'] })
})

test('nothing of this machine is run or shown', async () => {
  const trace = join(folder, 'trace')
  const file = join(folder, 'evil.mjs')
  writeFileSync(
    file,
    `import { writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(trace)}, 'ran')
export default { name: 'evil', judge: () => ({ type: 'pass' }) }
`,
  )
  await expect(order({ yaml: `- use: ${file}\n` })).rejects.toThrow('Only stock policies')
  expect(existsSync(trace)).toBe(false)
  const leak = '- use: rules\n  deny: [{ when: "true", reason: "${HOME}" }]\n'
  await expect(order({ yaml: leak })).rejects.toThrow('HOME')
})

test.each<[BacktestOrder, string]>([
  [{ policies: ['tow'] }, 'did you mean two?'],
  [{ policies: ['one'], yaml: '- use: rules' }, 'Say one of "yaml" and "policies"'],
  [{ yaml: 'log: { level: info }' }, 'There are no policies in "yaml"'],
  [{ yaml: '- use: ruls' }, 'rules'],
])('%j is answered with what to do', async (given, words) => {
  await expect(order(given)).rejects.toThrow(words)
})
