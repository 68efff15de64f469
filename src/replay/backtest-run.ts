/**
 * One recorded exchange before the policies of now: its request, then its answer, by the engine of the live path.
 * Neighbours: `exchange/policies.ts` does the same for an exchange under way; `backtest.ts` walks over the past,
 * `backtest-read.ts` reads answers. Nothing is sent anywhere, and time stands still at the exchange's own.
 */
import { createAssembler } from '../block/assemble.ts'
import type { StreamState } from '../block/state.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { StreamEvent } from '../event/event.ts'
import { createPastStages, type PastStage } from '../exchange/past-stages.ts'
import { Contexts, createEngine, type Engine } from '../policy/engine.ts'
import type { PolicyHost } from '../policy/host.ts'
import type { Memories } from '../policy/memories.ts'
import type { Decision, Installed, Question, VerdictRecord } from '../policy/policy.ts'
import { judgeRequest, wantsRequest } from '../policy/requests.ts'
import { checkArguments } from '../stock/check-arguments/check.ts'
import type { ExchangeSummary } from '../store/query.ts'
import type { Body } from '../store/record.ts'
import { WIRES } from '../wire/wires.ts'
import type { Judges } from './backtest-judges.ts'
import {
  createPastReader,
  isPastBody,
  readPastBody,
  type PastReader,
  type PastTaker,
} from './backtest-read.ts'
import { PastRequest } from './backtest-request.ts'

/** What is kept of an exchange, as far as it is needed here. */
export interface PastExchange {
  readonly row: ExchangeSummary
  readonly request: Body | undefined
  /** The answer as it came; `undefined` where there was none. */
  readonly upstream: Body | undefined
}

export interface PastWorld {
  readonly memories: Memories
  readonly judges: Judges
  /** What a person would say. */
  decide(question: Question): Promise<Decision>
  /** Lets others do something, where this has gone on for long enough. */
  pause(): Promise<void> | undefined
}

export interface RanPast {
  readonly verdicts: readonly VerdictRecord[]
  readonly isRefused: boolean
  /** As it came and as it would leave, where a filter could change it without a verdict. */
  readonly came: StreamState | undefined
  readonly left: StreamState | undefined
}

/** So much is read before others may have their turn. */
const PIECE_BYTES = 64 * 1024

export async function runPast(
  past: PastExchange,
  installed: readonly Installed[],
  world: PastWorld,
): Promise<RanPast> {
  const { row } = past
  const wire = WIRES[row.wire]
  const verdicts: VerdictRecord[] = []
  const request = new PastRequest(row, wire, past.request?.bytes)
  const host = createPastHost(row, request, { world, onVerdict: (one) => verdicts.push(one) })
  const contexts = new Contexts(host)
  for (const one of installed) contexts.of(one)
  try {
    if (wantsRequest(installed)) {
      const canonical = request.read()
      if (canonical === undefined) throw unreadable()
      const outcome = await judgeRequest(canonical, installed, host, contexts)
      if (outcome.type === 'deny')
        return { verdicts, isRefused: true, came: undefined, left: undefined }
      if (outcome.isChanged) request.change(outcome.request)
    }
    request.servedBy(row)
    const answer = past.upstream
    const states =
      answer === undefined
        ? undefined
        : await runAnswer(answer, { past, installed, host, contexts, request, world })
    return { verdicts, isRefused: false, came: states?.came, left: states?.left }
  } finally {
    contexts.close()
    await contexts.settled()
  }
}

const unreadable = (): SluiceError =>
  new SluiceError('wrong-use', 'A request is not kept, or cannot be read')

interface Running {
  readonly past: PastExchange
  readonly installed: readonly Installed[]
  readonly host: PolicyHost
  readonly contexts: Contexts
  readonly request: PastRequest
  readonly world: PastWorld
}

async function runAnswer(
  { bytes }: Body,
  running: Running,
): Promise<{ readonly came: StreamState | undefined; readonly left: StreamState }> {
  const { installed, past, world } = running
  const left = createAssembler()
  // What a filter does shows only in what is left.
  const came = installed.some(isFilter) ? createAssembler() : undefined
  let isHalted = false
  let isDone = false
  let onDone = (): void => {}
  const engine = createEngine(
    { installed, host: running.host, contexts: running.contexts, leavesTogether: false },
    {
      state: left.state,
      send: (event) => void left.apply(event),
      done() {
        isDone = true
        onDone()
      },
      halt() {
        isHalted = true
      },
      pause() {},
      resume() {},
    },
  )
  const taker = came === undefined ? engine : alsoTo(engine, (event) => void came.apply(event))
  const answer = {
    wire: WIRES[past.row.upstreamWire ?? past.row.wire],
    stages: stagesOf(past.row, running.request),
    taker,
  }
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // Here, right before the work: several conversations are under way, and those of one follow each other without a turn of the loop.
  const rest = world.pause()
  if (rest !== undefined) await rest
  try {
    if (isPastBody(whole)) readPastBody(whole, answer)
    else await readPieces(whole, createPastReader(answer), { world, isOver: () => isHalted })
    if (!isHalted) engine.end()
  } catch (error) {
    engine.leave()
    throw error
  }
  if (!isDone) await new Promise<void>((resolve) => (onDone = resolve))
  return { came: came?.state, left: left.state }
}

async function readPieces(
  bytes: Buffer,
  reader: PastReader,
  { world, isOver }: { readonly world: PastWorld; readonly isOver: () => boolean },
): Promise<void> {
  for (let at = 0; at < bytes.length && !isOver(); at += PIECE_BYTES) {
    if (at > 0) await world.pause()
    reader.read(bytes.subarray(at, at + PIECE_BYTES))
  }
  if (!isOver()) reader.end()
}

export const isFilter = ({ policy, isShadow }: Installed): boolean =>
  !isShadow && policy.onChunk !== undefined

const alsoTo = (engine: Engine, note: (event: StreamEvent) => void): PastTaker => ({
  push(event) {
    note(event)
    engine.push(event)
  },
  passes: (block) => engine.passes(block),
  gathers: (block) => engine.gathers(block),
})

const NO_STAGES: readonly PastStage[] = []

function stagesOf(
  { wire, upstreamWire, model, upstreamModel }: ExchangeSummary,
  request: PastRequest,
): readonly PastStage[] {
  if (upstreamWire === undefined || upstreamWire === wire) return NO_STAGES
  const body = request.body()
  if (body === undefined) return NO_STAGES
  return createPastStages({
    from: WIRES[wire],
    to: WIRES[upstreamWire],
    body,
    model: upstreamModel ?? model ?? '',
  })
}

function createPastHost(
  row: ExchangeSummary,
  request: PastRequest,
  { world, onVerdict }: { readonly world: PastWorld; readonly onVerdict: PolicyHost['onVerdict'] },
): PolicyHost {
  const conversation = `${row.key ?? ''}\n${request.conversationId}`
  return {
    exchangeId: row.id,
    client: { key: row.key, agent: row.client },
    request,
    now: () => row.startedAt,
    tick: () => performance.now(),
    onLeave: () => NOTHING,
    log: () => SILENT,
    memoryOf: (policy) => world.memories.of(policy, conversation),
    callModel: (call, signal) => world.judges.callModel(call, signal),
    ask: (question) => world.decide(question),
    checkArguments: (tool, args) =>
      checkArguments(tool, args as Readonly<Record<string, unknown>> | string),
    haltedBy: () => undefined,
    onVerdict,
  }
}

const NOTHING = (): void => {}
const SILENT = { info() {}, warn() {} }
