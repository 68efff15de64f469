import { afterEach, expect, test } from 'vitest'
import type { KeySettings } from '../config/settings.ts'
import type { GatewayKey } from '../store/store.ts'
import { createLog } from '../telemetry/log.ts'
import { checkKey } from './access.ts'
import { createGatewayKeys, type GatewayKeys } from './gateway-keys.ts'
import { hashKey } from '../config/keys.ts'

const undo: (() => void)[] = []
afterEach(() => {
  for (const one of undo.splice(0)) one()
})

const made = (name: string, more: Partial<GatewayKey> = {}): GatewayKey => ({
  name,
  hash: hashKey(`secret-of-${name}`),
  limits: {},
  createdAt: 1,
  createdBy: undefined,
  revokedAt: undefined,
  revokedBy: undefined,
  ...more,
})

const configured = (name: string): KeySettings => ({
  name,
  hash: hashKey(`secret-of-config-${name}`),
  models: undefined,
  rate: undefined,
  budget: undefined,
  concurrent: undefined,
})

/** A store in memory that can be made to fail, to wait, and to change behind the back of the one who asks. */
function aStore(kept: readonly GatewayKey[] = []) {
  const state = { kept, isBroken: false, wait: Promise.resolve(), reads: 0 }
  const store = {
    async gatewayKeys() {
      state.reads += 1
      const seen = state.kept
      await state.wait
      if (state.isBroken) throw new Error('gone')
      return seen
    },
    addGatewayKey(key: GatewayKey) {
      state.kept = [key, ...state.kept]
      return Promise.resolve('added' as const)
    },
    revokeGatewayKey({ name, at }: { readonly name: string; readonly at: number }) {
      state.kept = state.kept.map((one) => (one.name === name ? { ...one, revokedAt: at } : one))
      return Promise.resolve(true)
    },
    forgetGatewayKeys() {
      state.kept = []
      return Promise.resolve(true)
    },
  }
  return { state, store }
}

function keysOn(
  store: ReturnType<typeof aStore>['store'] | undefined,
  { patienceMs = 1000, everyMs = 10 } = {},
) {
  const lines: string[] = []
  const log = createLog(
    { level: 'info', format: 'json', redact: false },
    { write: (line) => void lines.push(line) },
  )
  const options = { store: () => store, log, now: () => 7, everyMs, patienceMs }
  const keys = createGatewayKeys(options)
  undo.push(keys.close)
  return { keys, lines }
}

const NONE: readonly KeySettings[] = []

function statusOf(keys: GatewayKeys, given: string | undefined, config = NONE): number {
  const ring = keys.ring(config)
  const access = checkKey(given === undefined ? {} : { 'x-api-key': given }, ring.keys, ring)
  return access.ok ? 200 : access.status
}

test('without a store the keys of the config are all there are', async () => {
  const { keys } = keysOn(undefined)
  await keys.refresh()
  expect(keys.ring(NONE)).toEqual({ keys: [], needsKey: false, isUnread: false })
  const config = [configured('a')]
  expect(keys.ring(config).keys).toBe(config)
  expect(statusOf(keys, undefined)).toBe(200)
})

test('until the store was read nobody comes in but with a key of the config', async () => {
  const { state, store } = aStore([made('a')])
  state.isBroken = true
  const { keys, lines } = keysOn(store)
  await keys.refresh()
  expect(statusOf(keys, undefined)).toBe(503)
  expect(statusOf(keys, 'secret-of-a')).toBe(503)
  const config = [configured('b')]
  expect(statusOf(keys, 'secret-of-config-b', config)).toBe(200)
  expect(statusOf(keys, 'secret-of-a', config)).toBe(503)
  expect(statusOf(keys, undefined, config)).toBe(401)
  expect(lines.filter((line) => line.includes('cannot be read'))).toHaveLength(1)
  state.isBroken = false
  await expect.poll(() => statusOf(keys, 'secret-of-a')).toBe(200)
  expect(statusOf(keys, undefined)).toBe(401)
})

