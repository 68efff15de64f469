/**
 * Reports → figures for Prometheus. Neighbours: `figures.ts` has the list, `exchange-book.ts` adds exchanges up;
 * `server/` reports and serves the text, and with several workers collects their snapshots and merges them. Knows no HTTP.
 *
 * Labels come from the configuration and from words of ours, never from a client: a model's name is in no
 * label, and what an upstream may choose is capped.
 */
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'
import type { Attempt, ExchangeReport } from '../exchange/report.ts'
import { ExchangeBook, isPlain } from './exchange-book.ts'
import { createFigures, type Figures } from './figures.ts'
import { gather, sumUp } from './tally.ts'

/** What one worker counted; it can be sent to another as JSON. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** `gone`: the upstream is no longer in the configuration. */
type MetricsCircuit = 'closed' | 'half-open' | 'open' | 'gone'

export interface Metrics {
  /** An exchange began, and it is over: between the two it counts as open. */
  opened(): void
  closed(): void
  /** Counts an exchange that is over. */
  exchange(report: ExchangeReport): void
  /** Counts a verdict, when it is there: one in shadow may come after its exchange. */
  verdict(record: ExchangeReport['verdicts'][number]): void
  circuit(upstream: string, state: MetricsCircuit): void
  /** How recording stands; counts are of all the time since the start. */
  records(standing: RecordsStanding): void
  /** An exchange was refused because it could not be recorded. */
  notRecorded(): void
  reload(isOk: boolean): void
  /** What this process counted, in Prometheus' text format. */
  text(): Promise<string>
  readonly contentType: string
  snapshot(): Promise<MetricsSnapshot>
}

/** What is counted of the records. */
interface RecordsStanding {
  readonly state: 'ok' | 'behind' | 'failing'
  readonly waitingExchanges: number
  readonly committed: number
  readonly droppedBodies: number
}

export interface MetricsOptions {
  readonly version: string
  /** Whether the process itself is measured too: memory, event loop, garbage collection. */
  readonly hasProcess?: boolean
}

const STATES = { ok: 0, behind: 1, failing: 2 } as const

const CIRCUITS = { closed: 0, 'half-open': 1, open: 2 } as const

/** Different words in one label, before the rest is called `other`. */
const WORDS = 50

/** Names of policies are the operator's, and may change with every reload. */
const POLICIES = 200

export function createMetrics({ version, hasProcess = true }: MetricsOptions): Metrics {
  const registry = new Registry()
  const figures = createFigures(registry)
  const tallies = createTallies(figures)
  const book = new ExchangeBook(figures)
  let open = 0
  const lossWord = createCap(WORDS)
  const policyName = createCap(POLICIES)
  let committed = 0
  let dropped = 0
  figures.build.set({ version, node: process.version }, 1)
  let isProcessMeasured = !hasProcess

  /** Ten milliseconds is how often the event loop is looked at: nobody is woken for that who is asked by nobody. */
  function read(): void {
    figures.open.set(open)
    book.flush()
    for (const tally of Object.values(tallies)) tally.flush()
    if (isProcessMeasured) return
    isProcessMeasured = true
    collectDefaultMetrics({ register: registry })
  }

  return {
    opened() {
      open += 1
    },
    closed() {
      open -= 1
    },
    exchange(report) {
      book.add(report)
      const { wire, violations } = report
      if (violations > 0) figures.violations.inc({ wire }, violations)
      for (const { kind, what, count } of report.losses)
        figures.losses.inc({ kind, what: lossWord(what.split(' ', 1)[0] ?? '') }, count)
      if (!isPlain(report)) countAttempts(tallies, report.attempts)
    },
    verdict({ policy: name, type, isShadow, tookMs }) {
      const policy = policyName(name)
      tallies.verdicts.add({ policy, type, shadow: String(isShadow) })
      tallies.judgments.add({ policy }, tookMs / 1000)
    },
    circuit(upstream, state) {
      if (state === 'gone') figures.circuit.remove({ upstream })
      else figures.circuit.set({ upstream }, CIRCUITS[state])
    },
    records(standing) {
      figures.records.inc({ result: 'committed' }, standing.committed - committed)
      figures.recordBodiesDropped.inc(standing.droppedBodies - dropped)
      committed = standing.committed
      dropped = standing.droppedBodies
      figures.recordsWaiting.set(standing.waitingExchanges)
      figures.recordsState.set(STATES[standing.state])
    },
    notRecorded: () => figures.records.inc({ result: 'refused' }),
    reload: (isOk) => figures.reloads.inc({ result: isOk ? 'ok' : 'failed' }),
    text() {
      read()
      return registry.metrics()
    },
    contentType: registry.contentType,
    snapshot() {
      read()
      return registry.getMetricsAsJSON()
    },
  }
}

type Tallies = ReturnType<typeof createTallies>

/** What may come several times in an exchange. */
const createTallies = (figures: Figures) => ({
  attempts: sumUp(figures.attempts),
  retries: sumUp(figures.retries),
  verdicts: sumUp(figures.verdicts),
  judgments: gather(figures.judgments),
})

/** The figures of several workers as one text: counts are added up, of circuits the worst is taken. */
export function mergeSnapshots(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics()
}

function countAttempts(tallies: Tallies, attempts: readonly Attempt[]): void {
  for (const [i, { upstream, status, fault }] of attempts.entries()) {
    tallies.attempts.add({ upstream, status: String(status ?? fault?.kind ?? 'none') })
    if (i < attempts.length - 1)
      tallies.retries.add({ upstream, reason: fault?.kind ?? String(status ?? 'none') })
  }
}

/** Lets so many different words through. */
function createCap(limit: number): (word: string) => string {
  const known = new Set<string>()
  return (word) => {
    if (known.has(word)) return word
    if (known.size >= limit || word.length > 64) return 'other'
    known.add(word)
    return word
  }
}
