/**
 * What each policy decided over a time, counted by kind of verdict and by tool, with the newest as examples. Neighbours:
 * `verdicts.ts` says which verdicts fit.
 */
import { sql } from 'kysely'
import { unpackContent } from './chain.ts'
import { allOf } from './conditions.ts'
import type { Engine } from './engine.ts'
import { cut } from './fit.ts'
import type { ExchangeQuery, PolicySummary } from './query.ts'
import type { PieceCodec, VersionVerdicts } from './store.ts'
import type { VerdictsTable } from './tables.ts'
import { verdictSource } from './verdicts.ts'

const EXAMPLES = 3
/** Those with the most verdicts; a model may think up names of tools without end. */
const MAX_GROUPS = 1_000

type Row = Pick<
  VerdictsTable,
  | 'policy'
  | 'version'
  | 'is_shadow'
  | 'type'
  | 'block'
  | 'tool'
  | 'exchange_id'
  | 'content'
  | 'content_codec'
  | 'content_hash'
> & { readonly total: number }

export async function summarizePolicies(
  engine: Engine,
  codec: PieceCodec,
  query: ExchangeQuery,
): Promise<readonly PolicySummary[]> {
  const { from, conditions } = verdictSource(engine, query)
  const group = sql`v.policy, v.version, v.is_shadow, v.type, v.block, v.tool`
  const numbered = sql`select ${group}, v.seq, row_number() over (partition by ${group} order by v.seq desc) as place, count(*) over (partition by ${group}) as total from ${from} where ${allOf(conditions)}`
  const { rows } =
    await sql<Row>`select x.policy, x.version, x.is_shadow, x.type, x.block, x.tool, x.total, w.exchange_id, w.content, w.content_codec, w.content_hash from (${numbered}) as x join verdicts as w on w.seq = x.seq where x.place <= ${sql.lit(EXAMPLES)} order by x.total desc, x.policy, x.version, x.is_shadow, x.type, x.block, x.tool, x.seq desc limit ${sql.lit(MAX_GROUPS * EXAMPLES)}`.execute(
      engine.db,
    )
  const summaries = new Map<string, PolicySummary>()
  for (const row of rows) {
    const { reason } = unpackContent(row, codec)
    const key = JSON.stringify([
      row.policy,
      row.version,
      row.is_shadow,
      row.type,
      row.block,
      row.tool,
    ])
    const before = summaries.get(key) ?? toSummary(row)
    const examples = [...before.examples, { exchangeId: row.exchange_id, reason }]
    summaries.set(key, { ...before, examples })
  }
  return [...summaries.values()]
}

/** More are counted by nobody who waits for it. */
const MAX_COUNTED = 100_000

/** The newest are found by the index, and only they are looked at. */
export async function countByVersion(
  { db }: Engine,
  policy: string,
): Promise<readonly VersionVerdicts[]> {
  const newest = sql`select v.version, v.is_shadow, v.type from verdicts as v where v.policy = ${cut(policy)} order by v.n desc, v.at desc limit ${sql.lit(MAX_COUNTED)}`
  const { rows } = await sql<
    Pick<Row, 'version' | 'is_shadow' | 'type' | 'total'>
  >`select x.version, x.is_shadow, x.type, count(*) as total from (${newest}) as x group by x.version, x.is_shadow, x.type order by total desc limit ${sql.lit(MAX_GROUPS)}`.execute(
    db,
  )
  return rows.map((row) => ({
    version: row.version ?? undefined,
    isShadow: row.is_shadow === 1,
    type: row.type,
    count: row.total,
  }))
}

const toSummary = (row: Row): PolicySummary => ({
  policy: row.policy,
  version: row.version ?? undefined,
  isShadow: row.is_shadow === 1,
  type: row.type,
  block: row.block as PolicySummary['block'],
  tool: row.tool ?? undefined,
  count: row.total,
  examples: [],
})
