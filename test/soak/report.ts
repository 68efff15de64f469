/**
 * A report of the endurance test → lines for a person. Neighbours: `run.ts` prints them.
 */
import type { Progress, SoakReport } from './soak.ts'

const MB = 1024 * 1024
const toMb = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`

export function toProgressLine({ tally, seconds, rest, reloads }: Progress, of: number): string {
  const rate = Math.round(tally.total / Math.max(1, seconds))
  const memory = rest === undefined ? '' : `, at rest ${toMb(rest.rss)}, ${rest.files} files open`
  return `${Math.round(seconds)} s: ${tally.total} of ${of} exchanges, ${rate}/s, ${reloads} reloads${memory}, ${tally.wrong} wrong`
}

const COLUMNS = ['right', 'broken', 'status', 'left', 'wrong'] as const

export function toTable(report: SoakReport): string {
  const { tally, rests, growth, stood, records } = report
  const lines = [...tally.counts].map(([fault, came]) => {
    const statuses = [...came].filter(([name]) => /^\d/.test(name))
    const cells = COLUMNS.map((column) =>
      column === 'status'
        ? statuses.map(([name, count]) => `${name} ×${count}`).join(', ') || '–'
        : String(came.get(column) ?? '–'),
    )
    return `| ${[fault, ...cells].join(' | ')} |`
  })
  const first = rests[0]
  const last = rests.at(-1)
  const rate = Math.round(tally.total / Math.max(1, report.seconds))
  return [
    `| what goes wrong | ${COLUMNS.join(' | ')} |`,
    `|---|${COLUMNS.map(() => '---:').join('|')}|`,
    ...lines,
    '',
    `exchanges   ${tally.total} in ${Math.round(report.seconds)} s, ${rate}/s; ${report.reloads} edits of config and policy`,
    `open        ${stood.open} streams at once, with ${toMb(stood.peakRss)}; half left, the upstream was left by them within ${Math.round(stood.upstreamLeftMs)} ms`,
    `held        ${rests.map(({ held }) => (held / MB).toFixed(1)).join(' ')} MB after collecting`,
    `memory      ${rests.map(({ rss }) => Math.round(rss / MB)).join(' ')} MB of the process at rest`,
    `growth      ${toMb(growth.held)} held, ${toMb(growth.rss)} of the process, over the second half: ${Math.round(growth.perExchange)} bytes for each exchange`,
    `open files  ${first?.files} at the start, ${last?.files} at the end (${last?.sockets} sockets)`,
    `records     ${records.rows} rows, ${records.unseen} clients left unseen, ${records.compared} bodies compared, ${records.links} verdicts in the chain`,
    '',
  ].join('\n')
}
