/**
 * What is asked → conditions on the tables. Neighbours: every reading file of this room. The tables are called `e`
 * (exchanges), `t` (tools) and `v` (verdicts) in all queries.
 */
import { sql, type Expression, type SqlBool } from 'kysely'
import { SluiceError } from '../base/sluice-error.ts'
import type { Terms } from './engine.ts'
import { cut, toWhole } from './fit.ts'
import { toPattern } from './pattern.ts'
import type { ExchangeQuery } from './query.ts'
import { placeOf, type ExchangesTable, type ToolsTable, type VerdictsTable } from './tables.ts'
import { toAskedWords } from './words.ts'

export type Condition = Expression<SqlBool>

/** Which parts of a query another table answers already. */
export interface Answered {
  readonly tool?: boolean
  readonly verdict?: boolean
  readonly text?: boolean
}

export const e = (column: keyof ExchangesTable): Expression<unknown> => sql.ref(`e.${column}`)
const t = (column: keyof ToolsTable): Expression<unknown> => sql.ref(`t.${column}`)
export const v = (column: keyof VerdictsTable): Expression<unknown> => sql.ref(`v.${column}`)

/** On `e`, whoever is in the query beside it. */
export function exchangeConditions(
  query: ExchangeQuery,
  terms: Terms,
  answered: Answered = {},
): Condition[] {
  const all: Condition[] = [...placeConditions(query, e('n'))]
  const named = [
    [query.route, 'route'],
    [query.upstream, 'upstream'],
    [query.key, 'key_name'],
    [query.client, 'client'],
    [query.wire, 'wire'],
    [query.outcome, 'outcome'],
  ] as const
  for (const [name, column] of named)
    if (name !== undefined) all.push(nameCondition(e(column), name, terms))
  // A client chose it: a star in it is a star.
  if (query.conversation !== undefined) all.push(sql`${e('conversation')} = ${query.conversation}`)
  if (query.model !== undefined) all.push(modelCondition(query.model, terms))
  if (query.status !== undefined) all.push(statusCondition(query.status))
  if (query.hasTools !== undefined)
    all.push(query.hasTools ? sql`${e('tool_count')} > 0` : sql`${e('tool_count')} = 0`)
  if (query.tool !== undefined && answered.tool !== true) all.push(toolExists(query.tool, terms))
  if (asksForVerdict(query) && answered.verdict !== true) all.push(verdictExists(query, terms))
  if (query.text !== undefined && answered.text !== true)
    all.push(sql`${e('n')} in (select n from ${terms.found(askedWords(query.text))} as f)`)
  return all
}

/** Of the time alone, on whatever column has places. */
export function placeConditions(query: ExchangeQuery, column: Expression<unknown>): Condition[] {
  const all: Condition[] = []
  if (query.since !== undefined) all.push(sql`${column} >= ${placeOf(Math.ceil(query.since))}`)
  if (query.until !== undefined) all.push(sql`${column} < ${placeOf(Math.ceil(query.until))}`)
  return all
}

export function nameCondition(column: Expression<unknown>, name: string, terms: Terms): Condition {
  const pattern = toPattern(name)
  return pattern === undefined ? sql`${column} = ${cut(name)}` : terms.like(column, pattern)
}

function modelCondition(name: string, terms: Terms): Condition {
  const columns = ['model', 'upstream_model', 'answer_model'] as const
  const each = columns.map((column) => nameCondition(e(column), name, terms))
  return sql`(${sql.join(each, sql` or `)})`
}

const statusCondition = (status: number | 'error'): Condition =>
  status === 'error'
    ? sql`(${e('outcome')} <> 'done' or ${e('status')} >= 400)`
    : sql`${e('status')} = ${toWhole(status)}`

const toolExists = (name: string, terms: Terms): Condition =>
  sql`(${e('tool_count')} > 0 and exists (select 1 from tools as t where ${t('n')} = ${e('n')} and ${nameCondition(t('name'), name, terms)}))`

export const asksForVerdict = (query: ExchangeQuery): boolean =>
  query.verdict !== undefined || query.policy !== undefined || query.isShadow !== undefined

const verdictExists = (query: ExchangeQuery, terms: Terms): Condition =>
  sql`exists (select 1 from verdicts as v where ${v('n')} = ${e('n')} and ${sql.join(verdictConditions(query, terms), sql` and `)})`

/** On `v`: all that is said of a verdict holds for the same one. */
export function verdictConditions(query: ExchangeQuery, terms: Terms): Condition[] {
  const all: Condition[] = []
  if (query.verdict !== undefined) all.push(nameCondition(v('type'), query.verdict, terms))
  if (query.policy !== undefined) all.push(nameCondition(v('policy'), query.policy, terms))
  const isShadow = query.isShadow ?? (query.verdict === undefined ? undefined : false)
  if (isShadow !== undefined) all.push(sql`${v('is_shadow')} = ${sql.lit(isShadow ? 1 : 0)}`)
  return all
}

/** Whether anything is asked that only the exchange's own row can answer. */
export const asksForExchange = (query: ExchangeQuery): boolean =>
  query.model !== undefined ||
  query.route !== undefined ||
  query.upstream !== undefined ||
  query.key !== undefined ||
  query.client !== undefined ||
  query.wire !== undefined ||
  query.conversation !== undefined ||
  query.outcome !== undefined ||
  query.status !== undefined ||
  query.hasTools !== undefined ||
  query.text !== undefined

export function askedWords(text: string): ReturnType<typeof toAskedWords> {
  const asked = toAskedWords(text)
  if (asked.words.length > 0) return asked
  throw new SluiceError('wrong-use', 'Cannot search for a text without letters or digits')
}

export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`
