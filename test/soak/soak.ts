/**
 * The endurance test: a real gateway between clients and an upstream that fails in every way there is, for as many
 * exchanges as asked, with its config and policies edited meanwhile. Then nothing may be left of it: no memory, no
 * connection, no exchange that is stuck; and all that was asked must be recorded as it went. Neighbours: `run.ts` is the
 * command, `test/gateway/soak.test.ts` the short form, `plan.ts` what is asked, `proper.ts` what may come of it.
 */
import { createClients, type Clients } from './client.ts'
import { editAgainAndAgain } from './edits.ts'
import { startSoaked, type SoakedGateway } from './gateway.ts'
import type { Growth, Rest } from './memory.ts'
import { standOpen, type Stood } from './open-streams.ts'
import { toPlan, tourOf, type Plan, type PlanOptions } from './plan.ts'
import { checkRecords, type Checked } from './records.ts'
import { comeToRest, leftovers } from './rest.ts'
import { createTally, type Tally } from './tally.ts'
import { startUpstreamProcess, type UpstreamProcess } from './upstream-process.ts'

/** `isShort`: fewer ways in the tour, and less time for everything. */
export interface SoakOptions extends PlanOptions {
  /** Streams that stand open together. */
  readonly open: number
  /** When it is over in any case. */
  readonly minutes: number
  /** For the config and the records; empty. */
  readonly folder: string
  /** Told of how it goes. */
  onProgress?(progress: Progress): void
}

export interface Progress {
  readonly tally: Tally
  readonly seconds: number
  readonly rest: Rest | undefined
  readonly reloads: number
}

export interface SoakReport {
  readonly tally: Tally
  readonly seconds: number
  readonly rests: readonly Rest[]
  readonly growth: Growth
  readonly stood: Stood
  readonly reloads: number
  readonly records: Checked
  /** All that is not as it should be; empty where the gateway has endured. */
  readonly problems: readonly string[]
}

/** What a run has at hand. */
interface Soaking {
  readonly options: SoakOptions
  readonly gateway: SoakedGateway
  readonly upstream: UpstreamProcess
  readonly clients: Clients
  readonly tally: Tally
  readonly rests: Rest[]
  readonly problems: string[]
  planOf(number: number): Plan
  /** No more is to be asked. */
  isOver(): boolean
}

/** So many are under way at once, beside the streams that stand open. */
const LANES = 96
/** How often it comes to rest. */
const RESTS = 10
const SHORT_RESTS = 3
const EDIT_MS = 5000
const SHORT_EDIT_MS = 1500
const PROGRESS_MS = 5000
/** Whoever reads the report has seen enough. */
const MAX_WRONG = 50

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const upstream = await startUpstreamProcess()
  let gateway: SoakedGateway | undefined
  try {
    gateway = await startSoaked(upstream.url, options)
    return await run(options, gateway, upstream)
  } finally {
    gateway?.kill()
    upstream.stop()
  }
}

async function run(
  options: SoakOptions,
  gateway: SoakedGateway,
  upstream: UpstreamProcess,
): Promise<SoakReport> {
  const startedAt = performance.now()
  const seconds = (): number => (performance.now() - startedAt) / 1000
  const tally = createTally()
  const clients = createClients(gateway.url, runName(options))
  const rests: Rest[] = []
  const problems: string[] = []
  const planOf = (number: number): Plan => toPlan(options, number)
  const isOver = (): boolean =>
    seconds() > options.minutes * 60 || tally.wrong > MAX_WRONG || gateway.isGone
  const soaking = { options, gateway, upstream, clients, tally, rests, problems, planOf, isOver }

  const edits = editAgainAndAgain(gateway, options.isShort ? SHORT_EDIT_MS : EDIT_MS, problems)
  const progress = setInterval(() => {
    options.onProgress?.({ tally, seconds: seconds(), rest: rests.at(-1), reloads: edits.count })
  }, PROGRESS_MS)
  try {
    const stood = await goThrough(soaking)
    await edits.stop()
    await takeRest(soaking)
    const took = seconds()
    return {
      ...(await conclude(soaking)),
      tally,
      rests,
      stood,
      reloads: edits.count,
      seconds: took,
    }
  } finally {
    clearInterval(progress)
    await edits.stop()
    clients.closeIdle()
  }
}

const runName = ({ seed }: SoakOptions): string => `soak-${seed}`

/** The tour, then the rest in as many parts as it comes to rest, with the open streams in their middle. */
async function goThrough(soaking: Soaking): Promise<Stood> {
  const { options, planOf, isOver } = soaking
  const { exchanges, isShort } = options
  let stood: Stood = { open: 0, peakRss: 0, upstreamLeftMs: 0 }
  const tour = Math.min(tourOf(isShort), exchanges)
  await load(soaking, 0, tour)
  await takeRest(soaking)
  const parts = isShort ? SHORT_RESTS : RESTS
  for (let part = 1; part <= parts && !isOver(); part++) {
    const from = (at: number): number => tour + Math.floor(((exchanges - tour) * at) / parts)
    await load(soaking, from(part - 1), from(part))
    if (part === Math.ceil(parts / 2)) {
      const plans = Array.from({ length: options.open }, (_, at) => planOf(exchanges + at))
      stood = await standOpen(plans, soaking, soaking.problems)
    }
    await takeRest(soaking)
  }
  return stood
}

/** Asks for all of those numbers, so many at once. */
async function load(soaking: Soaking, from: number, to: number): Promise<void> {
  const { clients, tally, planOf, isOver } = soaking
  let next = from
  const lane = async (): Promise<void> => {
    while (next < to && !isOver()) tally.add(await clients.ask(planOf(next++)))
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

async function takeRest(soaking: Soaking): Promise<void> {
  const taken = await comeToRest(soaking, soaking.problems)
  soaking.rests.push({ ...taken, exchanges: soaking.tally.total })
}

/** Stops the gateway, and looks at what is left of everything. */
async function conclude(
  soaking: Soaking,
): Promise<Pick<SoakReport, 'growth' | 'records' | 'problems'>> {
  const { options, gateway, tally, rests, problems, planOf } = soaking
  const counted = await gateway.metric('sluice_exchanges_total')
  const code = await gateway.stop()
  if (code !== 0) problems.push(`the gateway ended with ${code}`)
  const records = await checkRecords(gateway.file, runName(options), tally, planOf)
  if (counted !== records.rows)
    problems.push(`/metrics has counted ${counted} exchanges, and ${records.rows} are recorded`)
  const left = leftovers(rests)
  problems.push(...left.problems, ...tally.problems, ...records.problems, ...errorsIn(gateway))
  return { growth: left.growth, records, problems }
}

/**
 * What is no line about an exchange, and not about the config that is wrong on purpose. While floods come, bodies may be
 * left out of the records, as it says then.
 */
const errorsIn = ({ said }: SoakedGateway): readonly string[] =>
  said
    .filter((line) => !/"outcome":|stays in force|without their bodies/.test(line))
    .slice(0, 5)
    .map((line) => `it logged: ${line.slice(0, 500)}`)
