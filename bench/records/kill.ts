/**
 * Kill -9 under load, again and again: `npm run build && tsx bench/records/kill.ts [200]`. Prints what was lost or
 * broken, which must be nothing, and how soon a gateway served again.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killLoop } from '../../test/support/kill-loop.ts'

const rounds = Number(process.argv[2] ?? 200)
const folder = mkdtempSync(join(tmpdir(), 'sluice-kill-'))
try {
  const report = await killLoop({
    rounds,
    folder,
    random: Math.random,
    onRound(round, { acknowledged, lost, broken }) {
      if (round % 10 === 0)
        console.log(
          `${round} kills: ${acknowledged} acknowledged, ${lost.length} lost, ${broken.length} broken`,
        )
    },
  })
  const times = report.servedAfter.toSorted((a, b) => a - b)
  const at = (share: number): string =>
    `${Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)} ms`
  console.log(
    `answered ${report.answered}, acknowledged ${report.acknowledged}, verdicts in the chain ${report.links}`,
  )
  console.log(`lost ${report.lost.length}, broken ${report.broken.length}`)
  for (const one of [...report.lost, ...report.broken].slice(0, 20)) console.log(`  ${one}`)
  console.log(`served again after: median ${at(0.5)}, 90 % ${at(0.9)}, worst ${at(1)}`)
  process.exitCode = report.lost.length + report.broken.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
