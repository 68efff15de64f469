/** Policies written by the API of a real gateway: checked, in force at once, for all gateways of a store, and taken back. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApiClient, type ApiClient } from '../../src/api/client.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Settings } from '../../src/config/settings.ts'
import { makeAnswer } from '../../src/testkit/made-answer.ts'
import { allTo, ask, httpUpstream, PATHS, startTestGateway } from '../support/gateway.ts'
import { startPast, type Past } from '../support/past.ts'
import { encodeAll } from '../support/streams.ts'

const WIRE = 'anthropic-messages'

const toPolicies = (text: string): Settings['policies'] =>
  loadConfig({
    file: 'sluice.yaml',
    text: `upstreams: { demo: { kind: demo } }\npolicies:\n${text}`,
    env: { SECRET: 'do-not-show-me' },
    cwd: '/nowhere',
  }).settings.policies

const CONFIG = `  - use: rules # ours
    name: calm
    deny: [{ when: 'tool.name == "Read"', reason: "No reading \${SECRET}" }]
`
const EDIT = `- use: rules
  name: calm
  deny:
    # All shells.
    - { when: 'tool.name == "Bash"', reason: No shells. }
`
const NEW = '- { use: rules, name: more, deny: [{ when: "true", reason: Nothing at all. }] }\n'

let past: Past
let api: ApiClient
let since = 0
const undo: (() => Promise<unknown>)[] = []
// To start one takes longer than most of the tests.
beforeAll(async () => {
  past = await startPast([], { policies: toPolicies(CONFIG) })
  api = createApiClient({ url: past.gateway.url, token: past.gateway.adminToken() })
})
beforeEach(() => void (since = Date.now()))
afterEach(async () => {
  for (const one of undo.splice(0)) await one()
  past.gateway.reload(past.gateway.settings)
  const { policies } = await api.policies()
  for (const { name, edit } of policies) if (edit !== undefined) await api.rollBackPolicy(name)
})
afterAll(() => past.close())

const CALL = encodeAll(WIRE, makeAnswer([{ name: 'Bash' }], { model: 'm', number: 1 }))

/** What was decided on the next call of `Bash`. */
async function judged(): Promise<readonly string[]> {
  const before = past.gateway.reports.length
  await past.serve(CALL, { wire: WIRE })
  const report = await past.gateway.report(before)
  return report.verdicts.map(
    ({ policy, type, isShadow }) => `${policy} ${isShadow ? 'would ' : ''}${type}`,
  )
}

test('a text is checked with places, and no mistake is a failure', async () => {
  const { mistakes, policies } = await api.checkPolicies({
    yaml: '- use: rules\n  deny:\n    - when: tool.nam == "x"\n      reason: No.\n',
  })
  expect(policies).toEqual([])
  expect(mistakes).toEqual([
    {
      line: 3,
      column: 18,
      endColumn: 21,
      message: 'deny[0].when: there is no "nam" in tool',
      hint: 'name',
    },
  ])
  expect(await api.checkPolicies({ yaml: `${EDIT}${NEW}` })).toMatchObject({
    mistakes: [],
    policies: [{ name: 'calm', use: 'rules', holds: ['tool-call'] }, { name: 'more' }],
  })
  expect((await api.checkPolicies({ yaml: `${EDIT}${NEW}`, name: 'calm' })).mistakes).toMatchObject(
    [{ line: 6, message: expect.stringContaining('one policy alone') }],
  )
  await expect(api.checkPolicies({ yaml: 'x'.repeat(300_000) })).rejects.toThrow('262144')
})

test('the text of a policy is as it is written, and its secrets are not there', async () => {
  const source = await api.policySource('calm')
  expect(source).toMatchObject({ where: 'sluice.yaml:3', use: 'rules', editable: true })
  expect(source.yaml).toBe(`- ${CONFIG.trim().replaceAll('\n    ', '\n  ').slice(2)}\n`)
  expect(JSON.stringify(source)).not.toContain('do-not-show-me')
  await expect(api.policySource('clam')).rejects.toThrow('did you mean calm?')
})

test('an edit judges the next exchange, and a rollback the one after', async () => {
  expect(await judged()).toEqual(['calm pass'])
  const before = await api.policySource('calm')
  const { policy } = await api.editPolicy('calm', {
    yaml: EDIT,
    mode: 'acts',
    by: 'ann',
    note: 'an incident',
    over: before.version ?? '',
  })
  expect(policy).toMatchObject({ name: 'calm', edit: { by: 'ann', isNew: false } })
  expect(await judged()).toEqual(['calm deny'])
  expect(await api.policySource('calm')).toMatchObject({ yaml: EDIT, version: policy?.version })
  const late = { yaml: EDIT, mode: 'acts', over: before.version ?? '' } as const
  await expect(api.editPolicy('calm', late)).rejects.toThrow('Somebody else was quicker')

  await expect
    .poll(async () => (await api.policyVersions('calm')).versions)
    .toMatchObject([
      {
        version: policy?.version,
        from: 'api',
        by: 'ann',
        isHeld: true,
        yaml: EDIT,
        verdicts: { deny: 1 },
      },
      { version: before.version, from: 'config', isHeld: false, verdicts: { pass: 1 } },
    ])
  await api.rollBackPolicy('calm', { by: 'bob' })
  expect(await judged()).toEqual(['calm pass'])
  expect(past.gateway.lines.join('')).toContain('A policy is again as its config says')
  await expect(api.rollBackPolicy('calm')).rejects.toThrow('There is no edit to roll back')
  await api.rollBackPolicy('calm', { version: policy?.version ?? '' })
  expect(await judged()).toEqual(['calm deny'])
  const lines = past.gateway.lines.join('')
  expect(lines).toContain('A policy was edited')
  expect(lines).toContain('bob')
  expect(lines).not.toContain('No shells')
})

