/**
 * Every path of the admin API, what it takes and what it says. The table is the rule: the server routes and checks by it,
 * `openapi.ts` and the reference are written from it. Neighbours: `server/api.ts` has a handler for each row.
 */
import { BODY_KINDS } from '../store/record.ts'
import { FILTERS, PAGES, STATS } from './filters.ts'
import type { Params } from './params.ts'
import { POLICY_ROUTES } from './routes-policies.ts'

export interface Route {
  readonly says: string
  readonly query?: Params
  /** Names of schemas. */
  readonly body?: string
  /** A schema of JSON by its name, something else, or events by their names with the schema of their data. */
  readonly answer:
    | string
    | { readonly as: 'bytes' | 'document' }
    | { readonly events: EventSchemas }
  /** Statuses besides 401, which all have. */
  readonly fails?: readonly number[]
  /** A ticket's own token will do, too. */
  readonly takesTicketToken?: boolean
  /** Which part of the API it is. */
  readonly group: string
}

type EventSchemas = Readonly<Record<string, string>>

const EXCHANGE_EVENTS = {
  verdict: 'LiveVerdictEvent',
  finished: 'FinishedEvent',
} as const

/** Asks the store: it may be off or unable. */
const STORE = [400, 503]

const ROUTES = {
  'GET /api': { group: 'about', says: 'The list of paths', answer: 'Index' },
  'GET /api/openapi.json': {
    group: 'about',
    says: 'This API as OpenAPI 3.1',
    answer: { as: 'document' },
  },
  'GET /api/health': {
    group: 'about',
    says: 'How the gateway is, its records, its store, and the circuits of its upstreams',
    answer: 'Health',
  },
  'GET /api/config': {
    group: 'about',
    says: 'The config as it holds now, defaults included: each value with where it comes from, secrets never shown; and the routes',
    answer: 'Config',
  },
  'GET /api/keys': {
    group: 'keys',
    says: 'Keys that clients show: those of the config and those that were made here, never the key itself',
    answer: 'Keys',
    fails: [503],
  },
  'POST /api/keys': {
    group: 'keys',
    says: 'Makes one: `secret` is shown this once. Needs `"closes": true` where everybody came in without one so far',
    body: 'KeyOrder',
    answer: 'KeyCreated',
    fails: [400, 409, 503],
  },
  'DELETE /api/keys/{name}': {
    group: 'keys',
    says: 'Revokes one that was made here: nobody comes in with it any more, and what is under way goes on',
    query: {
      by: { type: 'text', max: 200, says: 'Who does it' },
      opens: {
        type: 'flag',
        says: 'Whether everybody comes in again where this was the last; without it nobody does',
      },
    },
    answer: 'KeyRevoked',
    fails: [400, 404, 409, 503],
  },
  'GET /api/events': {
    group: 'live',
    says: 'Server-sent events: `state` first, then what happens to exchanges, approvals and the kill switch',
    query: {
      frames: {
        type: 'choice',
        values: ['all'],
        says: '`all`: also the raw bytes of all exchanges, as `piece`',
      },
    },
    answer: {
      events: {
        state: 'StateEvent',
        asked: 'Ticket',
        waiting: 'Ticket',
        decided: 'Ticket',
        expired: 'Ticket',
        halt: 'Halt',
        begun: 'BegunEvent',
        ...EXCHANGE_EVENTS,
        recorded: 'RecordedEvent',
        gone: 'GoneEvent',
        piece: 'PieceEvent',
      },
    },
    fails: [400, 503],
  },
  'GET /api/exchanges': {
    group: 'exchanges',
    says: 'Exchanges that were recorded, the newest first',
    query: { ...FILTERS, ...PAGES },
    answer: 'ExchangePage',
    fails: STORE,
  },
  'DELETE /api/exchanges': {
    group: 'exchanges',
    says: 'Takes away those of one key, or all before a time: one of the two must be said',
    query: {
      key: { type: 'text', max: 300, says: 'The name of the gateway key' },
      before: { type: 'time', says: 'Those that began before' },
    },
    answer: 'Removed',
    fails: STORE,
  },
  'GET /api/exchanges/{id}': {
    group: 'exchanges',
    says: 'One with everything but its bytes, and its verdicts; by the id of the record or a request id',
    answer: 'Exchange',
    fails: [404, 503],
  },
  'DELETE /api/exchanges/{id}': {
    group: 'exchanges',
    says: 'Takes one away; its verdicts keep their place in the chain and lose their content',
    answer: 'Removed',
    fails: [404, 503],
  },
  'GET /api/exchanges/{id}/bodies/{kind}': {
    group: 'exchanges',
    says: `The raw bytes: ${BODY_KINDS.join(', ')}`,
    answer: { as: 'bytes' },
    fails: [400, 404, 503],
  },
  'GET /api/exchanges/{id}/bodies/{kind}/times': {
    group: 'exchanges',
    says: 'When the bytes of a body passed',
    answer: 'BodyTimes',
    fails: [400, 404, 503],
  },
  'GET /api/exchanges/{id}/blocks': {
    group: 'exchanges',
    says: 'The blocks of the answer as it came and as it left, with their timing, and the verdicts',
    answer: 'Blocks',
    fails: [404, 503],
  },
  'GET /api/exchanges/{id}/live': {
    group: 'live',
    says: 'Server-sent events of one that goes on: `exchange` first, its bytes as `piece`, `end` when it is over',
    answer: {
      events: {
        exchange: 'OpenExchange',
        piece: 'PieceEvent',
        ...EXCHANGE_EVENTS,
        end: 'EndEvent',
      },
    },
    fails: [404, 409, 503],
  },
  'GET /api/conversations': {
    group: 'conversations',
    says: 'Sessions of agents, the last used first',
    query: { ...FILTERS, ...PAGES },
    answer: 'ConversationPage',
    fails: STORE,
  },
  'GET /api/conversations/{id}': {
    group: 'conversations',
    says: 'One with its exchanges, the oldest first',
    query: { limit: PAGES.limit, cursor: PAGES.cursor },
    answer: 'Conversation',
    fails: [400, 404, 503],
  },
  'GET /api/verdicts': {
    group: 'verdicts',
    says: 'What was decided, the newest first',
    query: {
      ...FILTERS,
      exchangeId: { type: 'text', max: 200, says: 'Of one exchange' },
      ...PAGES,
    },
    answer: 'VerdictPage',
    fails: STORE,
  },
  'GET /api/verdicts/verify': {
    group: 'verdicts',
    says: 'Walks over the chain of verdicts and says whether it is whole',
    answer: 'ChainReport',
    fails: [503],
  },
  'GET /api/stats': {
    group: 'stats',
    says: 'Counts, tokens, cost and latency in steps of time',
    query: STATS,
    answer: 'Stats',
    fails: STORE,
  },
  ...POLICY_ROUTES,
  'GET /api/backtests': {
    group: 'backtests',
    says: 'Policies that are or were tried on the past, the newest first',
    answer: 'Backtests',
    fails: [503],
  },
  'POST /api/backtests': {
    group: 'backtests',
    says: 'Tries policies on recorded exchanges: those in `yaml`, or installed ones by name',
    body: 'BacktestOrder',
    answer: 'Backtest',
    fails: [400, 503],
  },
  'GET /api/backtests/{id}': {
    group: 'backtests',
    says: 'How one goes, and what came of it',
    answer: 'Backtest',
    fails: [404, 503],
  },
  'DELETE /api/backtests/{id}': {
    group: 'backtests',
    says: 'Stops one; what it found so far stays',
    answer: 'Backtest',
    fails: [404, 503],
  },
  'GET /api/approvals': {
    group: 'approvals',
    says: 'Those that wait, the oldest first, then those that are over',
    query: {
      status: {
        type: 'choice',
        values: ['pending', 'decided', 'expired'],
        says: 'Only those',
      },
    },
    answer: 'Approvals',
    fails: [400],
  },
  'GET /api/approvals/{ticket}': {
    group: 'approvals',
    says: 'One with all of its arguments',
    query: { token: { type: 'text', max: 1000, says: "The ticket's own token" } },
    answer: 'Approval',
    fails: [404],
    takesTicketToken: true,
  },
  'POST /api/approvals/{ticket}': {
    group: 'approvals',
    says: 'Decides',
    query: { token: { type: 'text', max: 1000, says: "The ticket's own token" } },
    body: 'DecisionOrder',
    answer: 'Approval',
    fails: [400, 404, 409],
    takesTicketToken: true,
  },
} as const satisfies Readonly<Record<`${'GET' | 'POST' | 'DELETE'} /api${string}`, Route>>

export type RouteName = keyof typeof ROUTES

/** All rows, in order. */
export const ROUTE_NAMES = Object.keys(ROUTES) as readonly RouteName[]

export const toRoute = (name: RouteName): Route => ROUTES[name]

/** `GET /api/x` to its two words. */
export function partsOf(name: RouteName): { readonly method: string; readonly path: string } {
  const space = name.indexOf(' ')
  return { method: name.slice(0, space), path: name.slice(space + 1) }
}
