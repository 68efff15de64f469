/**
 * Keys that were made while the gateway ran, beside those of the config: who may come in now. Neighbours: the store keeps
 * them for all gateways, `api-keys.ts` makes and revokes them, `access.ts` compares. What is said here holds here at once,
 * and elsewhere within a second. While the store has never been read nobody comes in whom the config does not know; when
 * it cannot be read later, what was known stays.
 */
import type { KeySettings } from '../config/settings.ts'
import type { GatewayKey, RecordStore } from '../store/store.ts'
import type { Log } from '../telemetry/log.ts'
import type { Door } from './access.ts'

type KeyStore = Pick<
  RecordStore,
  'gatewayKeys' | 'addGatewayKey' | 'revokeGatewayKey' | 'forgetGatewayKeys'
>

/** All keys that hold, and what is asked of those who have none. */
interface KeyRing extends Door {
  readonly keys: readonly KeySettings[]
}

export interface GatewayKeys {
  /** Those of the config and of the store; the same object while nothing changes. */
  ring(configured: readonly KeySettings[]): KeyRing
  /** Those of the store as they were last seen, the revoked among them; `undefined`: they could never be read. */
  made(): readonly GatewayKey[] | undefined
  add(key: GatewayKey): ReturnType<KeyStore['addGatewayKey']>
  revoke(which: Parameters<KeyStore['revokeGatewayKey']>[0]): Promise<boolean>
  /** Forgets all that are revoked, so that nobody is asked for a key again; `false`: one still holds. */
  forget(): Promise<boolean>
  /** Somebody came in with it. */
  used(name: string): void
  /** In this process, since it began. */
  lastUsedAt(name: string): number | undefined
  /** Looks now, and from now on every second. */
  refresh(): Promise<void>
  close(): void
}

export interface GatewayKeysOptions {
  /** `undefined`: there is none, and no key but those of the config. */
  store(): KeyStore | undefined
  readonly log: Log
  /** Milliseconds since 1970. */
  now(): number
  readonly everyMs?: number
  /** How long a start waits for a store that does not answer. */
  readonly patienceMs?: number
}

const EVERY_MS = 1000
const PATIENCE_MS = 5000
/** Names of keys that are remembered with the time of their last use. */
const MAX_USED = 11_000

export function createGatewayKeys(options: GatewayKeysOptions): GatewayKeys {
  const { log, now, everyMs = EVERY_MS, patienceMs = PATIENCE_MS } = options
  let made: readonly GatewayKey[] | undefined
  let stamp = ''
  let rings = new WeakMap<readonly KeySettings[], KeyRing>()
  const used = new Map<string, number>()
  let lastUsed: string | undefined
  const told = new Set<string>()
  let isAsking = false
  let hasFailed = false
  /** How often something was said here: what was asked before that is out of date. */
  let turns = 0
  let timer: NodeJS.Timeout | undefined

  function take(read: readonly GatewayKey[]): void {
    const next = JSON.stringify(read)
    if (made !== undefined && next === stamp) return
    if (made !== undefined && (made.length === 0) !== (read.length === 0))
      log.warn(
        read.length === 0
          ? 'The keys that were made here are gone: only those of the config are asked for'
          : 'A key was made: from now on nobody comes in without one',
      )
    made = read
    stamp = next
    rings = new WeakMap()
  }

  function failed(error: unknown): void {
    if (!hasFailed)
      log.error(
        made === undefined
          ? 'The keys in the store cannot be read: until they can, nobody comes in but with a key of the config'
          : 'The keys in the store cannot be read: those that were known hold, and it is tried again',
        { error: error instanceof Error ? error : new Error(String(error)) },
      )
    hasFailed = true
  }

  async function look(): Promise<void> {
    const store = options.store()
    if (store === undefined || isAsking) return
    isAsking = true
    const before = turns
    try {
      const read = await store.gatewayKeys()
      hasFailed = false
      if (before === turns) take(read)
    } catch (error) {
      failed(error)
    } finally {
      isAsking = false
    }
  }

  /** Says it to the store, and then does here what the others will read there. */
  async function turn<T>(
    work: (store: KeyStore) => Promise<T>,
    change: (result: T, known: readonly GatewayKey[]) => readonly GatewayKey[],
  ): Promise<T> {
    const store = options.store()
    if (store === undefined) throw new Error('There is no store for keys')
    turns += 1
    const result = await work(store)
    turns += 1
    if (made !== undefined) take(change(result, made))
    return result
  }

  function toRing(configured: readonly KeySettings[]): KeyRing {
    const isUnread = made === undefined && options.store() !== undefined
    const taken = new Set(configured.map(({ name }) => name))
    const keys = (made ?? []).filter(isRight).filter(({ name }) => !taken.has(name))
    for (const { name, revokedAt } of made ?? [])
      if (taken.has(name) && revokedAt === undefined && !told.has(name)) {
        told.add(name)
        log.warn(
          'A key of the config has the name of one that was made here, which does not hold',
          {
            key: name,
          },
        )
      }
    return {
      keys: keys.length === 0 ? configured : [...configured, ...keys.map(toSettings)],
      needsKey: configured.length > 0 || (made ?? []).length > 0,
      isUnread,
    }
  }

  return {
    ring(configured) {
      let ring = rings.get(configured)
      if (ring === undefined) rings.set(configured, (ring = toRing(configured)))
      return ring
    },
    made: () => (options.store() === undefined ? [] : made),
    add: (key) =>
      turn(
        (store) => store.addGatewayKey(key),
        (result, known) =>
          result === 'added' ? [key, ...known.filter(({ name }) => name !== key.name)] : known,
      ),
    revoke: (which) =>
      turn(
        (store) => store.revokeGatewayKey(which),
        (_, known) => known.map((one) => (one.name === which.name ? toRevoked(one, which) : one)),
      ),
    forget: () =>
      turn(
        (store) => store.forgetGatewayKeys(),
        (isDone, known) => (isDone ? [] : known),
      ),
    used(name) {
      // The last one stays where it is: a map that things come to and go from makes itself anew now and then.
      if (name !== lastUsed) used.delete(name)
      lastUsed = name
      used.set(name, now())
      if (used.size <= MAX_USED) return
      const [oldest] = used.keys()
      if (oldest !== undefined) used.delete(oldest)
    },
    lastUsedAt: (name) => used.get(name),
    async refresh() {
      if (options.store() === undefined) return
      timer ??= setInterval(() => void look(), everyMs).unref()
      const isAnswered = await within(patienceMs, look())
      if (!isAnswered) failed(new Error('The store does not answer'))
    },
    close() {
      clearInterval(timer)
    },
  }
}

const HASH = /^[0-9a-f]{64}$/

/** Not revoked, and what stands in the store is a hash: another would stop the comparison. */
const isRight = ({ revokedAt, hash }: GatewayKey): boolean =>
  revokedAt === undefined && HASH.test(hash)

const toRevoked = (
  key: GatewayKey,
  { by, at }: { readonly by?: string | undefined; readonly at: number },
): GatewayKey => (key.revokedAt === undefined ? { ...key, revokedAt: at, revokedBy: by } : key)

const toSettings = ({ name, hash, limits }: GatewayKey): KeySettings => ({
  name,
  hash,
  models: limits.models,
  rate: limits.rate,
  budget: limits.budget,
  concurrent: limits.concurrent,
})

/** Whether it was over in that time. */
function within(ms: number, work: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false)
    void work.finally(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