test('an edit in shadow only watches until it is promoted, and begins in shadow again', async () => {
  await api.editPolicy('calm', { yaml: EDIT, mode: 'shadow' })
  expect(await judged()).toEqual(['calm would deny'])
  await api.setPolicyMode('calm', { mode: 'acts' })
  expect(await judged()).toEqual(['calm deny'])
  // What was said of the same text before is over.
  await new Promise((resolve) => setTimeout(resolve, 2))
  await api.editPolicy('calm', { yaml: EDIT, mode: 'shadow' })
  expect(await judged()).toEqual(['calm would deny'])
  const counts = async (): Promise<unknown> =>
    (await api.policySummary({ policy: 'calm', since })).judged
      .map(({ isShadow, count, acted }) => `${isShadow} ${acted} of ${count}`)
      .toSorted((one, other) => one.localeCompare(other))
  await expect.poll(counts).toEqual(['false 1 of 1', 'true 2 of 2'])
})

test('an edit that is promoted a second time acts again', async () => {
  await api.editPolicy('calm', { yaml: EDIT, mode: 'shadow' })
  await api.setPolicyMode('calm', { mode: 'acts' })
  await new Promise((resolve) => setTimeout(resolve, 2))
  await api.editPolicy('calm', { yaml: EDIT, mode: 'shadow' })
  expect(await judged()).toEqual(['calm would deny'])
  // The same word on the same version, said later.
  await api.setPolicyMode('calm', { mode: 'acts' })
  expect(await judged()).toEqual(['calm deny'])
})

