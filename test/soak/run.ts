/**
 * The command of the endurance test: `npm run soak`; `--help` lists what it can be asked for. Ends with 1 where the
 * gateway has not endured. Neighbours: `options.ts` reads what was asked, `soak.ts` does it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommand } from '../support/command-line.ts'
import { askOnly } from './only.ts'
import { HELP, readOptions, type SoakCommand } from './options.ts'
import { toProgressLine, toTable } from './report.ts'
import { soak, type SoakReport } from './soak.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'))
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const asked = readCommand(readOptions, HELP)
try {
  if (asked?.only !== undefined) say(await askOnly(asked.only, { ...asked, folder }))
  else if (asked !== undefined) await endure(asked)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function endure(command: SoakCommand): Promise<void> {
  const { seed, exchanges, open, minutes, isShort } = command
  say(`seed ${seed}: ${exchanges} exchanges, ${open} streams at once, ${minutes} minutes at most`)
  const problems = await soak({
    seed,
    exchanges,
    open,
    minutes,
    isShort,
    folder,
    onProgress: (progress) => say(toProgressLine(progress, exchanges + open)),
  }).then(
    (report) => show(report, command),
    (error: unknown) => [String(error)],
  )
  for (const problem of problems) say(`NOT RIGHT: ${problem}`)
  if (problems.length === 0) return say('The gateway has endured.')
  const form = isShort ? ' --short' : ''
  say(`Again: npm run soak --${form} --seed ${seed} --exchanges ${exchanges} --open ${open}`)
  say(`One alone: npm run soak --${form} --seed ${seed} --only NUMBER`)
  process.exitCode = 1
}

function show(report: SoakReport, { isTimed, exchanges, open }: SoakCommand): readonly string[] {
  say(`\n${toTable(report)}`)
  const { total } = report.tally
  const isAll = isTimed || total === exchanges + open
  return isAll
    ? report.problems
    : [`only ${total} of ${exchanges + open} were asked`, ...report.problems]
}
