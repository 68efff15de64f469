/**
 * Exchanges as lines for people: aligned, with colour for what went wrong. Neighbours: `log.ts` and `show.ts`. What
 * clients and models wrote cannot move the cursor.
 */
import type { ExchangeSummary, VerdictCounts } from '../store/query.ts'
import { totalInput } from '../event/usage.ts'
import { visible, type Output } from './output.ts'

interface Cell {
  readonly text: string
  readonly style?: Parameters<Output['style']>[0]
  readonly isRight?: boolean
}

/** One line each. Columns are as wide as what stands in them. */
export function toLogLines(items: readonly ExchangeSummary[], out: Output): readonly string[] {
  const rows = items.map(toCells)
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, row[column]?.text.length ?? 0), 0),
  )
  return rows.map((row) =>
    row
      .flatMap((cell, column) => {
        const width = widths[column] ?? 0
        // Where nothing stands in any line there is no column.
        if (width === 0) return []
        const isLast = column === row.length - 1
        const text = isLast
          ? cell.text
          : cell.isRight === true
            ? cell.text.padStart(width)
            : cell.text.padEnd(width)
        return [cell.style === undefined ? text : out.style(cell.style, text)]
      })
      .join('  ')
      .trimEnd(),
  )
}

function toCells(item: ExchangeSummary): readonly Cell[] {
  return [
    { text: toMoment(item.startedAt), style: 'dim' },
    { text: item.id },
    toResult(item),
    { text: visible(item.client ?? '-').slice(0, 20) },
    { text: toModel(item), style: 'cyan' },
    { text: toDuration(item.durationMs), isRight: true },
    { text: toTokens(item), isRight: true },
    { text: item.cost === undefined ? '' : toDollars(item.cost), isRight: true },
    { text: toTools(item) },
    toVerdicts(item),
  ]
}

const SHORT: Readonly<Record<ExchangeSummary['outcome'], string>> = {
  done: '',
  refused: 'refused',
  'upstream-error': 'failed',
  broken: 'broken',
  'client-left': 'left',
}

function toResult({ status, outcome }: ExchangeSummary): Cell {
  const text = `${status} ${SHORT[outcome]}`.trimEnd()
  if (outcome === 'done' && status < 400) return { text, style: 'green' }
  return { text, style: outcome === 'client-left' ? 'yellow' : 'red' }
}

const MAX_MODEL = 40

function toModel({ model, upstreamModel }: ExchangeSummary): string {
  const asked = visible(model ?? '-')
  const isOther = upstreamModel !== undefined && upstreamModel !== model
  const text = isOther ? `${asked} → ${visible(upstreamModel)}` : asked
  return text.length > MAX_MODEL ? `${text.slice(0, MAX_MODEL - 1)}…` : text
}

function toTokens({ usage }: ExchangeSummary): string {
  if (usage === undefined) return ''
  return `${toCount(totalInput(usage) ?? 0)}→${toCount(usage.outputTokens ?? 0)}`
}

const SHOWN_TOOLS = 4

function toTools({ tools }: ExchangeSummary): string {
  const shown = tools
    .slice(0, SHOWN_TOOLS)
    .map(({ name, count }) => visible(name).slice(0, 30) + (count > 1 ? `×${count}` : ''))
  const more = tools.length > SHOWN_TOOLS ? [`+${tools.length - SHOWN_TOOLS}`] : []
  return [...shown, ...more].join(' ')
}

/** Passing is what most do. */
function toVerdicts({ verdicts, shadowVerdicts }: ExchangeSummary): Cell {
  const acted = toCounts(verdicts)
  const shadowed = toCounts(shadowVerdicts)
  const text = [...acted, ...(shadowed.length > 0 ? [`(shadow: ${shadowed.join(' ')})`] : [])]
  return { text: text.join(' '), style: acted.length > 0 ? 'yellow' : 'dim' }
}

const toCounts = (counts: VerdictCounts): readonly string[] =>
  Object.entries(counts)
    .filter(([type, count]) => type !== 'pass' && count > 0)
    .map(([type, count]) => (count > 1 ? `${type}×${count}` : type))

/** In this machine's own time. */
export function toMoment(at: number): string {
  const date = new Date(at)
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

export function toDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`
  return `${Math.floor(ms / 60_000)}m${String(Math.round((ms % 60_000) / 1000)).padStart(2, '0')}s`
}

const toCount = (count: number): string =>
  count < 10_000 ? String(count) : `${(count / 1000).toFixed(count < 100_000 ? 1 : 0)}k`

/** From millionths. */
export const toDollars = (cost: number): string => {
  const dollars = cost / 1_000_000
  return `$${dollars.toFixed(dollars >= 1 ? 2 : 4)}`
}

export function toBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const place = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** place
  return `${place === 0 ? value : value.toFixed(1)} ${units[place] ?? 'B'}`
}
