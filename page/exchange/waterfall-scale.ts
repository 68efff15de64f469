/**
 * Rows of an answer → bars on a shared axis of time, and the same in words. Neighbours: `waterfall.tsx` draws them. All
 * times are microseconds since the exchange began. Knows no component.
 */
import type { BlockView } from '../../src/api/types.ts'
import { showName } from '../blocks/plain.ts'
import { toDuration } from '../core/format.ts'
import { judgedFor, type AnswerRow } from './answer-model.ts'
import { toOneLine } from './answer-words.ts'

export interface Lane {
  readonly key: string
  readonly label: string
  /** The beginning of what it says. */
  readonly hint: string
  readonly type: BlockView['type']
  /** Its first and its last byte. */
  readonly from: number
  readonly to: number
  /** How long nothing had come before it. */
  readonly gap: number
  readonly judged: number
  /** Until when it waited, behind its last byte; the same as `to` where it did not. */
  readonly heldTo: number
  readonly isHeld: boolean
}

const LABELS: Readonly<Record<BlockView['type'], string>> = {
  text: 'Text',
  thinking: 'Thinking',
  'tool-call': 'Tool call',
  refusal: 'Refusal',
  'server-tool': 'Server tool',
  'tool-result': 'Tool result',
  opaque: 'Other',
}

export const toBlockLabel = ({ type, name }: Pick<BlockView, 'type' | 'name'>): string =>
  name === undefined || name === '' ? LABELS[type] : showName(name)

/** What takes less than this between first byte and leaving is the gateway's own way, and no hold. */
const HOLD_US = 1000

/** `now`: of one that goes on; with it, `isHeld` says which wait. */
export function toLanes(
  rows: readonly AnswerRow[],
  now?: number,
  isHeld: (row: AnswerRow) => boolean = () => false,
): readonly Lane[] {
  let before = 0
  return rows.flatMap((row) => {
    const { block } = row
    if (block?.startedAt === undefined) return []
    const from = block.startedAt
    const to = block.endedAt ?? from
    const gap = Math.max(0, from - before)
    before = Math.max(before, to)
    const judged = judgedFor(row)
    const waits = now !== undefined && isHeld(row)
    const heldTo = waits ? now : Math.max(to, Math.max(to + judged, row.releasedAt ?? 0))
    const hasWaited = waits || (judged > 0 && (row.releasedAt ?? to) - from > HOLD_US)
    return [
      {
        key: row.key,
        label: toBlockLabel(block),
        hint: toOneLine(block.content, 40),
        type: block.type,
        from,
        to,
        gap,
        judged,
        heldTo: judged > 0 || waits ? heldTo : to,
        isHeld: hasWaited,
      },
    ]
  })
}

/** What a person who cannot see the bars is told, and everybody who points at one. */
export function toLaneWords({ label, from, to, gap, judged, heldTo, isHeld }: Lane): string {
  const words = [`${label}: from ${toMs(from)} to ${toMs(to)}`, `${toMs(to - from)} long`]
  if (gap > HOLD_US) words.push(`${toMs(gap)} after the one before`)
  if (judged > 0) words.push(`judged in ${toMs(judged)}`)
  if (isHeld) words.push(`held for ${toMs(heldTo - from)}`, `left at ${toMs(heldTo)}`)
  return words.join(', ')
}

export const toMs = (us: number): string => toDuration(us / 1000)

/** From 0 to the end in steps of 1, 2 or 5 of something: three to seven of them. */
export function toTicks(total: number): readonly number[] {
  if (!(total > 0)) return [0]
  const rough = total / 3
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [5, 2, 1].map((one) => one * power).find((one) => one <= rough) ?? rough
  return Array.from({ length: Math.floor(total / step) + 1 }, (_, at) => at * step)
}

/** Where it stands on the axis, and how wide it is, in percent; never outside. */
export function toSpan(
  from: number,
  to: number,
  total: number,
): { readonly left: string; readonly width: string } {
  const start = clamp((from / total) * 100)
  const end = clamp((to / total) * 100)
  return { left: `${start}%`, width: `${Math.max(0, end - start)}%` }
}

const clamp = (percent: number): number =>
  Number.isFinite(percent) ? Math.min(100, Math.max(0, percent)) : 0
