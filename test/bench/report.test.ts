import { describe, expect, test } from 'vitest'
import { toLoadReport, type LoadReport } from '../../bench/gateway/compare.ts'
import type { Load } from '../../bench/gateway/load.ts'
import { chooseModes } from '../../bench/gateway/modes.ts'
import { toSvg } from '../../bench/gateway/plot.ts'
import { createProgress } from '../../bench/gateway/progress.ts'
import { findRegressions } from '../../bench/gateway/regression.ts'
import { toMarkdown } from '../../bench/gateway/report.ts'
import type { Turn } from '../../bench/gateway/rounds.ts'
import { toSummary, type BenchReport } from '../../bench/gateway/summary.ts'

const makeTurn = (cpuPerStream: number | undefined, time = 1): Turn => ({
  cpuPerStream,
  laterPerStream: undefined,
  streamsPerSecond: 500,
  chunksPerSecond: 50_000,
  readsPerStream: 90,
  firstByte: { p50: time, p99: time * 2 },
  firstText: { p50: time + 1, p99: time * 2 + 1 },
  delay: { p50: time, p99: time * 3 },
  clientShare: 0.4,
  upstreamShare: 0.5,
  threads: undefined,
})

const LOAD: Load = {
  name: 'as fast as it goes',
  streams: 400,
  atOnce: 16,
  chunks: 101,
  paceMs: 0,
  isStream: true,
}

/** `cpu`: of the pipe, of a gateway that passes on, and of one that records, in each round. */
function makeLoad(paceMs: number, cpu: readonly (readonly [number, number, number])[]): LoadReport {
  const modes = chooseModes({ names: ['pass-through', 'recording'], wires: ['anthropic-messages'] })
  const parts = [
    { name: 'direct', mode: undefined, peakRss: undefined },
    { name: 'pipe', mode: undefined, peakRss: 80e6 },
    ...modes.map((mode) => ({ name: mode.name, mode, peakRss: 120e6 })),
  ]
  const turns = new Map([
    ['direct', cpu.map(() => makeTurn(undefined, 0.5))],
    ['pipe', cpu.map(([pipe]) => makeTurn(pipe, 1))],
    ['pass-through', cpu.map(([, own]) => makeTurn(own, 0.9))],
    ['recording', cpu.map(([, , own]) => ({ ...makeTurn(own, 1.5), laterPerStream: 1 }))],
  ])
  return toLoadReport({ load: { ...LOAD, paceMs }, chunks: 101, turns }, parts)
}

/** The second round was slow for all. */
const ROUNDS = [
  [1, 1.05, 2],
  [10, 10.5, 20],
  [1, 1.04, 2.2],
] as const

const makeReport = (cpu: readonly (readonly [number, number, number])[] = ROUNDS): BenchReport => ({
  machine: { Node: 'v20' },
  cost: [
    {
      wire: 'anthropic-messages',
      kind: 'stream',
      loads: [makeLoad(0, cpu), makeLoad(20, cpu)],
      leftOut: ['other: does not listen'],
    },
  ],
  memory: {
    open: [
      { name: 'pipe', idle: 60e6, few: 80e6, many: 100e6, perFurther: 20e3 },
      { name: 'recording', idle: 90e6, few: 200e6, many: 230e6, perFurther: 30e3 },
    ],
    long: [{ name: 'pipe', chunks: 1_000_000, seconds: 10, tenth: 70e6, half: 70e6, peak: 71e6 }],
  },
  growth: [
    {
      axis: 'exchanges',
      per: 'stream',
      places: [125, 500, 2000],
      lines: [
        { name: 'pipe', costs: [1000, 990, 1010] },
        { name: 'a < b', costs: [1100, 1150, 1200] },
      ],
    },
  ],
  fresh: {
    ends: [100, 2000],
    lines: [
      { name: 'pipe', costs: [2, 0.8], ratios: [1, 1] },
      { name: 'gate', costs: [6, 0.6], ratios: [3, 0.75] },
    ],
  },
})

test('each mode is set against the pipe and against who only passes on, round by round', () => {
  const [passThrough, recording] = toSummary(makeReport().cost)
  expect(passThrough?.fast?.byPipe?.cpu).toMatchObject({ median: 1.05, low: 1.04, high: 1.05 })
  expect(passThrough?.fast?.byPassThrough).toBeUndefined()
  expect(recording?.fast?.byPipe?.cpu?.median).toBe(2)
  expect(recording?.fast?.byPipe?.cpuWithLater?.median).toBe(3)
  expect(recording?.paced?.byPassThrough?.cpu?.median).toBeCloseTo(2 / 1.05)
  expect(recording?.paced?.byPassThrough?.firstByte?.median).toBeCloseTo(0.6)
  // p99 of 4.5 and 3, both over a way that takes 0.5 by itself.
  expect(recording?.paced?.byPipe?.delayTail?.median).toBeCloseTo(4 / 2.5)
})

