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

export function createMemory(
  input: ExchangeInput,
  plan: Plan,
  {
    target,
    way,
    isActedOn,
  }: {
    readonly target: Target | undefined
    readonly way: Way
    /** Whether policies may change the answer: then what its upstream keeps is not what was delivered. */
    readonly isActedOn: boolean
  },
): Memory | undefined {
  if ((!way.isTranslated && !isActedOn) || target === undefined) return undefined
  const { room, endpoint } = input
  const { wire } = endpoint
  const issuer = target.settings.name
  const { asked, facts } = plan
  const said = (name: string): unknown => (asked === undefined ? facts?.member(name) : asked[name])
  // As the client sent it: what was put into it is in the books already. Read and held only if it will be asked for.
  const isNamed =
    (wire === 'openai-responses' && said('store') !== false) ||
    (wire === 'anthropic-messages' && said('thread') !== undefined)
  const requested = isNamed ? keepRequest(input, plan) : undefined
  // On the other wires the envelope of thinking comes back by itself.
  const isForgetful = wire === 'openai-chat'
  const { owner } = plan
  const bytesIn = plan.body?.plain.length ?? 0

  function learn({ usage, model }: StreamState): void {
    if (way.count === undefined || usage?.inputTokens === undefined || model === undefined) return
    room.counter.observe({
      model: way.count.model,
      estimated: way.count.estimated,
      actual: totalInput(usage),
    })
  }

  function keep(state: StreamState, bytes: number, written: () => Written | undefined): void {
    if (!state.isStopped || state.error !== undefined) return
    learn(state)
    const isKept = way.isTranslated && hasToKeep(state, { isThinkingKept: isForgetful })
    if (requested === undefined && !isKept) return
    const answer = written()
    const by = owner ?? ownerOf(input)
    const { request } = requested ?? {}
    const named = wire === 'openai-responses' ? answer?.id : undefined
    if (requested !== undefined && answer !== undefined && named !== undefined && !isKept)
      return room.sessions.keepWhenAsked(by, {
        id: named,
        wire,
        refersBack: requested.refersBack,
        // As JSON in memory it takes about twice of what it takes in writing.
        bytes: 2 * (bytesIn + bytes),
        make: writtenAnswer(named, wire, requested.request, answer.json),
      })
    const body = typeof answer?.json === 'string' ? parseObject(answer.json) : answer?.json
    const { id, thinking, extras, outputItems } = collectAnswer(state, { issuer, wire, body })
    if (isForgetful)
      for (const { callIds, parts } of thinking) room.sessions.keepThinking(by, callIds, parts)
    for (const { callId, extra } of extras) room.sessions.keepExtra(by, callId, extra, issuer)
    if (request !== undefined && id !== undefined) {
      const requestBody = request.read()
      room.sessions.keepAnswer(by, { id, wire, requestBody, outputItems, answerBody: body })
    }
  }

  return {
    keepStream: (state, terminal, bytes) =>
      keep(state, bytes, () =>
        wire === 'openai-responses'
          ? terminal
          : toWritten(WIRES[wire].writeAnswer(state, way.encoder).body),
      ),
    keepBody: (state, body, bytes) => keep(state, bytes, () => toWritten(body)),
    keepUntouched(state, bytes) {
      const { id } = state
      if (!isActedOn || requested === undefined || id === undefined) return
      if (!state.isStopped || state.error !== undefined) return
      const { request } = requested
      room.sessions.keepLater(owner ?? ownerOf(input), {
        id,
        wire,
        bytes: bytesIn + bytes,
        make: untouchedAnswer({ id, wire, issuer, request, state, encoder: way.encoder }),
      })
    },
  }
}

/** A whole answer, as text where it was written as such. */
interface Written {
  readonly id: string | undefined
  readonly json: string | JsonObject
}

const toWritten = (json: JsonObject): Written => ({ id: toText(json['id']), json })

function keepRequest(
  { endpoint }: ExchangeInput,
  { asked, facts, body }: Plan,
): { readonly request: KeptRequest; readonly refersBack: boolean } {
  const said = asked ?? facts?.json() ?? {}
  return {
    request: new KeptRequest(asked ?? body?.plain ?? said),
    refersBack: refersBack(endpoint.wire, said),
  }
}
