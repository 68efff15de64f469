/**
 * What can be asked of the records, as parameters of a query: named as the fields of `store/query.ts`, so that there is
 * one word for each thing. Neighbours: `params.ts` reads them, `routes.ts` says which path takes which.
 */
import type { ExchangeQuery, PageQuery, StatsQuery } from '../store/query.ts'
import { OUTCOMES, STATS_BY, WIRE_NAMES } from './words.ts'
import type { Param } from './params.ts'

const MAX_NAME_CHARS = 300
const MAX_TEXT_CHARS = 1000

const name = (says: string): Param => ({ type: 'text', max: MAX_NAME_CHARS, says })

/** `*` stands for any characters in names. Where several are given, all must hold. */
export const FILTERS = {
  since: { type: 'time', says: 'From this time on' },
  until: { type: 'time', says: 'Before this time' },
  model: name('As the client asked, as it was sent, or as the answer says; `*` for any characters'),
  route: name('The pattern of the route; `*` for any characters'),
  upstream: name('`*` for any characters'),
  key: name('The name of the gateway key; `*` for any characters'),
  client: name('The product of the user agent, such as `claude-cli/2.1`; `*` for any characters'),
  wire: { type: 'choice', values: WIRE_NAMES, says: 'Which wire the client speaks' },
  conversation: name('The id of a conversation'),
  status: {
    type: 'status',
    says: 'The HTTP status, or `error` for everything that is not a whole answer',
  },
  outcome: { type: 'choice', values: OUTCOMES, says: 'How it ended' },
  tool: name('A tool that the model called; `*` for any characters'),
  hasTools: { type: 'flag', says: 'Whether any tool was called' },
  verdict: name('A verdict that was given, such as `deny`'),
  policy: name('A policy that decided; `*` for any characters'),
  isShadow: {
    type: 'flag',
    says: 'Only verdicts in shadow, or only those that acted; with `verdict` and without this, those that acted',
  },
  text: {
    type: 'text',
    max: MAX_TEXT_CHARS,
    says: "Words that all stand in the request's last turn or in the answer; the last may be a beginning",
  },
} as const satisfies Readonly<Record<keyof ExchangeQuery, Param>>

export const PAGES = {
  limit: { type: 'whole', min: 1, max: 1000, says: 'How many at most; 50 without it' },
  cursor: { type: 'text', max: 500, says: 'The `next` of the page before' },
  isOldestFirst: { type: 'flag', says: 'The newest come first without it' },
} as const satisfies Readonly<Record<keyof PageQuery, Param>>

export const STATS = {
  ...FILTERS,
  step: {
    type: 'whole',
    min: 1000,
    max: 366 * 86_400_000,
    says: 'How long a step is, in milliseconds; one is chosen without it',
  },
  by: { type: 'choice', values: STATS_BY, says: 'A line for each value of it' },
} as const satisfies Readonly<Record<keyof StatsQuery, Param>>
