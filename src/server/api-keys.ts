/**
 * `/api/keys`: keys that clients show, those of the config and those that are made here. Neighbours: `api.ts` has let them
 * in, `gateway-keys.ts` knows which hold, `read-key-order.ts` checks what is asked. A key itself leaves once, with the
 * answer that makes it, and its hash never.
 */
import type { KeyCreated, KeyRevoked, KeysAnswer } from '../api/types.ts'
import { nearest } from '../base/nearest.ts'
import { createKey, hashKey } from '../config/keys.ts'
import type { KeySettings } from '../config/settings.ts'
import type { Spent } from '../shared/ledger.ts'
import type { GatewayKey } from '../store/store.ts'
import { fail, say, type Reply } from './api-answer.ts'
import type { ApiOptions, Handler } from './api-handler.ts'
import { RECORDS_OFF, type AskStore } from './api-store.ts'
import type { GatewayKeys } from './gateway-keys.ts'
import { toConfigKey, toMadeKey, type KeyFacts } from './key-views.ts'
import { readKeyOrder } from './read-key-order.ts'

/** What is known of keys while the gateway runs. */
export interface KeyDesk {
  readonly made: GatewayKeys
  /** Those of the config. */
  configured(): readonly KeySettings[]
  /** Where one of the config stands: `sluice.yaml:12`. */
  where(name: string): string | undefined
  spent(): readonly Spent[]
}

export function createKeyHandlers(
  { keys: desk, log, records }: ApiOptions,
  askStore: AskStore,
): Readonly<Record<'list' | 'create' | 'revoke', Handler>> {
  const hasStore = (): boolean => records?.() !== undefined
  return {
    list: () => (desk === undefined ? fail(503, NO_KEYS) : say(listKeys(desk, hasStore()))),

    create({ body }) {
      const order = readKeyOrder(body)
      if (order instanceof Error) return fail(400, order.message)
      if (desk === undefined || !hasStore()) return fail(503, NO_KEYS)
      return askStore(async () => {
        const { name, limits, by, closes } = order
        const taken = refuseTaken(desk, name)
        if (taken !== undefined) return taken
        if (desk.made.made() === undefined) return fail(503, UNREAD)
        const isOpen = !desk.made.ring(desk.configured()).needsKey
        if (isOpen && !closes) return fail(409, WOULD_CLOSE)
        const secret = createKey()
        const key: GatewayKey = {
          name,
          hash: hashKey(secret),
          limits,
          createdAt: Date.now(),
          createdBy: by,
          revokedAt: undefined,
          revokedBy: undefined,
        }
        const added = await desk.made.add(key)
        if (added === 'taken')
          return fail(
            409,
            `There is a key "${name}" already: take another name, or revoke it first`,
          )
        if (added === 'full')
          return fail(409, 'There are 1000 keys, which is the limit: revoke some that nobody uses')
        log.warn('A key was made', { key: name, by })
        const answer: KeyCreated = {
          key: toMadeKey(key, factsOf(desk)),
          secret,
          note: isOpen ? CLOSED : undefined,
        }
        return say(answer)
      })
    },

    revoke({ params, values }) {
      const name = params['name'] ?? ''
      const refused = desk === undefined ? undefined : refuseConfigured(desk, name)
      if (refused !== undefined) return refused
      if (desk === undefined || !hasStore()) return fail(503, NO_KEYS)
      return askStore(() =>
        revokeKey(desk, log, {
          name,
          by: typeof values['by'] === 'string' ? values['by'] : 'admin',
          opens: values['opens'] === true,
        }),
      )
    },
  }
}

function listKeys(desk: KeyDesk, canCreate: boolean): KeysAnswer {
  const facts = factsOf(desk)
  const made = desk.made.made() ?? []
  const isRevoked = ({ revokedAt }: GatewayKey): boolean => revokedAt !== undefined
  return {
    keys: [
      ...desk.configured().map((key) => toConfigKey(key, facts)),
      ...made.filter((key) => !isRevoked(key)).map((key) => toMadeKey(key, facts)),
      ...made.filter(isRevoked).map((key) => toMadeKey(key, facts)),
    ],
    needsKey: desk.made.ring(desk.configured()).needsKey,
    canCreate,
  }
}

