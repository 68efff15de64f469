/**
 * Ratios, measured in one run. These machines are shared and their speed changes by the minute, so a
 * figure alone means little: contenders take turns, round by round, and the ratio of each round is
 * what is kept. The median of many rounds is steady where the times themselves are not.
 */
export interface Contender {
  readonly name: string
  /** One pass over the input; gives back how many items it handled, so that nothing is optimised away. */
  run(): number
}

export interface Measured {
  readonly name: string
  /** Its time by that of the first contender, median over the rounds. */
  readonly ratio: number
  readonly nanosecondsPerItem: number
  readonly itemsPerSecond: number
}

export interface MeasureOptions {
  readonly rounds?: number
  /** How long one contender runs in one round. */
  readonly millisecondsPerTurn?: number
}

export function measure(
  contenders: readonly Contender[],
  options: MeasureOptions = {},
): Measured[] {
  const rounds = options.rounds ?? 25
  const turn = options.millisecondsPerTurn ?? 20
  for (const contender of contenders) time(contender, turn * 5)
  const times = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    contenders.forEach((contender, i) => times[i]?.push(time(contender, turn)))
  }
  const base = times[0] ?? []
  return contenders.map(({ name }, i) => {
    const own = times[i] ?? []
    const nanosecondsPerItem = median(own)
    const ratio = median(own.map((value, round) => value / (base[round] ?? value)))
    return { name, ratio, nanosecondsPerItem, itemsPerSecond: 1e9 / nanosecondsPerItem }
  })
}

/** Nanoseconds per item. */
function time(contender: Contender, milliseconds: number): number {
  const start = performance.now()
  let items = 0
  let now = start
  do {
    items += contender.run()
    now = performance.now()
  } while (now - start < milliseconds)
  return ((now - start) * 1e6) / items
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
