/**
 * What was measured, as Markdown: the ratios against the raw pipe first, then how they came about. Neighbours:
 * `summary.ts`, `report-more.ts` has the other parts.
 */
import type { Figures, LoadReport } from './compare.ts'
import type { GroupReport } from './cost.ts'
import { DIRECT, PASS_THROUGH } from './modes.ts'
import { freshSection, growthSection, memorySection } from './report-more.ts'
import { isOver, isWorse, toSummary, type BenchReport, type SummaryRow } from './summary.ts'
import {
  difference,
  limit,
  mb,
  ms,
  number,
  percent,
  quantiles,
  ratio,
  toTable,
  us,
  whole,
} from './table.ts'

export function toMarkdown(report: BenchReport): string {
  const { machine, cost, memory, growth, fresh } = report
  const rows = toSummary(cost)
  const sections = [
    `# Benchmark\n\n${Object.entries(machine)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', ')}`,
    ...(rows.length === 0 ? [] : [ratioSection(rows), timeSection(rows), pairSection(rows)]),
    ...cost.flatMap(({ wire, leftOut }) => leftOut.map((one) => `Left out on ${wire}: ${one}`)),
    ...(memory === undefined ? [] : [memorySection(memory)]),
    ...(growth.length === 0 ? [] : [growthSection(growth)]),
    ...(fresh === undefined ? [] : [freshSection(fresh)]),
    ...cost.flatMap((group) => group.loads.map((load) => loadSection(group, load))),
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

/** The headline. */
function ratioSection(rows: readonly SummaryRow[]): string {
  const [first] = rows
  const count = first?.fast?.turns.length ?? 0
  const table = toTable(
    ['mode', 'wires', 'fast', 'best', 'limit', 'paced', 'best', 'limit'],
    rows.map(({ name, wires, fast, paced }) => [
      name,
      wires,
      ratio(fast?.byPipe?.cpu),
      number(fast?.byPipe?.cpuAtBest),
      limit(fast?.limits?.fast, isOver(fast?.byPipe?.cpu, fast?.limits?.fast)),
      ratio(paced?.byPipe?.cpu),
      number(paced?.byPipe?.cpuAtBest),
      limit(paced?.limits?.paced, isOver(paced?.byPipe?.cpu, paced?.limits?.paced)),
    ]),
  )
  const later = rows
    .filter(({ fast }) => fast?.laterPerStream !== undefined)
    .map(
      ({ name, fast, paced }) =>
        `${name}: ${ratio(fast?.byPipe?.cpuWithLater)} fast and ${ratio(paced?.byPipe?.cpuWithLater)} paced, with what it does when there is nothing else to do.`,
    )
  return `## CPU per stream, by that of a raw \`node:http\` pipe

Median of ${count} rounds, and the lowest and highest; best: of either the round in which it took least. Fast: 16 streams at once, chunks as fast as they are taken. Paced: 100 streams at once, a chunk every 20 ms.

${[table, ...later].join('\n\n')}`
}

const P99_LIMIT = 1.2

/** At a pace: what a person waits for. */
function timeSection(rows: readonly SummaryRow[]): string {
  const timed = rows.filter(({ paced }) => paced?.byPipe?.delay !== undefined)
  if (timed.length === 0) return ''
  const table = toTable(
    ['mode', 'wires', 'first byte p50', 'p99', 'first text p50', 'p99', 'delay p50', 'p99'],
    timed.map(({ name, wires, paced }) => {
      const by = paced?.byPipe
      const pairs = [
        [by?.firstByte, by?.firstByteTail],
        [by?.firstText, by?.firstTextTail],
        [by?.delay, by?.delayTail],
      ] as const
      return [
        name,
        wires,
        ...pairs.flatMap(([middle, tail]) => [
          `${difference(middle)}${isWorse(middle) ? ', worse' : ''}`,
          `${ratio(tail)}${isOver(tail, P99_LIMIT) ? ', over' : ''}`,
        ]),
      ]
    }),
  )
  return `## Time, paced, against the raw pipe

At the median: milliseconds more than the pipe's in the same round; worse means in every round. At p99: what is added to the way without a proxy, by what the pipe adds; over means more than ${P99_LIMIT}. The first text is there when the client can read the first word.

${table}`
}

/** What a mode adds to a gateway that only passes on. */
function pairSection(rows: readonly SummaryRow[]): string {
  const pairs = rows.filter(
    ({ name, fast }) => name !== PASS_THROUGH && fast?.byPassThrough !== undefined,
  )
  if (pairs.length === 0) return ''
  const table = toTable(
    ['mode', 'wires', 'fast', 'paced', 'first byte', 'first text', 'delay'],
    pairs.map(({ name, wires, fast, paced }) => [
      name,
      wires,
      ratio(fast?.byPassThrough?.cpu),
      ratio(paced?.byPassThrough?.cpu),
      difference(paced?.byPassThrough?.firstByte),
      difference(paced?.byPassThrough?.firstText),
      difference(paced?.byPassThrough?.delay),
    ]),
  )
  return `## Against ${PASS_THROUGH}, in the same rounds

CPU per stream as a ratio; times, paced, as differences of the medians of a round.

${table}`
}

/** All figures of one load on one group. */
function loadSection({ wire, kind }: GroupReport, report: LoadReport): string {
  const { load, chunks, figures } = report
  const direct = figures.find(({ name }) => name === DIRECT)
  const table = toTable(
    [
      '',
      'CPU/stream',
      'later',
      'CPU/chunk',
      'streams/s',
      'chunks/s',
      'first byte p50/p99',
      'first text p50/p99',
      'added delay p50/p99',
      'reads/stream',
      'peak memory',
      'itself',
      'clients',
      'upstream',
    ],
    figures.map((row) => [
      row.name,
      ms(row.cpuPerStream),
      ms(row.laterPerStream),
      us(row.cpuPerChunk),
      whole(row.streamsPerSecond),
      whole(row.chunksPerSecond),
      quantiles(row.firstByte),
      quantiles(row.firstText),
      quantiles(row.delay, direct?.delay?.p50),
      row.readsPerStream.toFixed(0),
      mb(row.peakRss),
      percent(row.ownShare),
      percent(row.clientShare),
      percent(row.upstreamShare),
    ]),
  )
  const what = kind === 'stream' ? '' : kind === 'json' ? ', JSON' : ', a request of 100 KB'
  const answers = load.isStream ? `streams of ${chunks} chunks` : 'answers'
  const parts = [
    `## ${wire}${what}: ${load.name}`,
    `${load.streams} ${answers} a turn, ${load.atOnce} at once. Itself, clients, upstream: how much of one core each took.`,
    table,
    ...figures.map(threadLine).filter(Boolean),
  ]
  return parts.join('\n\n')
}

const MOST_THREADS = 8
const LEAST_MS = 0.001

/** The threads that took most, with their CPU per stream. */
function threadLine({ name, threads }: Figures): string {
  if (threads === undefined) return ''
  const most = Object.entries(threads)
    .filter(([, time]) => time > LEAST_MS)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_THREADS)
  return `Threads of ${name}: ${most.map(([thread, time]) => `${thread} ${ms(time, 3)}`).join(', ')}`
}
