/**
 * The shape of `admin` and `approvals`. Neighbours: `shape.ts` has the rest, `approvals.ts` builds settings from
 * it. Tokens and secrets are never shown.
 */
import { listOf } from './collections.ts'
import { time, whole } from './number.ts'
import { section } from './section.ts'
import { checkHeaderValue, HOUR } from './shape-upstream.ts'
import { choice, filledText, flag, url } from './text.ts'

/** Fewer can be guessed. */
const MIN_SECRET = 16

/** What proves who one is, or hides something: long enough, and shown nowhere. */
export const secret = (takes: string) =>
  filledText({
    takes,
    check(value) {
      if (value.length < MIN_SECRET)
        return `it takes ${MIN_SECRET} characters at least: "openssl rand -hex 32" makes good ones`
      return value === value.trim() ? checkHeaderValue(value) : 'it begins or ends with white space'
    },
  })

const GATEWAY = { like: 'https://gateway.example' }
const WEBHOOK = { like: 'https://hooks.example/sluice' }

export const admin = section({
  token: {
    says: 'What /api asks for as "authorization: Bearer", from a variable as in ${SLUICE_TOKEN}; without it, one is made at each start. Needed when listening beyond loopback',
    field: secret('a token'),
  },
  url: {
    says: 'Where the gateway is reached from outside, for links in webhooks (default: where it listens)',
    field: url(GATEWAY),
  },
})

const webhook = section({
  url: { says: 'Where approvals are posted as JSON', field: url(WEBHOOK), isRequired: true },
  secret: {
    says: 'Signs what is posted: x-sluice-signature is HMAC-SHA256 over x-sluice-timestamp, a dot and the body',
    field: secret('a secret'),
  },
  decides: {
    says: 'Whether its answer may decide: {"decision":"pass"}, "deny" or "edit" (default false)',
    field: flag,
  },
})

export const approvals = section({
  deadline: {
    says: 'How long a person has before the call is given up (default 5m; without a stream 4m at most)',
    field: time({ min: 1000, max: HOUR }),
  },
  max: {
    says: 'How many calls may wait at once; more are denied (default 1000)',
    field: whole({ min: 1, max: 10_000 }),
  },
  remember: {
    says: 'How long a decision holds where the person says nothing of it: once, for the same call in the conversation, or always for the same call of the same client (default once)',
    field: choice(['once', 'conversation', 'always'], 'time to remember'),
  },
  webhooks: {
    says: 'Programs that are told of calls that wait and of decisions',
    field: listOf(webhook, { min: 1, max: 16, takes: 'a list of webhooks' }),
  },
})