describe('as Markdown', () => {
  const markdown = toMarkdown(makeReport())

  test('a ratio stands beside its spread and its limit, and says where it is over', () => {
    expect(markdown).toMatch(
      /\| pass-through +\| anthropic-messages \| 1\.05 \(1\.04–1\.05\) \| 1\.04 \| 1\.1 /,
    )
    expect(markdown).toMatch(
      /\| recording +\| anthropic-messages \| 2\.00 \(2\.00–2\.20\) \| 2\.00 \| 1\.3, over /,
    )
  })

  test('times that are worse in every round are named, and those that are not are not', () => {
    const section = markdown.slice(markdown.indexOf('## Time'), markdown.indexOf('## Against'))
    expect(section).toMatch(/recording.*\+0\.50 ms \(\+0\.50 to \+0\.50\), worse/)
    expect(section).toMatch(/pass-through.*−0\.10 ms/)
    expect(section).not.toMatch(/pass-through.*worse/)
  })

  test('memory is set against the pipe, growth is last by first, who was left out is said', () => {
    expect(markdown).toMatch(/recording.*120 MB +\| 100, over/)
    expect(markdown).toMatch(/30 KB +\| 40 /)
    expect(markdown).toMatch(/a < b.*1\.09/)
    expect(markdown).toContain('Left out on anthropic-messages: other: does not listen')
  })

  test('a fresh process is set against a pipe as fresh', () => {
    expect(markdown).toMatch(/\| streams +\| 1 to 100 +\| 101 to 2,000 +\|/)
    expect(markdown).toMatch(/\| gate +\| 6\.00 ms, 3\.00 \| 0\.60 ms, 0\.75 +\|/)
  })

  test('every row of a table has as many cells as its head', () => {
    for (const table of markdown.split('\n\n').filter((part) => part.startsWith('|'))) {
      const cells = table
        .trim()
        .split('\n')
        .map((row) => row.split('|').length)
      expect(new Set(cells).size).toBe(1)
    }
  })

  test('what was not measured leaves no heading', () => {
    const nothing = { ...makeReport(), cost: [], memory: undefined, growth: [], fresh: undefined }
    expect(toMarkdown(nothing)).not.toContain('##')
  })
})

test('as JSON, nothing of it is lost', () => {
  const report = makeReport()
  const again = JSON.parse(JSON.stringify(report)) as BenchReport
  expect(toMarkdown(again)).toBe(toMarkdown(report))
})

describe('as a drawing', () => {
  const svg = toSvg(makeReport())

  test('it is well-formed, with numbers only where numbers belong', () => {
    expect(svg).not.toMatch(/NaN|undefined|Infinity/)
    expect(svg).toContain('a &lt; b')
    const opened = svg.match(/<(?!\/|svg)[a-z]+[^>]*[^/]>/g) ?? []
    expect(opened).toHaveLength(svg.match(/<\/(?!svg)[a-z]+>/g)?.length ?? 0)
  })

  test('each mode has a dot, a line and a limit for either load', () => {
    const drawn = toSvg({ ...makeReport(), growth: [] })
    const [legendDots, modes, loads] = [2, 2, 2]
    expect(drawn.match(/<circle/g)).toHaveLength(legendDots + modes * loads)
    expect(drawn.match(/#cf222e/g)).toHaveLength(1 + modes * loads)
  })
})

describe('CI', () => {
  const judge = (own: number): readonly string[] =>
    findRegressions(toSummary(makeReport(Array.from({ length: 7 }, () => [1, own, 1.3])).cost))

  test('takes what is within the noise of its limit', () => {
    expect(judge(1.2)).toEqual([])
  })

  test('refuses what is beyond it in most rounds', () => {
    expect(judge(2)).toHaveLength(2)
    expect(judge(2)[0]).toContain('pass-through, fast: 2.00')
  })

  test('takes a round in which the pipe was lucky', () => {
    const cpu = [0.3, 1, 1, 1, 1, 1, 1].map((pipe) => [pipe, 1.2, 1.3] as const)
    expect(findRegressions(toSummary(makeReport(cpu).cost))).toEqual([])
  })

  test('takes a few rounds in which somebody else was busy', () => {
    const cpu = [1, 1, 1, 5, 5, 5, 5].map((own) => [1, own, 1.3] as const)
    expect(findRegressions(toSummary(makeReport(cpu).cost))).toEqual([])
  })
})

test('a log gets a line whenever something new begins, with the time that is left', () => {
  let now = 0
  const lines: string[] = []
  const write = (text: string): boolean => lines.push(text) > 0
  const progress = createProgress({ isTTY: false, write }, () => now)
  progress.plan(100)
  progress.begin('first', 50, 'a')
  now = 60_000
  progress.begin('second', 50, 'b')
  progress.begin('second', 0, 'c')
  expect(lines).toEqual([
    '  0 %  0:00, about 1:40 left  first\n',
    ' 50 %  1:00, about 1:00 left  second\n',
  ])
})
