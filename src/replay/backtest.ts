/**
 * The past before the policies of now: recorded exchanges in the order of time, and what would be different. Neighbours:
 * `backtest-walk.ts` finds them, `backtest-run.ts` runs each by the live engine, `compare-*.ts` say what changed,
 * `backtest-tally.ts` counts. Several conversations at once, each in its own order: judges take their time, and what
 * policies keep of a conversation must be as it was.
 */
import type { Usage } from '../event/usage.ts'
import { ENDPOINTS } from '../exchange/endpoint.ts'
import { HALT_GATE } from '../policy/engine.ts'
import { createMemories } from '../policy/memories.ts'
import type {
  Decision,
  Installed,
  ModelCall,
  ModelReply,
  Question,
  VerdictRecord,
} from '../policy/policy.ts'
import type { ExchangeQuery, ExchangeSummary } from '../store/query.ts'
import type { BodyKind } from '../store/record.ts'
import type { KeptBodies } from '../store/store.ts'
import { createJudges } from './backtest-judges.ts'
import { createLanes } from './backtest-lanes.ts'
import type { BacktestProgress, BacktestResult } from './backtest-result.ts'
import { isFilter, runPast, type PastWorld } from './backtest-run.ts'
import { createTally, type Fate } from './backtest-tally.ts'
import { batches, needsAll, planWalk, type PastSource } from './backtest-walk.ts'
import { compareContent } from './compare-content.ts'
import { compareVerdicts, type Change, type Compared } from './compare-verdicts.ts'

export interface BacktestOptions {
  readonly source: PastSource
  /** All that are tried. */
  readonly policies: readonly Installed[]
  /** Those that apply to an exchange, in their order. */
  select(row: ExchangeSummary): readonly Installed[]
  /** Those that they are compared with, run as well: in the place of what was decided then. */
  baseline?: ((row: ExchangeSummary) => readonly Installed[]) | undefined
  readonly query: ExchangeQuery
  /** Only so many, the newest. */
  readonly limit?: number | undefined
  /**
   * `all`: these policies would be the only ones. `own`: they are compared with what policies of the same names said
   * then, and what others said stays.
   */
  readonly against: 'all' | 'own'
  /** What a person would say who is asked. */
  readonly ask?: 'pass' | 'deny' | undefined
  /** Examples of each row. Default 3. */
  readonly examples?: number | undefined
  /** Asks a model. Missing: what needs one is not judged. */
  readonly callModel?: ((call: ModelCall, signal: AbortSignal) => Promise<ModelReply>) | undefined
  /** Default 100. */
  readonly maxJudgeCalls?: number | undefined
  /** In millionths of a US dollar. */
  readonly costOf?: ((model: string, usage: Usage) => number | undefined) | undefined
  /** For so long nobody else has a turn. Default 50 ms. */
  readonly sliceMs?: number | undefined
  /** For so long others have one, at least. */
  readonly restMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  onProgress?(progress: BacktestProgress): void
}

const MAX_JUDGE_CALLS = 100
const EXAMPLES = 3
const SLICE_MS = 50
const MAX_MEMORIES = 50_000
const PROGRESS_MS = 200
/** Below so many exchanges a rate says nothing. */
const FEW = 20

