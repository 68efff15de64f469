/**
 * A request to the demo's reply on the wire that was asked: routes, errors, streams and JSON bodies.
 * Neighbours: the readers say what was asked, `scripts.ts` what is answered, `play.ts` sends it.
 */
import { createHash } from 'node:crypto'
import { toObject, type JsonObject } from '../../base/json.ts'
import { createAssembler } from '../../block/assemble.ts'
import type { WireName } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import type { Written } from '../../sse/encode.ts'
import type { EncoderOptions } from '../../wire/wire.ts'
import { WIRES } from '../../wire/wires.ts'
import { bytesOf, type Headers, type RequestBody, type UpstreamRequest } from '../upstream.ts'
import { toAsked, type Asked, type Problem, type ReadBody } from './asked.ts'
import { toBreak, toFault, toStatus, type DemoFault } from './faults.ts'
import { writeModels } from './models.ts'
import { toEvents } from './plan-events.ts'
import type { AnswerPlan } from './plan.ts'
import type { Reply } from './play.ts'
import { readChat } from './read-chat.ts'
import { readMessages } from './read-messages.ts'
import { readResponses } from './read-responses.ts'
import { choosePlan } from './scripts.ts'

export interface ReplyOptions {
  readonly pace: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

type Read = (body: JsonObject) => ReadBody | Problem

interface Route {
  readonly read: Read
  /** Only the tokens of the input are asked for. */
  readonly isCount: boolean
}

const ROUTES: Readonly<Record<WireName, Readonly<Record<string, Route>>>> = {
  'anthropic-messages': {
    '/v1/messages': { read: (body) => readMessages(body, false), isCount: false },
    '/v1/messages/count_tokens': { read: (body) => readMessages(body, true), isCount: true },
  },
  'openai-chat': { '/chat/completions': { read: readChat, isCount: false } },
  'openai-responses': {
    '/responses': { read: readResponses, isCount: false },
    '/responses/input_tokens': { read: readResponses, isCount: true },
  },
}

/** What one reply is made with. */
interface Making extends ReplyOptions {
  readonly wire: WireName
  /** The same for the same request, and no other: all ids are made of it. */
  readonly key: string
}

export function toReply(request: UpstreamRequest, options: ReplyOptions): Reply {
  const { wire, method, path } = request
  const making: Making = { ...options, wire, key: keyOf(request) }
  const modelsPath = wire === 'anthropic-messages' ? '/v1/models' : '/models'
  if (method === 'GET' && path === modelsPath) return toJson(making, 200, writeModels(wire))
  const routes = ROUTES[wire]
  const route = method === 'POST' && Object.hasOwn(routes, path) ? routes[path] : undefined
  if (route === undefined)
    return refuse(making, 404, `The demo upstream does not serve ${method} ${path}`)
  const body = parseBody(request.body)
  if (body === undefined) return refuse(making, 400, 'The body must be a JSON object')
  const read = route.read(body)
  if ('problem' in read) return refuse(making, 400, read.problem)
  const asked = toAsked(wire, read)
  return route.isCount ? toJson(making, 200, writeCount(asked)) : answer(asked, making)
}

function answer(asked: Asked, making: Making): Reply {
  const plan = choosePlan(asked)
  if (plan.type === 'fault') return refuseWith(making, toFault(plan.kind, asked))
  if (asked.isStream) return stream(plan, asked, making)
  // A JSON answer has no middle that an error could stand in.
  if (plan.ending === 'error') return refuseWith(making, toBreak(making.wire))
  const reply = toJson(making, 200, writeAnswer(plan, asked, making))
  const isWhole = plan.ending === 'finish'
  return {
    ...reply,
    chunks: isWhole ? reply.chunks : [...reply.chunks].map(firstHalf),
    first: plan.timing?.first ?? 0,
    ending: plan.ending === 'cut' ? 'cut' : 'end',
  }
}

function stream(plan: AnswerPlan, asked: Asked, making: Making): Reply {
  return {
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      ...idHeader(making),
    },
    chunks: writeStream(plan, asked, making),
    first: plan.timing?.first ?? 0,
    pace: plan.timing?.pace ?? making.pace,
    ending: plan.ending === 'cut' ? 'cut' : 'end',
  }
}

function* writeStream(plan: AnswerPlan, asked: Asked, making: Making): Generator<Written> {
  const options = encoderOptions(making)
  const encoder = WIRES[asked.wire].createEncoder({ ...options, includeUsage: asked.includeUsage })
  // Not ended: an answer that breaks off has to end as it is.
  for (const event of toEvents(plan, asked, { key: making.key, created: options.now() }))
    yield* encoder.push(event)
}

function writeAnswer(plan: AnswerPlan, asked: Asked, making: Making): JsonObject {
  const options = encoderOptions(making)
  const { state, apply } = createAssembler()
  const whole: AnswerPlan = { ...plan, ending: 'finish' }
  for (const event of toEvents(whole, asked, { key: making.key, created: options.now() }))
    apply(event)
  return WIRES[asked.wire].writeAnswer(state, options).body
}

/** One moment for the whole answer, in seconds. */
function encoderOptions({ now, key }: Making): Required<Pick<EncoderOptions, 'now' | 'createId'>> {
  const seconds = Math.floor(now() / 1000)
  return { now: () => seconds, createId: () => key }
}

const writeCount = ({ wire, inputTokens }: Asked): JsonObject =>
  wire === 'openai-responses'
    ? { object: 'response.input_tokens', input_tokens: inputTokens }
    : { input_tokens: inputTokens }

/** A sentence about the request itself. A path or a thing that is not there is no missing model. */
function refuse(making: Making, status: 400 | 404, message: string): Reply {
  const isMissing = status === 404 && making.wire === 'anthropic-messages'
  const fault: StreamFault = { kind: isMissing ? 'not-found' : 'invalid-request', message }
  return toJson(making, status, writeFault(making, fault))
}

function refuseWith(making: Making, fault: DemoFault): Reply {
  const { status, headers } = toStatus(making.wire, fault.kind)
  return toJson(making, status, writeFault(making, fault), headers)
}

function writeFault(making: Making, fault: StreamFault): JsonObject {
  const body = WIRES[making.wire].writeError(fault)
  return making.wire === 'anthropic-messages' ? { ...body, request_id: requestId(making) } : body
}

const toJson = (
  making: Making,
  status: number,
  body: JsonObject,
  headers: Headers = {},
): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...idHeader(making), ...headers },
  chunks: [JSON.stringify(body)],
  first: 0,
  pace: 0,
  ending: 'end',
})

const requestId = ({ key }: Making): string => `req_demo_${key}`

const idHeader = (making: Making): Headers =>
  making.wire === 'anthropic-messages'
    ? { 'request-id': requestId(making) }
    : { 'x-request-id': requestId(making) }

const firstHalf = (written: Written): Written => written.slice(0, Math.ceil(written.length / 2))

function keyOf({ wire, method, path, body }: UpstreamRequest): string {
  const hash = createHash('sha256').update(`${wire} ${method} ${path}\n`)
  return (body === undefined ? hash : hash.update(bytesOf(body))).digest('hex').slice(0, 20)
}

function parseBody(body: RequestBody | undefined): JsonObject | undefined {
  try {
    return toObject(JSON.parse(Buffer.from(bytesOf(body ?? [])).toString('utf8')))
  } catch {
    return undefined
  }
}