test('a store that says nothing keeps a start no longer than it may, and the gateway stays shut', async () => {
  const { state, store } = aStore()
  let answer = (): void => {}
  state.wait = new Promise((resolve) => (answer = resolve))
  const { keys, lines } = keysOn(store, { patienceMs: 30 })
  await keys.refresh()
  expect(statusOf(keys, undefined)).toBe(503)
  expect(lines.join('')).toContain('cannot be read')
  answer()
  await expect.poll(() => statusOf(keys, undefined)).toBe(200)
})

test('a store that is lost later leaves those in who were known, and keeps the others out', async () => {
  const { state, store } = aStore([made('a'), made('b', { revokedAt: 3 })])
  const { keys } = keysOn(store)
  await keys.refresh()
  state.isBroken = true
  const { reads } = state
  await expect.poll(() => state.reads).toBeGreaterThan(reads + 2)
  expect(statusOf(keys, 'secret-of-a')).toBe(200)
  expect(statusOf(keys, 'secret-of-b')).toBe(401)
  expect(statusOf(keys, undefined)).toBe(401)
})

test('what is said here holds at once, whatever the store was asked just before', async () => {
  const { state, store } = aStore([made('a')])
  const { keys } = keysOn(store, { everyMs: 60_000 })
  await keys.refresh()
  let answer = (): void => {}
  state.wait = new Promise((resolve) => (answer = resolve))
  const asked = keys.refresh()
  // The store has been asked, and its answer still has the key.
  await keys.revoke({ name: 'a', at: 5 })
  expect(statusOf(keys, 'secret-of-a')).toBe(401)
  answer()
  await asked
  expect(statusOf(keys, 'secret-of-a')).toBe(401)
  await keys.add(made('c'))
  expect(statusOf(keys, 'secret-of-c')).toBe(200)
})

test('what is said elsewhere is followed, and the log says that the gateway closes', async () => {
  const { state, store } = aStore()
  const { keys, lines } = keysOn(store)
  await keys.refresh()
  expect(statusOf(keys, undefined)).toBe(200)
  state.kept = [made('a')]
  await expect.poll(() => statusOf(keys, undefined)).toBe(401)
  expect(statusOf(keys, 'secret-of-a')).toBe(200)
  expect(lines.join('')).toContain('nobody comes in without one')
})

test('when the last key is revoked the gateway stays shut, until that is taken back', async () => {
  const { store } = aStore([made('a')])
  const { keys } = keysOn(store)
  await keys.refresh()
  await keys.revoke({ name: 'a', at: 5 })
  expect([statusOf(keys, undefined), statusOf(keys, 'secret-of-a')]).toEqual([401, 401])
  await keys.forget()
  expect(statusOf(keys, undefined)).toBe(200)
})

test('a key of the config goes before one of the same name, which does not hold', async () => {
  const { store } = aStore([made('a')])
  const { keys, lines } = keysOn(store)
  await keys.refresh()
  const config = [configured('a')]
  expect(statusOf(keys, 'secret-of-config-a', config)).toBe(200)
  expect(statusOf(keys, 'secret-of-a', config)).toBe(401)
  expect(lines.join('')).toContain('has the name of one')
})

test('a row that somebody spoiled lets nobody in and stops nothing', async () => {
  const { store } = aStore([made('bad', { hash: 'x' }), made('good')])
  const { keys } = keysOn(store)
  await keys.refresh()
  expect(statusOf(keys, 'secret-of-good')).toBe(200)
  expect(statusOf(keys, 'x')).toBe(401)
})

test('the list is made anew only when something has changed', async () => {
  const { state, store } = aStore([made('a')])
  const { keys } = keysOn(store)
  await keys.refresh()
  const ring = keys.ring(NONE)
  const { reads } = state
  await expect.poll(() => state.reads).toBeGreaterThan(reads + 2)
  expect(keys.ring(NONE)).toBe(ring)
  keys.used('a')
  expect(keys.lastUsedAt('a')).toBe(7)
})
