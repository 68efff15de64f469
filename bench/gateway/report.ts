/**
 * What was measured, as Markdown. Neighbours: `rounds.ts` measures. The gateway's first byte comes with
 * the first content, because until then it may still turn to another upstream: under a paced load that is
 * some frames later than the pipe's.
 */
import type { Figures, LoadReport } from './rounds.ts'

export function toMarkdown({
  wire,
  from,
  load,
  chunks,
  figures,
  compared,
  ratio,
}: LoadReport): string {
  const direct = figures.find(({ name }) => name === 'direct')
  const rows = figures.map((row) => [
    row.name,
    row.cpuPerStream === undefined ? '' : milliseconds(row.cpuPerStream),
    row.cpuPerChunk === undefined ? '' : microseconds(row.cpuPerChunk),
    row.streamsPerSecond.toFixed(0),
    `${milliseconds(row.firstByte.p50)} / ${milliseconds(row.firstByte.p99)}`,
    addedDelay(row, direct),
    row.readsPerStream.toFixed(0),
    row.peakRss === undefined ? '' : `${(row.peakRss / 1024 ** 2).toFixed(0)} MB`,
  ])
  const columns = [
    'proxy',
    'CPU/stream',
    'CPU/chunk',
    'streams/s',
    'first byte p50/p99',
    'added delay p50/p99',
    'reads/stream',
    'peak RSS',
  ]
  return `
### ${from === undefined ? wire : `${from} client on ${wire}`}, ${load.name}

${load.streams} streams of ${chunks} chunks a round, ${load.atOnce} at once, ${ratio.rounds.length} rounds.

${table([columns, ...rows])}

CPU per stream, ${compared.join(' by ')}: **${ratio.median.toFixed(2)}×** (median of ${ratio.rounds.length} rounds, from ${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})
`
}

/** Over the way without a proxy, measured in the same rounds. */
function addedDelay({ delay }: Figures, direct: Figures | undefined): string {
  if (delay === undefined || direct?.delay === undefined) return ''
  return `${milliseconds(delay.p50 - direct.delay.p50)} / ${milliseconds(delay.p99 - direct.delay.p99)}`
}

const milliseconds = (value: number): string => `${value.toFixed(2)} ms`
const microseconds = (value: number): string => `${(value * 1000).toFixed(1)} µs`

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  const lines = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}
