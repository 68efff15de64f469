/** Policies that are turned on and off by the store: at once, for one version, and never in the middle of an exchange. */
import { afterEach, expect, test } from 'vitest'
import type { PolicySettings } from '../../src/config/settings.ts'
import { install } from '../../src/policy/installed.ts'
import { definePolicy } from '../../src/policy/policy.ts'
import { deny } from '../../src/policy/verdict.ts'
import { createPolicyModes } from '../../src/server/policy-modes.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { makeAnswer } from '../../src/testkit/made-answer.ts'
import { startPast, type Past } from '../support/past.ts'
import { openPastStore, type PastStore } from '../support/past-store.ts'
import { encodeAll } from '../support/streams.ts'

const undo: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).toReversed()) await one()
})

const settingsOf = (name: string, version: string, isShadow: boolean): PolicySettings => ({
  name,
  use: 'rules',
  version,
  installed: install(
    definePolicy({ name, version, judge: () => deny('No.', { details: { rule: 'all' } }) }),
    { isShadow },
  ),
  models: undefined,
  keys: undefined,
  routes: undefined,
  route: undefined,
  key: undefined,
})

async function aStore(): Promise<PastStore> {
  const past = await openPastStore()
  undo.push(past.close)
  return past
}

function modesOn({ store }: PastStore) {
  const lines: string[] = []
  const log = createLog(
    { level: 'info', format: 'json', redact: false },
    { write: (line) => void lines.push(line) },
  )
  const modes = createPolicyModes({ store: () => store, log, now: () => 5, everyMs: 20 })
  undo.push(modes.close)
  return { modes, lines }
}

const at = Date.now()

test('what nobody said anything of is as the config says, and the same list', async () => {
  const { modes } = modesOn(await aStore())
  const list = [settingsOf('a', '1', true)]
  modes.use(list)
  await modes.refresh()
  expect(modes.apply(list)).toBe(list)
})

test('versions are noted, each once', async () => {
  const past = await aStore()
  const { modes } = modesOn(past)
  modes.use([settingsOf('a', '1', true)])
  modes.use([settingsOf('a', '1', true), settingsOf('b', '7', false)])
  await expect
    .poll(async () => (await past.store.policyVersions()).map(({ policy }) => policy).toSorted())
    .toEqual(['a', 'b'])
  expect(await past.store.policyVersions()).toContainEqual({
    policy: 'b',
    version: '7',
    use: 'rules',
    isShadow: false,
    firstSeenAt: 5,
  })
})

test('one that is promoted elsewhere acts here within a second, and the log says by whom', async () => {
  const past = await aStore()
  const { modes, lines } = modesOn(past)
  const list = [settingsOf('a', '1', true), settingsOf('b', '1', true)]
  modes.use(list)
  await past.store.setPolicyMode({ policy: 'a', version: '1', mode: 'acts', by: 'ann', at })
  await expect
    .poll(() => modes.apply(list).map(({ installed }) => installed.isShadow))
    .toEqual([false, true])
  // Chosen once per list: nothing is made anew for each exchange.
  expect(modes.apply(list)).toBe(modes.apply(list))
  expect(lines.join('')).toContain('"A policy acts"')
  expect(lines.join('')).toContain('ann')
})

test('what is turned here holds here at once, whatever the store was asked just before', async () => {
  const past = await aStore()
  const { modes } = modesOn(past)
  const list = [settingsOf('a', '1', false)]
  modes.use(list)
  const asked = modes.refresh()
  await modes.set({ policy: 'a', version: '1', mode: 'shadow', by: undefined, at })
  await asked
  expect(modes.apply(list)[0]?.installed.isShadow).toBe(true)
})

test('a new version is what its config says, and the log says so once', async () => {
  const past = await aStore()
  const { modes, lines } = modesOn(past)
  await past.store.setPolicyMode({ policy: 'a', version: '1', mode: 'acts', by: 'ann', at })
  modes.use([settingsOf('a', '1', true)])
  await modes.refresh()
  const changed = [settingsOf('a', '2', true)]
  modes.use(changed)
  await modes.refresh()
  await modes.refresh()
  expect(modes.apply(changed)).toBe(changed)
  expect(lines.filter((line) => line.includes('A policy has changed'))).toHaveLength(1)
})

test('a store that cannot be asked leaves everything as it is, and is told of once', async () => {
  const past = await aStore()
  let isBroken = false
  const store = {
    ...past.store,
    policyModes: () => (isBroken ? Promise.reject(new Error('gone')) : past.store.policyModes()),
  }
  const { modes, lines } = modesOn({ ...past, store })
  const list = [settingsOf('a', '1', true)]
  await past.store.setPolicyMode({ policy: 'a', version: '1', mode: 'acts', by: 'ann', at })
  modes.use(list)
  await modes.refresh()
  isBroken = true
  await modes.refresh()
  await modes.refresh()
  expect(modes.apply(list)[0]?.installed.isShadow).toBe(false)
  expect(lines.filter((line) => line.includes('cannot be asked'))).toHaveLength(1)
})

test('a gateway that runs takes it up for what begins from then on', async () => {
  const policies = [settingsOf('strict', '1', true)]
  const past: Past = await startPast([], { policies })
  undo.push(past.close)
  const wire = 'anthropic-messages'
  const answer = encodeAll(wire, makeAnswer([{ name: 'Bash' }], { model: 'm', number: 1 }))
  await past.serve(answer, { wire })
  const verdictOf = (index: number) => past.gateway.reports[index]?.verdicts.at(0)
  expect(verdictOf(0)).toMatchObject({ type: 'deny', isShadow: true })
  await past.records.store.setPolicyMode({
    policy: 'strict',
    version: '1',
    mode: 'acts',
    by: 'ann',
    at,
  })
  const turnedAt = performance.now()
  let served = 0
  do await past.serve(answer, { wire })
  while (verdictOf(++served)?.isShadow !== false && performance.now() - turnedAt < 5000)
  expect(performance.now() - turnedAt).toBeLessThan(2500)
  expect(past.gateway.lines.join('')).toContain('A policy acts')
})
