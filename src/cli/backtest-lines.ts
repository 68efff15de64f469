/**
 * What a backtest found, as a person reads it. Neighbours: `backtest.ts` prints it, `policy-shadow.ts` uses its table.
 * Content of others is made visible, and cut.
 */
import type { BacktestProgress, BacktestResult, ChangeRow } from '../replay/backtest-result.ts'
import { visible, type Output } from './output.ts'

/** What happens and to how many, with a colour for those that people look for first. */
const WORDS = {
  'newly-denied': ['newly denied', 'red'],
  'newly-passed': ['newly passed', 'yellow'],
  'newly-asked': ['newly asked', 'yellow'],
  'no-longer-asked': ['no longer asked', 'cyan'],
  rewritten: ['rewritten', 'cyan'],
  'no-longer-rewritten': ['no longer rewritten', 'cyan'],
} as const satisfies Readonly<
  Record<ChangeRow['kind'], readonly [string, Parameters<Output['style']>[0]]>
>

const MAX_ROWS = 40

export function* toLines(result: BacktestResult, out: Output): Generator<string> {
  yield* toHead(result, out)
  if (result.rows.length > 0) {
    yield ''
    yield* toTable(result.rows, out)
    yield* toExamples(result.rows, out)
  }
  if (result.shadow.length > 0) {
    yield ''
    yield out.style('bold', 'In shadow, would have')
    yield* columns(
      result.shadow
        .slice(0, MAX_ROWS)
        .map(({ type, policy, rule, tool, count }) => [
          `  ${type}`,
          String(count),
          policy,
          rule,
          tool,
        ]),
    )
  }
  yield* toNotes(result, out)
}

function* toHead(result: BacktestResult, out: Output): Generator<string> {
  const { exchanges, changes, same, tookMs } = result
  const { seen, run } = exchanges
  const times =
    exchanges.oldestAt === undefined ||
    exchanges.newestAt === undefined ||
    exchanges.oldestAt < 1e10
      ? ''
      : `, ${toTime(exchanges.oldestAt)} to ${toTime(exchanges.newestAt)}`
  const rate = tookMs > 0 ? `, ${Math.round((seen / tookMs) * 1000)} a second` : ''
  yield `${seen} ${plural(seen, 'exchange')}${times}: ${run} run, ${toSeconds(tookMs)}${rate}`
  yield ''
  const found = Object.entries(changes).filter(([, count]) => count > 0)
  if (found.length === 0)
    yield result.isPartial ? 'Nothing changes so far.' : out.style('green', 'Nothing changes.')
  for (const [kind, count] of found) {
    const [words, colour] = WORDS[kind as ChangeRow['kind']]
    yield `  ${out.style(colour, words.padEnd(20))} ${String(count).padStart(7)}`
  }
  yield `  ${'the same'.padEnd(20)} ${String(same).padStart(7)}`
}

function* toTable(rows: readonly ChangeRow[], out: Output): Generator<string> {
  const shown = rows.slice(0, MAX_ROWS)
  const head = ['  what', 'count', 'policy', 'rule', 'tool']
  const cells = shown.map(({ kind, count, policy, rule, tool }) => [
    `  ${WORDS[kind][0]}`,
    String(count),
    policy,
    preview(rule, 50),
    preview(tool, 30),
  ])
  const [first = '', ...rest] = [...columns([head, ...cells])]
  yield out.style('dim', first)
  yield* rest
  if (rows.length > shown.length) yield `  … and ${rows.length - shown.length} more: see --json`
}

function* toExamples(rows: readonly ChangeRow[], out: Output): Generator<string> {
  yield ''
  for (const { kind, tool, examples } of rows.slice(0, MAX_ROWS))
    for (const { exchangeId, original, delivered, reason, before } of examples) {
      const [words, colour] = WORDS[kind]
      yield `${out.style(colour, words)}  ${visible(tool)}  ${out.style('dim', visible(exchangeId))}`
      if (original !== undefined) yield `    ${preview(original, 110)}`
      yield `    ${out.style('dim', 'then')} ${preview(before, 100)}`
      const isPassing = kind === 'newly-passed' || kind.startsWith('no-longer')
      const now = delivered ?? (isPassing ? 'pass' : reason)
      if (now !== undefined) yield `    ${out.style('dim', 'now ')} ${preview(now, 100)}`
    }
}

/** What a person must know to believe the figures. */
function* toNotes(result: BacktestResult, out: Output): Generator<string> {
  const { exchanges, judges, asks, errors, problems } = result
  const notes: string[] = []
  const note = (count: number, words: string): void => {
    if (count > 0) notes.push(`${count} ${words}`)
  }
  note(exchanges.metadataOnly, 'not tried: only their figures are kept (record: metadata)')
  note(exchanges.dropped, 'not tried: there was no room for their content')
  note(exchanges.redacted, 'tried as they are kept, with what was masked (record: redacted)')
  note(exchanges.failed, 'could not be tried')
  for (const problem of problems) notes.push(`  ${preview(problem, 160)}`)
  note(asks, 'questions to people: nobody was asked (--ask says what they would say)')
  for (const [policy, count] of Object.entries(errors))
    note(count, `failures of ${visible(policy)}`)
  if (judges.calls + judges.reused + judges.unjudged > 0) notes.push(toBill(judges))
  if (result.isPartial) notes.unshift(out.style('yellow', 'Stopped: this is only a part'))
  if (notes.length === 0) return
  yield ''
  yield* notes
}

function toBill({
  calls,
  reused,
  unjudged,
  inputTokens,
  outputTokens,
  cost,
  ms,
}: BacktestResult['judges']): string {
  const price = cost === undefined ? '' : `, $${(cost / 1_000_000).toFixed(4)}`
  const rest =
    unjudged === 0 ? '' : `; ${unjudged} not judged: raise --max-judge-calls, or say --config`
  return `${calls} calls of judges in ${toSeconds(ms)} (${inputTokens + outputTokens} tokens${price}), ${reused} taken from the records${rest}`
}

/** `12,400 of 100,000 · 3 changed · 1,204 a second · about 72 s left` */
export function toProgress({
  done,
  total,
  changed,
  elapsedMs,
  remainingMs,
}: BacktestProgress): string {
  const rate = elapsedMs > 0 ? Math.round((done / elapsedMs) * 1000) : 0
  const left = remainingMs === undefined ? '' : ` · about ${toSeconds(remainingMs)} left`
  return `${done} of ${total} · ${changed} changed · ${rate} a second${left}`
}

function toSeconds(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`
}

const toTime = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')

const plural = (count: number, word: string): string => (count === 1 ? word : `${word}s`)

/** Cells below each other; numbers stand to the right. */
export function* columns(rows: readonly (readonly string[])[]): Generator<string> {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, at) => Math.max(visible(cell).length, known[at] ?? 0)),
    [],
  )
  for (const row of rows)
    yield row
      .map((cell, at) => {
        const width = widths[at] ?? 0
        return /^\d+$/.test(cell) ? cell.padStart(width) : visible(cell).padEnd(width)
      })
      .join('  ')
      .trimEnd()
}

export function preview(text: string, max: number): string {
  const line = text
    .slice(0, max * 2)
    .replace(/\s+/g, ' ')
    .trim()
  return visible(line.length > max ? `${line.slice(0, max - 1)}…` : line)
}
