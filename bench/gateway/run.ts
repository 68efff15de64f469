/**
 * What the gateway costs, against a raw `node:http` pipe, in one run: `npm run bench`. `--help` lists what it can be
 * asked for, `docs/performance.md` how to read what it says. Neighbours: `options.ts` reads what was asked, `cost.ts`,
 * `memory.ts`, `growth.ts` and `fresh.ts` measure, `report.ts` and `plot.ts` show it.
 */
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { WireName } from '../../src/index.ts'
import { readCommand } from '../../test/support/command-line.ts'
import { measureGroup, planCost, type GroupReport } from './cost.ts'
import { measureFresh, planFresh } from './fresh.ts'
import { measureGrowth, planGrowth } from './growth.ts'
import { measureMemory, planMemory } from './memory.ts'
import { chooseModes, GROWN_MODES, listModes, SHORT_MODES, toGroups, type Group } from './modes.ts'
import { HELP, readOptions, type BenchOptions } from './options.ts'
import { toSvg } from './plot.ts'
import { createProgress } from './progress.ts'
import { realStreams } from './real-streams.ts'
import { findRegressions } from './regression.ts'
import { toMarkdown } from './report.ts'
import { startUpstream } from './start-upstream.ts'
import { toSummary, type BenchReport } from './summary.ts'
import { toTable } from './table.ts'

const MESSAGES: readonly WireName[] = ['anthropic-messages']

// So that what runs is ended however we are.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const options = readCommand(readOptions, HELP)
if (options?.isList === true) process.stdout.write(`${listing()}\n`)
else if (options !== undefined) await run(options)

async function run(asked: BenchOptions): Promise<void> {
  const problem = findProblem(asked)
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`)
    process.exitCode = 2
    return
  }
  const report = await measure(asked)
  const markdown = toMarkdown(report)
  process.stdout.write(markdown)
  if (asked.markdown !== undefined) writeFileSync(asked.markdown, markdown)
  if (asked.json !== undefined)
    writeFileSync(asked.json, `${JSON.stringify(report, undefined, 2)}\n`)
  if (asked.plot !== undefined) writeFileSync(asked.plot, toSvg(report))
  const slow = asked.isShort ? findRegressions(toSummary(report.cost)) : []
  for (const sentence of slow) process.stderr.write(`\n${sentence}\n`)
  if (slow.length > 0) process.exitCode = 1
}

/** What is wrong with the streams that it is to measure with. */
function findProblem(asked: BenchOptions): string | undefined {
  const { streams } = asked
  try {
    if (streams !== undefined) for (const { wire } of costGroups(asked)) realStreams(streams, wire)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function measure(asked: BenchOptions): Promise<BenchReport> {
  const { rounds, others, isShort, hasThreads, streams } = asked
  const groups = asked.parts.includes('cost') ? costGroups(asked) : []
  const grown = grownGroup(asked)
  const memoryOf = asked.parts.includes('memory') ? grown : undefined
  const growthOf = asked.parts.includes('growth') ? grown : undefined
  const freshOf = asked.parts.includes('fresh') ? grown : undefined
  const progress = createProgress(process.stderr)
  progress.plan(
    planCost(groups, asked) +
      (memoryOf === undefined ? 0 : planMemory(memoryOf.modes.length + 1)) +
      (growthOf === undefined ? 0 : planGrowth(growthOf.modes.length + 1)) +
      (freshOf === undefined ? 0 : planFresh(freshOf.modes.length + 1)),
  )
  const upstream = await startUpstream(streams)
  try {
    const common = { upstream, others, progress }
    const cost: GroupReport[] = []
    for (const group of groups)
      cost.push(await measureGroup(group, { ...common, rounds, isShort, hasThreads, streams }))
    return {
      machine: describeMachine(),
      cost,
      memory: memoryOf === undefined ? undefined : await measureMemory(memoryOf, common),
      growth: growthOf === undefined ? [] : await measureGrowth(growthOf, common),
      fresh: freshOf === undefined ? undefined : await measureFresh(freshOf, common),
    }
  } finally {
    progress.end()
    upstream.stop()
  }
}

function costGroups({ isShort, modes, wires }: BenchOptions): readonly Group[] {
  const choice = isShort
    ? { names: modes ?? SHORT_MODES, wires: wires ?? MESSAGES }
    : { names: modes, wires }
  return toGroups(chooseModes(choice))
}

/** All but cost is of one wire: that of most modes. */
function grownGroup({ modes, wires }: BenchOptions): Group | undefined {
  const chosen = chooseModes({ names: modes ?? GROWN_MODES, wires: wires ?? MESSAGES })
  return toGroups(chosen).find(({ kind }) => kind === 'stream')
}

function describeMachine(): BenchReport['machine'] {
  return {
    Node: process.version,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    at: new Date().toISOString().slice(0, 16),
  }
}

function listing(): string {
  const rows = listModes().map(({ name, says, limits }) => [
    name,
    says,
    [limits.fast, limits.paced].filter(Boolean).join(', '),
  ])
  return toTable(['mode', 'is', 'limits: fast, paced'], rows)
}
