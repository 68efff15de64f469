/**
 * A value of the config → what may be shown of it, to who has the admin token. Neighbours: `config-view.ts` asks for each
 * value. Three nets, one behind the other: places where secrets stand are not shown at all, of addresses only what leads
 * to a host, and from every other text goes what looks like a credential or is one of this config.
 */
import type { Settings } from '../config/settings.ts'
import type { WrittenValue } from '../config/source.ts'
import { isOneVariable } from '../config/variables.ts'
import { redact } from '../telemetry/redact.ts'

type Plain = string | number | boolean | null

interface Masked {
  /** Missing: it is there, and nobody is shown what it is. */
  readonly value?: Plain | readonly Plain[]
  readonly isSecret?: true
}

export interface Mask {
  written(value: Pick<WrittenValue, 'path' | 'value'>): Masked
  text(text: string): string
}

const UPSTREAM = String.raw`^upstreams\.(?:[\w-]+|".*")`

const SECRETS = [
  new RegExp(String.raw`${UPSTREAM}\.apiKey$`),
  new RegExp(String.raw`${UPSTREAM}\.(?:headers|query)\.`),
  /^admin\.token$/,
  /^approvals\.webhooks\[\d+\]\.secret$/,
  /^store\.key$/,
  /^telemetry\.otlp\.headers\./,
  /^keys(?:\[\d+\]|\.(?:[\w-]+|".*"))\.(?:hash|key)$/,
  // What functions of a person's own are handed: the name tells.
  /^(?:.+\.)?policies(?:\[\d+\])?\..*?(?:headers\.|(?:^|\.)"?key"?$)/i,
  /^(?:.+\.)?policies(?:\[\d+\])?\..*hooks?(?:[_-]?urls?)?"?(?:\[\d+\])?$/i,
  /(?:(?:api|access|private)[_-]?key|secret|passw(?:or)?d|passphrase|pwd|credentials?|authorization)"?$/i,
  /(?:(?:^|[._-])token|[a-z]Token|TOKEN)"?$/,
]

const ADDRESSES = [
  new RegExp(String.raw`${UPSTREAM}\.(?:baseUrl|proxy)$`),
  /^store(?:\.url)?$/,
  /^telemetry\.otlp(?:\.endpoint)?$/,
  /^admin\.url$/,
]
/** Whoever knows all of such an address may post there. */
const HOOKS = [/^approvals\.webhooks\[\d+\]\.url$/]

const MAX_CHARS = 1000
const MAX_ITEMS = 100

export function createMask(settings: Settings): Mask {
  const secrets = secretsOf(settings)
  const text = (given: string): string => {
    const masked = secrets.reduce((before, one) => before.replaceAll(one, HIDDEN), given)
    const clean = redact(masked)
    return clean.length > MAX_CHARS ? `${clean.slice(0, MAX_CHARS)}…` : clean
  }
  const plain = (value: Plain): Plain => (typeof value === 'string' ? text(value) : value)
  return {
    text,
    written({ path, value }) {
      if (isAt(SECRETS, path)) return { isSecret: true }
      if (typeof value === 'string' && isAt([...ADDRESSES, ...HOOKS], path)) {
        const address = toAddress(value, isAt(HOOKS, path))
        return address === undefined ? { isSecret: true } : { value: text(address) }
      }
      if (!isList(value)) return { value: plain(value) }
      const shown = value.slice(0, MAX_ITEMS).map(plain)
      const rest = value.length - shown.length
      return { value: rest === 0 ? shown : [...shown, `… and ${rest} more`] }
    },
  }
}

const HIDDEN = '[redacted:secret]'

const isList = (value: Plain | readonly Plain[]): value is readonly Plain[] => Array.isArray(value)

const isAt = (patterns: readonly RegExp[], path: string): boolean =>
  patterns.some((pattern) => pattern.test(path))

/** Longer parts of a path are taken for something that lets in. */
const MAX_PART = 16

/** Where it leads, without who goes there; `undefined`: that cannot be told apart. */
function toAddress(written: string, isHook: boolean): string | undefined {
  if (isOneVariable(written)) return written.replace(/:-[^}]*\}$/, '}')
  if (written.includes('${')) return undefined
  if (!/^[a-z][a-z0-9+.-]+:/i.test(written)) return written
  if (!URL.canParse(written)) return undefined
  const { protocol, host, pathname } = new URL(written)
  const parts = pathname.split('/').map((part) => (part.length > MAX_PART ? '…' : part))
  const path = isHook ? (pathname === '/' ? '' : '/…') : parts.join('/')
  return `${protocol}//${host}${path === '/' ? '' : path}`
}

/** Fewer characters are part of many an innocent text. */
const MIN_SECRET = 8

/** All that this config knows and nobody else may: found also where a person wrote it a second time. */
function secretsOf({
  upstreams,
  admin,
  approvals,
  store,
  otlp,
  keys,
}: Settings): readonly string[] {
  const { location } = store
  const found = [
    ...upstreams.flatMap((one) =>
      one.kind === 'http'
        ? [
            one.apiKey,
            ...Object.values(one.headers),
            ...Object.values(one.query),
            ...passwordsOf(one.proxy),
          ]
        : [],
    ),
    admin.token,
    ...approvals.webhooks.map(({ secret }) => secret),
    store.secret,
    ...(location?.type === 'postgres' ? passwordsOf(location.url) : []),
    ...Object.values(otlp?.headers ?? {}),
    ...keys.map(({ hash }) => hash),
  ]
  const texts = found.flatMap((one) => (one === undefined ? [] : [one]))
  return [...new Set(texts.filter((one) => one.length >= MIN_SECRET))]
}

function passwordsOf(url: string | undefined): readonly string[] {
  if (url === undefined || !URL.canParse(url)) return []
  const { password } = new URL(url)
  return [password, decodeURIComponent(password)]
}