const factsOf = ({ made, configured, where, spent }: KeyDesk): KeyFacts => ({
  where,
  lastUsedAt: made.lastUsedAt,
  spent: spent(),
  taken: new Set(configured().map(({ name }) => name)),
})

/** One name is one client, in logs and in what it has spent. */
function refuseTaken({ configured, where }: KeyDesk, name: string): Reply | undefined {
  if (!configured().some((key) => key.name === name)) return undefined
  return fail(409, `Key "${name}" stands in the config${at(where(name))}: take another name`)
}

const at = (where: string | undefined): string => (where === undefined ? '' : ` (${where})`)

/** Unless one of the same name was made here and is still to be revoked. */
function refuseConfigured({ made, configured, where }: KeyDesk, name: string): Reply | undefined {
  const isMade = made.made()?.some((key) => key.name === name && key.revokedAt === undefined)
  if (isMade === true || !configured().some((key) => key.name === name)) return undefined
  return fail(
    409,
    `Key "${name}" stands in the config${at(where(name))}: take it out there, and it holds no longer`,
  )
}

interface RevokeOrder {
  readonly name: string
  readonly by: string
  readonly opens: boolean
}

async function revokeKey(
  desk: KeyDesk,
  log: ApiOptions['log'],
  { name, by, opens }: RevokeOrder,
): Promise<Reply> {
  const known = desk.made.made() ?? []
  const revokedAt = Date.now()
  if (!(await desk.made.revoke({ name, by, at: revokedAt }))) return unknownKey(name, known)
  log.warn('A key was revoked', { key: name, by })
  const found = desk.made.made()?.find((key) => key.name === name)
  const isOpened = opens && (await desk.made.forget())
  if (isOpened) log.warn('Everybody comes in without a key again', { by })
  const key = found ?? { ...NOBODY, name, revokedAt, revokedBy: by }
  const answer: KeyRevoked = {
    key: toMadeKey(key, factsOf(desk)),
    note: toRevokeNote(desk, opens, isOpened),
  }
  return say(answer)
}

/** Made elsewhere, and revoked here before it was seen. */
const NOBODY = { hash: '', limits: {}, createdAt: 0, createdBy: undefined }

function toRevokeNote(desk: KeyDesk, opens: boolean, isOpened: boolean): string | undefined {
  const { keys, needsKey } = desk.made.ring(desk.configured())
  if (isOpened && !needsKey) return OPENED
  if (opens) return 'Other keys still hold: nobody comes in without one'
  return keys.length === 0 ? LAST : undefined
}

function unknownKey(name: string, known: readonly GatewayKey[]): Reply {
  const near = nearest(
    name,
    known.map((key) => key.name),
  )
  const hint = near === undefined ? '' : `; did you mean "${near}"?`
  return fail(404, `No key of that name was made here: "GET /api/keys" lists them${hint}`)
}

const NO_KEYS = `Keys that are made here are kept in the store, and there is none. ${RECORDS_OFF}; or put a key into the config: "sluice keys new NAME" makes one`

const UNREAD =
  'The keys in the store cannot be read now, so that none is made: see the log, and try again'

const WOULD_CLOSE =
  'So far this gateway lets everybody in who can reach it, without a key. The first key closes it for all others: clients without one are refused from then on. Say "closes": true if that is meant'

const CLOSED =
  'From now on nobody comes in without a key: clients send it as "authorization: Bearer …" or "x-api-key", or as "x-sluice-key" where their own credential must reach the provider'

const OPENED = 'From now on everybody who can reach this gateway comes in without a key'

const LAST =
  'This was the last key: nobody comes in until another is made. To let everybody in without one again, revoke it once more with ?opens=true'