test('of several who edit one version at once one is heard, and the others are told', async () => {
  const { version = '' } = await api.policySource('calm')
  const edits = await Promise.allSettled(
    ['a', 'b', 'c'].map((by) =>
      api.editPolicy('calm', {
        yaml: EDIT.replace('All', by),
        mode: 'acts',
        by,
        over: version,
      }),
    ),
  )
  const refused = edits.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
  expect(refused).toHaveLength(2)
  for (const words of refused) expect(words).toContain('Somebody else was quicker: version')
  const added = await Promise.allSettled(
    ['a', 'b'].map((by) => api.addPolicy({ yaml: NEW, mode: 'acts', by })),
  )
  expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('an exchange that is under way keeps the policies that it began with', async () => {
  const before = { requests: past.upstream.requests.length, reports: past.gateway.reports.length }
  past.upstream.next({ body: CALL, firstByteDelay: 400 })
  const answer = fetch(`${past.gateway.url}${PATHS[WIRE]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: ask(WIRE, { model: `${WIRE}/m`, stream: true }),
  })
  await expect.poll(() => past.upstream.requests.length).toBe(before.requests + 1)
  await api.editPolicy('calm', { yaml: EDIT, mode: 'acts' })
  expect(past.gateway.reports.length).toBe(before.reports)
  await (await answer).text()
  expect((await past.gateway.report(before.reports)).verdicts).toMatchObject([{ type: 'pass' }])
})

test('a new policy stands behind all others, and rolling it back removes it', async () => {
  await api.addPolicy({ yaml: NEW, mode: 'acts', by: 'ann' })
  expect((await api.policies()).policies).toMatchObject([
    { name: 'calm' },
    { name: 'more', edit: { isNew: true, by: 'ann' } },
  ])
  expect(await judged()).toEqual(['calm pass', 'more deny'])
  await expect(api.addPolicy({ yaml: NEW, mode: 'acts' })).rejects.toThrow('already')
  await api.rollBackPolicy('more')
  expect(await judged()).toEqual(['calm pass'])
  const [{ version } = { version: '' }] = (await api.policyVersions('more')).versions
  await api.rollBackPolicy('more', { version })
  expect(await judged()).toEqual(['calm pass', 'more deny'])
})

test('another gateway of the store follows, unless its config says something else', async () => {
  const settings = {
    ...allTo(httpUpstream(past.upstream.url)),
    policies: toPolicies(CONFIG),
  }
  const { records } = past
  const same = await startTestGateway(settings, { records })
  const otherwise = { ...settings, policies: toPolicies(CONFIG.replace('Read', 'Write')) }
  const other = await startTestGateway(otherwise, { records })
  undo.push(same.close, other.close)
  const { policy } = await api.editPolicy('calm', { yaml: EDIT, mode: 'acts' })
  const heldBy = async ({ url, adminToken }: typeof same): Promise<string | undefined> =>
    (await createApiClient({ url, token: adminToken() }).policies()).policies[0]?.version
  await expect.poll(() => heldBy(same), { timeout: 3000 }).toBe(policy?.version)
  expect(await heldBy(other)).not.toBe(policy?.version)
})

test('a gateway that could never read what was edited serves nobody until it can', async () => {
  await api.addPolicy({ yaml: NEW, mode: 'acts' })
  const { records } = past
  let isBroken = true
  const store = {
    ...records.store,
    policyEditMark: () =>
      isBroken ? Promise.reject(new Error('gone')) : records.store.policyEditMark(),
  }
  const settings = { ...allTo(httpUpstream(past.upstream.url)), policies: toPolicies(CONFIG) }
  const late = await startTestGateway(settings, { records: { ...records, store } })
  undo.push(late.close)
  const send = async (): Promise<Response> => {
    past.upstream.next({ body: CALL })
    const headers = { 'content-type': 'application/json' }
    const body = ask(WIRE, { model: `${WIRE}/m`, stream: true })
    return await fetch(`${late.url}${PATHS[WIRE]}`, { method: 'POST', headers, body })
  }
  const asked = past.upstream.requests.length
  const refused = await send()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.text()).toContain('cannot read its policies')
  expect(past.upstream.requests.length).toBe(asked)
  isBroken = false
  await expect
    .poll(async () => await (await send()).text(), { timeout: 5000, interval: 200 })
    .toContain('Nothing at all.')
  // Lost later, what was known holds.
  isBroken = true
  expect((await send()).status).toBe(200)
})

test('once the config says something else its edit falls, which is told and shown', async () => {
  await api.editPolicy('calm', { yaml: EDIT, mode: 'acts', by: 'ann' })
  const changed = toPolicies(CONFIG.replace('    name', '    models: "*"\n    name'))
  past.gateway.reload({ ...past.gateway.settings, policies: changed })
  expect(await judged()).toEqual(['calm pass'])
  expect(past.gateway.lines.join('')).toContain('has changed in its config')
  expect((await api.policies()).fallen).toMatchObject([{ policy: 'calm', by: 'ann' }])
  // As it was before, the edit is about that again.
  past.gateway.reload({ ...past.gateway.settings, policies: toPolicies(CONFIG) })
  expect(await judged()).toEqual(['calm deny'])
})

test.each([
  ['- use: rules\n  name: clam\n  deny: [{ when: "true", reason: x }]', 'its name must stay'],
  ['- use: rules\n  deny: [{ when: "true", reason: "${SECRET}" }]', 'line 2, column 34'],
  ['- use: ./evil.mjs\n', 'only stock policies'],
  ['- use: observe\n', 'stands for several'],
  ['- use: [', 'line 1, column'],
  ['', 'there is no policy here'],
])('%j is refused, and nothing changes', async (yaml, words) => {
  await expect(api.editPolicy('calm', { yaml, mode: 'acts' })).rejects.toThrow(words)
  expect((await api.policies()).policies[0]?.edit).toBeUndefined()
})

test('an edit is tried on the past against what is installed now', async () => {
  await judged()
  await judged()
  const query = { since }
  await expect.poll(async () => (await api.exchanges(query)).items.length).toBe(2)
  const edit = { name: 'calm', yaml: EDIT }
  const started = await api.startBacktest({ edit, query, limit: 1000 })
  const { id } = started.backtest
  await expect.poll(async () => (await api.backtest(id)).backtest.state).toBe('done')
  expect((await api.backtest(id)).backtest).toMatchObject({
    policies: ['calm'],
    progress: { done: 2, total: 2 },
    result: {
      changes: { 'newly-denied': 2 },
      rows: [{ policy: 'calm', rule: 'deny[0]', tool: 'Bash', count: 2 }],
    },
  })
  // In force, it is what is compared with: nothing would be different.
  await api.editPolicy('calm', { yaml: EDIT, mode: 'acts' })
  const again = await api.startBacktest({ edit, query })
  const next = again.backtest.id
  await expect.poll(async () => (await api.backtest(next)).backtest.state).toBe('done')
  expect((await api.backtest(next)).backtest.result).toMatchObject({ rows: [], same: 2 })
  const added = await api.startBacktest({ edit: { yaml: NEW }, query })
  await expect
    .poll(async () => (await api.backtest(added.backtest.id)).backtest.result?.rows)
    .toEqual([])
  await expect(api.startBacktest({ edit: { name: 'calm', yaml: '- use: x' } })).rejects.toThrow(
    'line 1, column 8',
  )
})

test('without a store everything but keeping is possible', async () => {
  const alone = await startTestGateway({ policies: toPolicies(CONFIG) })
  undo.push(alone.close)
  const client = createApiClient({ url: alone.url, token: alone.adminToken() })
  expect(await client.policySource('calm')).toMatchObject({ editable: false })
  expect((await client.checkPolicies({ yaml: EDIT })).mistakes).toEqual([])
  const edit = client.editPolicy('calm', { yaml: EDIT, mode: 'acts' })
  await expect(edit).rejects.toMatchObject({ status: 503 })
})
