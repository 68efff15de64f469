/**
 * Whether a line fits a filter, without asking the API: an exchange that just began is shown at once or not at all.
 * Neighbours: `src/store/conditions.ts` says the same to databases. `undefined`: not to be told from here; the API is asked
 * when it is recorded.
 */
import { matches } from '../../src/base/star-pattern.ts'
import type { ExchangeQuery } from '../../src/store/query.ts'
import { isError, type LiveRow } from './row.ts'

export type Fit = boolean | undefined

export function fits(query: ExchangeQuery, row: LiveRow): Fit {
  let isSure = true
  for (const test of TESTS) {
    const fit = test(query, row)
    if (fit === false) return false
    if (fit === undefined) isSure = false
  }
  return isSure ? true : undefined
}

type Test = (query: ExchangeQuery, row: LiveRow) => Fit

/** A name that an open exchange does not have yet. */
const named = (pattern: string | undefined, name: string | undefined, row: LiveRow): Fit => {
  if (pattern === undefined) return true
  if (name === undefined) return row.state === 'open' ? undefined : false
  return matches(pattern, name)
}

/** What is known of one that goes on does not change any more. */
const known = (pattern: string | undefined, name: string | undefined): Fit =>
  pattern === undefined || (name !== undefined && matches(pattern, name))

const TESTS: readonly Test[] = [
  ({ since }, row) => since === undefined || row.startedAt >= since,
  ({ until }, row) => until === undefined || row.startedAt < until,
  ({ key }, row) => known(key, row.key),
  ({ client }, row) => known(client, row.client),
  ({ wire }, row) => known(wire, row.wire),
  ({ conversation }, row) => conversation === undefined || row.conversation === conversation,
  ({ route }, row) => named(route, row.route, row),
  ({ upstream }, row) => named(upstream, row.upstream, row),
  fitsModel,
  ({ outcome }, row) => outcome === undefined || (isOpen(row) ? undefined : row.state === outcome),
  fitsStatus,
  fitsTools,
  fitsVerdict,
  ({ text }) => (text === undefined ? true : undefined),
]

const isOpen = (row: LiveRow): boolean => row.state === 'open'

function fitsModel({ model }: ExchangeQuery, row: LiveRow): Fit {
  if (model === undefined) return true
  const names = [row.model, row.upstreamModel, row.answerModel]
  if (names.some((name) => name !== undefined && matches(model, name))) return true
  return isOpen(row) ? undefined : false
}

function fitsStatus({ status }: ExchangeQuery, row: LiveRow): Fit {
  if (status === undefined) return true
  if (isOpen(row)) return undefined
  return status === 'error' ? isError(row) : row.status === status
}

function fitsTools({ tool, hasTools }: ExchangeQuery, row: LiveRow): Fit {
  if (tool === undefined && hasTools === undefined) return true
  if (!row.areToolsKnown) return undefined
  if (hasTools !== undefined && hasTools !== row.tools.length > 0) return false
  return tool === undefined || row.tools.some(({ name }) => matches(tool, name))
}

/** All that is said of a verdict must hold for the same one, and a line only counts them: mostly the API must be asked. */
function fitsVerdict({ verdict, policy, isShadow }: ExchangeQuery, row: LiveRow): Fit {
  if (verdict === undefined && policy === undefined && isShadow === undefined) return true
  const shadow = isShadow ?? (verdict === undefined ? undefined : false)
  const counts = [
    ...(shadow === true ? [] : Object.entries(row.verdicts)),
    ...(shadow === false ? [] : Object.entries(row.shadowVerdicts)),
  ]
  const isThere = counts.some(
    ([type, count]) => count > 0 && (verdict === undefined || matches(verdict, type)),
  )
  if (!isThere) return isOpen(row) ? undefined : false
  return policy === undefined ? true : undefined
}
