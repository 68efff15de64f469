/**
 * How many tokens a request has: asked of its upstream where that counts, else our own estimate, which says
 * that it is one. Agents ask this all the time and take an error for a broken model, so nothing that goes
 * wrong here is told as a failure of ours. Neighbours: `exchange.ts`; `tokens/` estimates.
 */
import { createHash } from 'node:crypto'
import { parseObject, type JsonObject } from '../base/json.ts'
import { ESTIMATE_HEADER, readCount, writeCount } from '../tokens/count-answer.ts'
import { bytesOf } from '../upstream/upstream.ts'
import type { Wire } from '../wire/wire.ts'
import type { Attempted } from './attempted.ts'
import { askInTurn } from './attempts.ts'
import { createDeparture, type Departure } from './departure.ts'
import type { Draft } from './draft.ts'
import type { ExchangeInput } from './exchange.ts'
import { toClient } from './headers.ts'
import type { Plan } from './plan.ts'
import type { ExchangeReport } from './report.ts'
import { sendWhole } from './send-whole.ts'
import type { Target } from './target.ts'
import { toRequest } from './to-request.ts'
import { createSpanId } from './trace-context.ts'
import { bodyOf, COUNT_PATHS, findWay, wireAt, type NoWay, type Way } from './way.ts'

/** A count that takes longer is of no use to whoever waits for it. */
const PATIENCE_MS = 5000
/** How long an upstream is not asked again that has no such endpoint. */
const LACKS_MS = 10 * 60_000
const MAX_KEPT = 1000

/** What was counted, and who does not count. */
export interface Counts {
  find(key: string): number | undefined
  keep(key: string, tokens: number): void
  lacks(target: Target, now: number): boolean
  noteLack(target: Target, now: number): void
}

export function createCounts(): Counts {
  const kept = new Map<string, number>()
  const lacking = new WeakMap<Target, number>()
  return {
    find: (key) => kept.get(key),
    keep(key, tokens) {
      kept.set(key, tokens)
      const [oldest] = kept.keys()
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    },
    lacks: (target, now) => now < (lacking.get(target) ?? -Infinity),
    noteLack: (target, now) => void lacking.set(target, now + LACKS_MS),
  }
}

export interface Counting {
  readonly wire: Wire
  readonly plan: Plan
  readonly draft: Draft
  readonly client: Departure
}

export async function count(input: ExchangeInput, counting: Counting): Promise<ExchangeReport> {
  const { plan, draft, client } = counting
  const { room, endpoint } = input
  const [target] = plan.targets
  const key = createHash('sha256')
    .update(`${endpoint.wire} ${target?.settings.name} `)
    .update(plan.body?.plain ?? '')
    .digest('base64url')
  const known = room.counts.find(key)
  if (known !== undefined) return answer(input, counting, known, false)
  const now = room.ticker.now()
  // As it is called where it answers: that is the name under which its counts are learned.
  const model = plan.route?.as[target?.settings.name ?? ''] ?? plan.facts?.model ?? ''
  const body = bodyOf(plan)
  const canAsk =
    target !== undefined &&
    COUNT_PATHS[wireAt(target, endpoint.wire)] !== undefined &&
    !room.counts.lacks(target, now)
  if (target !== undefined && canAsk) {
    const { result, way } = await ask(input, counting, target)
    draft.tape?.settled(way?.body && bytesOf(way.body))
    if (client.hasLeft) return draft.leave()
    draft.servedBy(target, plan.route, way?.wire.name)
    const isOwnWire = way?.wire.name === endpoint.wire
    const tokens = result.type === 'json' ? readCount(result.json) : undefined
    if (tokens !== undefined) {
      room.counts.keep(key, tokens)
      return result.type === 'json' && isOwnWire
        ? passCount(input, counting, result)
        : answer(input, counting, tokens, false)
    }
    if (result.type === 'failed') {
      if (isMissing(result)) room.counts.noteLack(target, now)
      if (isOwnWire && isClients(result)) return passOn(input, counting, result)
    }
  }
  return answer(input, counting, room.counter.count(model, body, key).tokens, true)
}

async function ask(
  input: ExchangeInput,
  { wire, plan, draft, client }: Counting,
  target: Target,
): Promise<{ readonly result: Attempted; readonly way: Way | undefined }> {
  const { room } = input
  const patience = createDeparture()
  const offLeave = client.onLeave(() => patience.leave())
  const timer = setTimeout(() => patience.leave(), PATIENCE_MS)
  try {
    return await askInTurn({
      wire,
      tape: draft.tape,
      targets: [target],
      isAside: true,
      wantsStream: false,
      client: patience,
      ticker: room.ticker,
      startedAt: draft.startedTick,
      commit: room.commit,
      maxAnswerBytes: room.limits.answer,
      createSpanId: () => createSpanId(room.random),
      findWay: (to, isUnsealed) => toCounted(findWay(input, plan, to, isUnsealed)),
      toRequest: (to, way, spanId) =>
        toRequest(input, plan, { target: to, way, path: COUNT_PATHS[way.wire.name] }, spanId),
      onAttempt: (attempt) => draft.attempted(attempt),
    })
  } finally {
    clearTimeout(timer)
    offLeave()
  }
}

/** What a wire counts by; anything else in the body is an error there. */
const COUNTED: readonly string[] = [
  'model',
  'messages',
  'system',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'thinking',
  'reasoning',
  'output_config',
  'text',
]

function toCounted(way: Way | NoWay): Way | NoWay {
  if ('problem' in way || !way.isTranslated || way.body === undefined) return way
  const body: JsonObject = parseObject(Buffer.from(bytesOf(way.body)).toString('utf8')) ?? {}
  const counted = Object.fromEntries(
    Object.entries(body).filter(([name]) => COUNTED.includes(name)),
  )
  return { ...way, body: Buffer.from(JSON.stringify(counted)) }
}

type Failed = Extract<Attempted, { type: 'failed' }>

const isMissing = ({ status }: Failed): boolean =>
  status === 404 || status === 405 || status === 501

/** What the client itself has to put right: its request or its key. */
const isClients = ({ status, body }: Failed): boolean =>
  body !== undefined && (status === 400 || status === 401 || status === 403 || status === 413)

/** As it came: there may be more in it than the count. */
function passCount(
  input: ExchangeInput,
  { draft }: Counting,
  { status, headers, body }: Extract<Attempted, { type: 'json' }>,
): ExchangeReport {
  sendWhole(input, draft, { status, headers: toClient(headers), body })
  return draft.finish({ outcome: 'done', status })
}

function passOn(input: ExchangeInput, { draft }: Counting, failed: Failed): ExchangeReport {
  const { status, headers, body = Buffer.alloc(0), fault } = failed
  sendWhole(input, draft, { status, headers: toClient(headers), body })
  return draft.finish({ outcome: 'upstream-error', status, fault })
}

function answer(
  input: ExchangeInput,
  { draft }: Counting,
  tokens: number,
  isEstimate: boolean,
): ExchangeReport {
  const body = Buffer.from(JSON.stringify(writeCount(input.endpoint.wire, tokens)))
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(isEstimate ? ESTIMATE_HEADER : {}),
  }
  sendWhole(input, draft, { status: 200, headers, body })
  return draft.finish({ outcome: 'done', status: 200 })
}