export async function runBacktest(options: BacktestOptions): Promise<BacktestResult> {
  const { source, signal } = options
  const startedAt = performance.now()
  const tally = createTally(options.examples ?? EXAMPLES)
  const judges = createJudges({
    callModel: options.callModel,
    maxCalls: options.maxJudgeCalls ?? MAX_JUDGE_CALLS,
    costOf: options.costOf,
  })
  const books = createBooks(source)
  const world: PastWorld = {
    memories: createMemories(MAX_MEMORIES),
    judges: {
      ...judges,
      callModel: (call, own) =>
        judges.callModel(call, signal === undefined ? own : AbortSignal.any([own, signal])),
    },
    decide: async (question) => {
      tally.asked()
      return decide(question, await books.of(question.exchangeId), options.ask ?? 'pass')
    },
    pause: createPause(options),
  }
  const baseWorld: PastWorld = {
    ...world,
    memories: createMemories(MAX_MEMORIES),
    decide: async (question) =>
      decide(question, await books.of(question.exchangeId), options.ask ?? 'pass'),
  }
  const wrapped = new Map<Installed, Installed>()
  const names = new Set(options.policies.map(({ policy }) => policy.name))
  const hasFilter = options.policies.some(isFilter)
  const kinds: readonly BodyKind[] = ['request', 'upstream', ...(hasFilter ? DELIVERED : [])]
  const plan = await planWalk({ ...options, isIndexed: !needsAll(options.policies) })
  let saidAt = startedAt
  let isOver = false

  function wrap(one: Installed): Installed {
    let found = wrapped.get(one)
    if (found === undefined) wrapped.set(one, (found = judges.wrap(one, books.of)))
    return found
  }

  function progress(): BacktestProgress {
    const elapsedMs = performance.now() - startedAt
    const done = tally.seen()
    const total = Math.max(isOver ? plan.total : plan.toRun, done)
    const remainingMs = done < FEW ? undefined : (elapsedMs / done) * (total - done)
    return { done, total, changed: tally.changed(), elapsedMs, remainingMs }
  }

  function tell(): void {
    const now = performance.now()
    if (now - saidAt < PROGRESS_MS) return
    saidAt = now
    options.onProgress?.(progress())
  }

  async function see(row: ExchangeSummary, kept: KeptBodies | undefined): Promise<void> {
    const installed = options.select(row).map(wrap)
    const base = options.baseline?.(row).map(wrap)
    const fate = fateOf(row, kept)
    // Where nothing can be judged any more there is nothing to compare.
    if (fate !== 'run') return tally.saw(fate, row)
    const answer = hasAnswer(row) ? kept?.bodies.upstream : undefined
    const past = { row, request: kept?.bodies.request, upstream: answer }
    // The same policies say the same.
    if (base !== undefined && isSameList(base, installed)) return tally.saw('passedOver', row)
    const ran = installed.length === 0 ? undefined : await runPast(past, installed, world)
    const before = base === undefined ? undefined : await runPast(past, base, baseWorld)
    if (signal?.aborted === true) return
    const verdicts = ran?.verdicts ?? []
    const isLooked = hasSaid(row) || verdicts.some(({ details }) => 'ticket' in details)
    const stored = before?.verdicts ?? (isLooked ? await books.of(row.id) : [])
    const others =
      before === undefined ? stored.filter((one) => isOther(one, options.against, names)) : []
    const found = compareVerdicts(
      { verdicts: stored, isRefused: before?.isRefused ?? row.outcome === 'refused' },
      { verdicts: [...verdicts, ...others], isRefused: ran?.isRefused ?? false },
    )
    const { came, left } = ran ?? {}
    const filters = installed.filter(isFilter)
    // Where something was decided, words of ours stand in the answer, on some wires in one text with the model's.
    const isUntold = stored.every(isPlain) && verdicts.every(isPlain)
    const isCompared = isUntold && came !== undefined && left !== undefined
    const delivered = before?.left ?? kept?.bodies.delivered?.bytes
    const content = isCompared ? compareContent({ row, came, left, delivered, filters }) : undefined
    tally.saw(installed.length === 0 ? 'passedOver' : 'run', row)
    tally.said(verdicts)
    tally.compared(row, withContent(found, content))
  }

  async function seeSafely(row: ExchangeSummary, kept: KeptBodies | undefined): Promise<void> {
    try {
      await see(row, kept)
    } catch (error) {
      if (signal?.aborted === true) return
      tally.saw('failed', row)
      tally.problem(error instanceof Error ? error.message : 'An exchange could not be run')
    } finally {
      books.drop(row.id)
    }
  }

  const lanes = createLanes()
  for await (const rows of batches(plan, source, signal)) {
    const kept = await source.bodies(
      rows.filter(isKept).map(({ id }) => id),
      kinds,
    )
    const byId = new Map(kept.map((one) => [one.id, one]))
    for (const row of rows) {
      await world.pause()
      if (signal?.aborted === true) break
      await lanes.start(`${row.key ?? ''}\n${row.conversation ?? row.id}`, () =>
        seeSafely(row, byId.get(row.id)),
      )
      tell()
    }
  }
  await lanes.idle()
  const isPartial = signal?.aborted === true
  if (!isPartial) tally.saw('passedOver', undefined, Math.max(0, plan.total - tally.seen()))
  isOver = true
  options.onProgress?.(progress())
  return tally.toResult({
    isPartial,
    tookMs: performance.now() - startedAt,
    judges: judges.bill(),
  })
}

