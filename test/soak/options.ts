/**
 * What was typed behind `npm run soak --` → how long and how much. Neighbours: `run.ts`.
 */
import { parseArgs } from 'node:util'

export interface SoakCommand {
  readonly exchanges: number
  readonly open: number
  readonly minutes: number
  /** Whether somebody said when it is to end: then fewer exchanges are no failure. */
  readonly isTimed: boolean
  readonly seed: number
  readonly isShort: boolean
  /** This exchange alone. */
  readonly only: number | undefined
}

export const HELP = `npm run soak [-- OPTIONS]

  --exchanges N   how many are asked (100000)
  --open N        how many streams stand open together (2000)
  --minutes N     when it ends in any case (30)
  --seed N        the same seed asks for the same exchanges (from the clock)
  --short         the form of the tests
  --only N        the exchange of that number alone, and what came of it
`

/** `now`: what a seed is made of where none is given. */
export function readOptions(args: readonly string[], now = Date.now()): SoakCommand | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean' },
      exchanges: { type: 'string' },
      open: { type: 'string' },
      minutes: { type: 'string' },
      seed: { type: 'string' },
      short: { type: 'boolean' },
      only: { type: 'string' },
    },
  })
  if (values.help === true) return 'help'
  const isShort = values.short === true
  return {
    exchanges: toNumber('exchanges', values.exchanges, 1) ?? (isShort ? 400 : 100_000),
    open: toNumber('open', values.open, 0) ?? (isShort ? 200 : 2000),
    minutes: toNumber('minutes', values.minutes, 1) ?? 30,
    isTimed: values.minutes !== undefined,
    seed: toNumber('seed', values.seed, 0) ?? now % 1_000_000,
    isShort,
    only: toNumber('only', values.only, 0),
  }
}

function toNumber(name: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (text.trim() !== '' && Number.isInteger(number) && number >= least) return number
  throw new Error(`--${name} takes a whole number from ${least} on: got "${text}"`)
}
