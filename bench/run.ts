/**
 * Runs the benchmarks and prints their ratios. `npm run bench:core` is the long form; `npm run bench:core -- --short`
 * the one for CI, where only a gross loss of speed is an error.
 */
import { coreBenchmarks } from './core.ts'
import { measure } from './measure.ts'
import { tokenBenchmarks } from './tokens.ts'

const isShort = process.argv.includes('--short')
/** How far over its aim a ratio may be in the short form: these machines are noisy. */
const SLACK = 2

let isSlow = false
const benchmarks = [...coreBenchmarks(isShort ? 1000 : 4000), ...tokenBenchmarks()]
for (const { name, aims, contenders } of benchmarks) {
  process.stdout.write(`\n${name}\n`)
  for (const result of measure(contenders, isShort ? { rounds: 7, millisecondsPerTurn: 10 } : {})) {
    const aim = aims[result.name]
    const isOver = aim !== undefined && result.ratio > aim
    if (aim !== undefined && result.ratio > aim * SLACK) isSlow = true
    const columns = [
      `  ${result.name.padEnd(32)}`,
      `${result.ratio.toFixed(2)}×`.padStart(8),
      `${Math.round(result.nanosecondsPerItem).toLocaleString('en')} ns/frame`.padStart(18),
      `${Math.round(result.itemsPerSecond / 1000).toLocaleString('en')} k/s`.padStart(12),
      aim === undefined ? '' : `aim ${aim}×${isOver ? ' (over)' : ''}`,
    ]
    process.stdout.write(`${columns.join('  ')}\n`)
  }
}
if (isShort && isSlow) {
  process.stderr.write(`\nA ratio is over ${SLACK} times its aim\n`)
  process.exitCode = 1
}