const isSameList = (one: readonly Installed[], other: readonly Installed[]): boolean =>
  one.length === other.length && one.every((policy, at) => policy === other[at])

const DELIVERED: readonly BodyKind[] = ['delivered']

/** What was decided in exchanges that are under way, read when somebody asks, and once. */
function createBooks(source: PastSource) {
  const open = new Map<string, Promise<readonly VerdictRecord[]>>()
  return {
    of(exchangeId: string): Promise<readonly VerdictRecord[]> {
      let found = open.get(exchangeId)
      if (found === undefined) {
        found = source
          .verdicts({ exchangeId, limit: MAX_VERDICTS, isOldestFirst: true })
          .then(({ items }) => items)
        open.set(exchangeId, found)
      }
      return found
    },
    drop: (exchangeId: string) => void open.delete(exchangeId),
  }
}

const MAX_VERDICTS = 1000

/** What the person said then to the same question; else what the caller says. */
function decide(
  { policy, block }: Question,
  then: readonly VerdictRecord[],
  otherwise: 'pass' | 'deny',
): Decision {
  const same = then.find(
    (one) => one.policy === policy && one.block?.index === block.index && 'ticket' in one.details,
  )
  const type = same === undefined ? otherwise : same.type === 'deny' ? 'deny' : 'pass'
  return { type, by: undefined, ticket: 'backtest' }
}

function createPause({
  sliceMs = SLICE_MS,
  restMs,
}: BacktestOptions): () => Promise<void> | undefined {
  let since = performance.now()
  let resting: Promise<void> | undefined
  const isLong = (): boolean => performance.now() - since >= sliceMs
  const rest = (): Promise<void> =>
    (resting ??= new Promise((resolve) => {
      const go = (): void => {
        resting = undefined
        since = performance.now()
        resolve()
      }
      if (restMs === undefined) setImmediate(go)
      else setTimeout(go, restMs)
    }))
  // Several may wait for the same rest, and go on one after the other: together they take no more than a slice.
  async function untilRested(): Promise<void> {
    while (isLong()) await rest()
  }
  return () => (isLong() ? untilRested() : undefined)
}

const isKept = ({ record }: ExchangeSummary): boolean => record !== 'metadata'

/** Whether an answer went before policies. */
const hasAnswer = ({ outcome, endpoint, method }: ExchangeSummary): boolean =>
  outcome !== 'refused' &&
  outcome !== 'upstream-error' &&
  ENDPOINTS.some(
    (one) => one.pattern === endpoint && one.method === method && one.kind === 'answer',
  )

function fateOf(row: ExchangeSummary, kept: KeptBodies | undefined): Fate {
  if (ENDPOINTS.some((one) => one.pattern === row.endpoint && one.kind === 'stored'))
    return 'passedOver'
  if (row.record === 'metadata') return 'metadataOnly'
  const isDropped = row.dropped.includes('request') || row.dropped.includes('upstream')
  if (isDropped) return 'dropped'
  const { request, upstream } = kept?.bodies ?? {}
  if (request === undefined && upstream === undefined) return hasSaid(row) ? 'run' : 'passedOver'
  return hasAnswer(row) && upstream === undefined ? 'passedOver' : 'run'
}

/** Whether anybody said anything but a pass. */
const hasSaid = ({ verdicts }: ExchangeSummary): boolean =>
  Object.entries(verdicts).some(([type, count]) => type !== 'pass' && count > 0)

const isPlain = ({ type, isShadow, block }: VerdictRecord): boolean =>
  type === 'pass' || isShadow || block === undefined

/** Whether somebody said it whose word stays as it was. */
const isOther = (
  { policy }: VerdictRecord,
  against: BacktestOptions['against'],
  names: ReadonlySet<string>,
): boolean => policy === HALT_GATE.policy.name || (against === 'own' && !names.has(policy))

const withContent = (found: Compared, content: Change | undefined): Compared =>
  content === undefined ? found : { ...found, changes: [...found.changes, content] }
