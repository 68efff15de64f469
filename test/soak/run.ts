/**
 * The command of the endurance test: `npm run soak -- [--exchanges 100000] [--open 2000] [--minutes 30] [--seed 1]`.
 * `--short` is what the tests run, `--only N` asks for one exchange alone and shows what came. Ends with 1 where the
 * gateway has not endured. Neighbours: `soak.ts` does it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { askOnly } from './only.ts'
import { toProgressLine, toTable } from './report.ts'
import { soak, type SoakReport } from './soak.ts'

const { values } = parseArgs({
  options: {
    exchanges: { type: 'string' },
    open: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    short: { type: 'boolean' },
    only: { type: 'string' },
  },
})
const isShort = values.short === true
const exchanges = Number(values.exchanges ?? (isShort ? 400 : 100_000))
const open = Number(values.open ?? (isShort ? 200 : 2000))
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const minutes = Number(values.minutes ?? 30)
const folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'))
const say = (line: string): void => void process.stdout.write(`${line}\n`)
try {
  if (values.only === undefined) await endure()
  else say(await askOnly(Number(values.only), { seed, exchanges, isShort, folder }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function endure(): Promise<void> {
  say(`seed ${seed}: ${exchanges} exchanges, ${open} streams at once, ${minutes} minutes at most`)
  const problems = await soak({
    seed,
    exchanges,
    open,
    minutes,
    isShort,
    folder,
    onProgress: (progress) => say(toProgressLine(progress, exchanges + open)),
  }).then(show, (error: unknown) => [String(error)])
  for (const problem of problems) say(`NOT RIGHT: ${problem}`)
  if (problems.length === 0) return say('The gateway has endured.')
  const form = isShort ? ' --short' : ''
  say(`Again: npm run soak --${form} --seed ${seed} --exchanges ${exchanges} --open ${open}`)
  say(`One alone: npm run soak --${form} --seed ${seed} --only NUMBER`)
  process.exitCode = 1
}

function show(report: SoakReport): readonly string[] {
  say(`\n${toTable(report)}`)
  const { total } = report.tally
  const isAll = values.minutes !== undefined || total === exchanges + open
  return isAll
    ? report.problems
    : [`only ${total} of ${exchanges + open} were asked`, ...report.problems]
}
