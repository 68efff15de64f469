/**
 * Blocks of an answer as it came and as it left, and what was decided → rows to be shown: each block with its verdicts,
 * with what left in its place, and when. Neighbours: `answer-source.ts` brings it together, live or from the record;
 * `answer-tab.tsx`, `waterfall.tsx` and `compare.tsx` draw it. Knows no component and no clock.
 */
import type { BlocksAnswer, BlockView, ChangeView } from '../../src/api/types.ts'
import type { VerdictRecord } from '../../src/policy/policy.ts'

/** Live ones come without what they are about. */
export type AnyVerdict = Omit<VerdictRecord, 'original' | 'delivered'> & {
  readonly original?: string | undefined
  readonly delivered?: string | undefined
}

export interface AnswerRow {
  /** Stays the same while the answer grows and when it is read from the record. */
  readonly key: string
  readonly change: ChangeView['type']
  /** As it came; `undefined` where the gateway put something in. */
  readonly block: BlockView | undefined
  /** What left in its place, where that is something else. */
  readonly instead: readonly BlockView[]
  readonly verdicts: readonly AnyVerdict[]
  /** Microseconds since the exchange began: when its first byte left; `undefined` where nobody knows. */
  readonly releasedAt: number | undefined
}

interface Sides {
  readonly upstream: readonly BlockView[]
  readonly delivered: readonly BlockView[]
  /** Without them what stands in the same place is taken for the same. */
  readonly changes: readonly ChangeView[] | undefined
}

export function toRows(sides: Sides, verdicts: readonly AnyVerdict[]): readonly AnswerRow[] {
  const rows = sides.changes === undefined ? inOrder(sides) : byChanges(sides, sides.changes)
  const judged = groupByRow(rows, verdicts)
  return rows.map((row) => {
    const own = judged.get(row)
    if (own === undefined) return row
    return sides.changes === undefined
      ? guessInstead({ ...row, verdicts: own })
      : { ...row, verdicts: own }
  })
}

/** Nobody has compared yet: where a policy acted, what left in the place of a block is what came of that. */
function guessInstead(row: AnswerRow & { readonly left?: BlockView | undefined }): AnswerRow {
  const { left, block } = row
  const hasActed = row.verdicts.some((one) => isActing(one) && one.type !== 'pass')
  if (!hasActed || left === undefined || block === undefined) return row
  if (left.type === block.type && left.content === block.content) return row
  return { ...row, change: left.type === block.type ? 'changed' : 'removed', instead: [left] }
}

export const toSides = ({ upstream, delivered, changes }: BlocksAnswer): Sides => ({
  upstream: upstream?.blocks ?? delivered?.blocks ?? [],
  delivered: delivered?.blocks ?? [],
  changes: changes.length === 0 ? undefined : changes,
})

/** Live, or where nothing was changed. */
const inOrder = ({
  upstream,
  delivered,
}: Sides): readonly (AnswerRow & { readonly left: BlockView | undefined })[] =>
  upstream.map((block, place) => ({
    key: `b${place}`,
    change: 'same',
    block,
    instead: [],
    verdicts: [],
    releasedAt: delivered[place]?.startedAt,
    left: delivered[place],
  }))

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

function byChanges(
  { upstream, delivered }: Sides,
  changes: readonly ChangeView[],
): readonly AnswerRow[] {
  const rows: Mutable<AnswerRow>[] = []
  for (const { type, original, delivered: place } of changes) {
    const block = original === undefined ? undefined : upstream[original]
    const left = place === undefined ? undefined : delivered[place]
    const last = rows.at(-1)
    // What took the place of a block that is gone stands behind it: one row tells of both.
    if (type === 'added' && left !== undefined && last?.change === 'removed') {
      last.releasedAt ??= left.startedAt
      last.instead = [...last.instead, left]
      continue
    }
    rows.push({
      key: original === undefined ? `d${place}` : `b${original}`,
      change: type,
      block,
      instead: left === undefined || type === 'same' ? [] : [left],
      verdicts: [],
      releasedAt: left?.startedAt,
    })
  }
  return rows
}

/**
 * By the id of the block; where the record has another one, because the provider gave none, by its kind and place. A
 * policy behind another one may have been asked about what that one put there.
 */
function groupByRow(
  rows: readonly AnswerRow[],
  verdicts: readonly AnyVerdict[],
): ReadonlyMap<AnswerRow, readonly AnyVerdict[]> {
  const places = new Map<string, AnswerRow>()
  for (const row of rows)
    for (const key of [row.block, ...row.instead].flatMap(keysOf))
      if (!places.has(key)) places.set(key, row)
  const groups = new Map<AnswerRow, AnyVerdict[]>()
  for (const verdict of verdicts) {
    const { block } = verdict
    const row =
      block && (places.get(`id ${block.id}`) ?? places.get(`${block.type} ${block.index}`))
    if (row === undefined) continue
    const group = groups.get(row) ?? []
    groups.set(row, group)
    group.push(verdict)
  }
  return groups
}

function keysOf(block: BlockView | undefined): readonly string[] {
  if (block === undefined) return []
  const place = `${block.type} ${block.index}`
  return block.id === '' ? [place] : [`id ${block.id}`, place]
}

/** Something came of it, or a person looked at it. */
export const isActing = ({ isShadow, type, by }: AnyVerdict): boolean =>
  !isShadow && (type !== 'pass' || by !== undefined)

const STRICTNESS: Readonly<Record<AnyVerdict['type'], number>> = {
  halt: 7,
  deny: 6,
  error: 5,
  ask: 4,
  replace: 3,
  rewrite: 2,
  change: 1,
  pass: 0,
}

/** Those that a person must see, the strictest first; then those in shadow that would have done something. */
export function toNotable(verdicts: readonly AnyVerdict[]): readonly AnyVerdict[] {
  const byStrictness = (one: AnyVerdict, other: AnyVerdict): number =>
    STRICTNESS[other.type] - STRICTNESS[one.type]
  return [
    ...verdicts.filter(isActing).toSorted(byStrictness),
    ...verdicts.filter(({ isShadow, type }) => isShadow && type !== 'pass').toSorted(byStrictness),
  ]
}

/** Whether something else was delivered than came. */
export const isChanged = (rows: readonly AnswerRow[]): boolean =>
  rows.some(({ change }) => change !== 'same')

/** How long policies took over a block, in microseconds; those in shadow held nothing. */
export const judgedFor = ({ verdicts }: AnswerRow): number =>
  verdicts.filter(({ isShadow }) => !isShadow).reduce((sum, { tookMs }) => sum + tookMs * 1000, 0)
