/**
 * What is kept of a translated answer for the turns that follow: the answer itself where its client will name
 * it, thinking and signatures where its client's format hands none back, and how far our count was off.
 * Neighbours: `deliver.ts` says when an answer is whole; `session/` keeps it; `tokens/` learns.
 */
import { parseObject, toText, type JsonObject } from '../base/json.ts'
import type { StreamState } from '../block/state.ts'
import { totalInput } from '../event/usage.ts'
import { collectAnswer, hasToKeep } from '../session/collect.ts'
import { refersBack } from '../session/sessions.ts'
import type { Terminal } from '../wire/wire.ts'
import { WIRES } from '../wire/wires.ts'
import type { ExchangeInput } from './exchange.ts'
import { KeptRequest, untouchedAnswer, writtenAnswer } from './kept-answer.ts'
import { ownerOf } from './owner.ts'
import type { Plan } from './plan.ts'
import type { Target } from './target.ts'
import type { Way } from './way.ts'

export interface Memory {
  /** An answer that was streamed, and what its end told of the whole. `bytes`: how much was said. */
  keepStream(state: StreamState, terminal: Terminal | undefined, bytes: number): void
  keepBody(state: StreamState, body: JsonObject, bytes: number): void
  /** One that left as it came: its upstream keeps it, and what follows may not. */
  keepUntouched(state: StreamState, bytes: number): void
}

interface Kept {
  readonly target: Target | undefined
  readonly way: Way
  /** Whether policies may change the answer: then what its upstream keeps is not what was delivered. */
  readonly isActedOn: boolean
}

export function createMemory(input: ExchangeInput, plan: Plan, kept: Kept): Memory | undefined {
  const { target, way, isActedOn } = kept
  if ((!way.isTranslated && !isActedOn) || target === undefined) return undefined
  const { wire } = input.endpoint
  const { asked, facts } = plan
  const said = (name: string): unknown => (asked === undefined ? facts?.member(name) : asked[name])
  // As the client sent it: what was put into it is in the books already. Read and held only if it will be asked for.
  const isNamed =
    (wire === 'openai-responses' && said('store') !== false) ||
    (wire === 'anthropic-messages' && said('thread') !== undefined)
  const requested = isNamed ? keepRequest(input, plan) : undefined
  // Nobody will name it, and it leaves as it came.
  if (requested === undefined && !way.isTranslated) return undefined
  return new Books(input, plan, { way, isActedOn, issuer: target.settings.name, requested })
}

interface Parts {
  readonly way: Way
  readonly isActedOn: boolean
  readonly issuer: string
  readonly requested: Requested | undefined
}

/** A class, and not functions around what they share: most answers that are read have one, for as long as they take. */
class Books implements Memory {
  private readonly input: ExchangeInput
  private readonly parts: Parts
  private readonly owner: string | undefined
  private readonly bytesIn: number

  constructor(input: ExchangeInput, { owner, body }: Plan, parts: Parts) {
    this.input = input
    this.parts = parts
    this.owner = owner
    this.bytesIn = body?.length ?? 0
  }

  keepStream(state: StreamState, terminal: Terminal | undefined, bytes: number): void {
    const { wire } = this.input.endpoint
    const { encoder } = this.parts.way
    this.keep(state, bytes, () =>
      wire === 'openai-responses'
        ? terminal
        : toWritten(WIRES[wire].writeAnswer(state, encoder).body),
    )
  }

  keepBody(state: StreamState, body: JsonObject, bytes: number): void {
    this.keep(state, bytes, () => toWritten(body))
  }

  keepUntouched(state: StreamState, bytes: number): void {
    const { input, parts } = this
    const { way, issuer, requested, isActedOn } = parts
    const { wire } = input.endpoint
    const { id } = state
    if (!isActedOn || requested === undefined || id === undefined) return
    if (!state.isStopped || state.error !== undefined) return
    const { request } = requested
    input.room.sessions.keepLater(this.ownerNow(), {
      id,
      wire,
      bytes: this.bytesIn + bytes,
      make: untouchedAnswer({ id, wire, issuer, request, state, encoder: way.encoder }),
    })
  }

  private keep(state: StreamState, bytes: number, written: () => Written | undefined): void {
    if (!state.isStopped || state.error !== undefined) return
    this.learn(state)
    const { way, issuer, requested } = this.parts
    const { wire } = this.input.endpoint
    const { sessions } = this.input.room
    // On the other wires the envelope of thinking comes back by itself.
    const isForgetful = wire === 'openai-chat'
    const isKept = way.isTranslated && hasToKeep(state, { isThinkingKept: isForgetful })
    if (requested === undefined && !isKept) return
    const answer = written()
    const by = this.ownerNow()
    const named = wire === 'openai-responses' ? answer?.id : undefined
    if (requested !== undefined && answer !== undefined && named !== undefined && !isKept)
      return sessions.keepWhenAsked(by, {
        id: named,
        wire,
        refersBack: requested.refersBack,
        // As JSON in memory it takes about twice of what it takes in writing.
        bytes: 2 * (this.bytesIn + bytes),
        make: writtenAnswer(named, wire, requested.request, answer.json),
      })
    const body = typeof answer?.json === 'string' ? parseObject(answer.json) : answer?.json
    const { id, thinking, extras, outputItems } = collectAnswer(state, { issuer, wire, body })
    if (isForgetful)
      for (const { callIds, parts } of thinking) sessions.keepThinking(by, callIds, parts)
    for (const { callId, extra } of extras) sessions.keepExtra(by, callId, extra, issuer)
    if (requested === undefined || id === undefined) return
    const requestBody = requested.request.read()
    sessions.keepAnswer(by, { id, wire, requestBody, outputItems, answerBody: body })
  }

  private learn({ usage, model }: StreamState): void {
    const { count } = this.parts.way
    if (count === undefined || usage?.inputTokens === undefined || model === undefined) return
    this.input.room.counter.observe({
      model: count.model,
      estimated: count.estimated,
      actual: totalInput(usage),
    })
  }

  private ownerNow(): string {
    return this.owner ?? ownerOf(this.input)
  }
}

/** A whole answer, as text where it was written as such. */
interface Written {
  readonly id: string | undefined
  readonly json: string | JsonObject
}

const toWritten = (json: JsonObject): Written => ({ id: toText(json['id']), json })

interface Requested {
  readonly request: KeptRequest
  readonly refersBack: boolean
}

function keepRequest({ endpoint }: ExchangeInput, { asked, facts, body }: Plan): Requested {
  const said = asked ?? facts?.json() ?? {}
  return {
    request: new KeptRequest(asked ?? body?.plain ?? said),
    refersBack: refersBack(endpoint.wire, said),
  }
}
