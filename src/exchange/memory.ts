/**
 * What is kept of a translated answer for the turns that follow: the answer itself where its client will name
 * it, thinking and signatures where its client's format hands none back, and how far our count was off.
 * Neighbours: `deliver.ts` says when an answer is whole; `session/` keeps it; `tokens/` learns.
 */
import { toText, type JsonObject } from '../base/json.ts'
import type { StreamState } from '../block/state.ts'
import { totalInput } from '../event/usage.ts'
import { collectAnswer, hasToKeep } from '../session/collect.ts'
import { readDelivered } from '../session/delivered.ts'
import { WIRES } from '../wire/wires.ts'
import type { ExchangeInput } from './exchange.ts'
import { ownerOf } from './owner.ts'
import type { Plan } from './plan.ts'
import type { Target } from './target.ts'
import type { Way } from './way.ts'

export interface Memory {
  /** An answer that was streamed, and what its end told of the whole. `bytes`: how much was said. */
  keepStream(state: StreamState, terminal: JsonObject | undefined, bytes: number): void
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
  const requestBody = isNamed ? (asked ?? facts?.json()) : undefined
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

  function keep(state: StreamState, bytes: number, toBody: () => JsonObject | undefined): void {
    if (!state.isStopped || state.error !== undefined) return
    learn(state)
    const isKept = way.isTranslated && hasToKeep(state, { isThinkingKept: isForgetful })
    if (requestBody === undefined && !isKept) return
    const body = toBody()
    const by = owner ?? ownerOf(input)
    const named = wire === 'openai-responses' ? toText(body?.['id']) : undefined
    if (requestBody !== undefined && body !== undefined && named !== undefined && !isKept)
      return room.sessions.keepWhenAsked(by, {
        id: named,
        wire,
        requestBody,
        // As JSON in memory it takes about twice of what it takes in writing.
        bytes: 2 * (bytesIn + bytes),
        make: () => ({
          id: named,
          wire,
          requestBody,
          outputItems: readDelivered(wire, body).items,
          answerBody: body,
        }),
      })
    const { id, thinking, extras, outputItems } = collectAnswer(state, { issuer, wire, body })
    if (isForgetful)
      for (const { callIds, parts } of thinking) room.sessions.keepThinking(by, callIds, parts)
    for (const { callId, extra } of extras) room.sessions.keepExtra(by, callId, extra, issuer)
    if (requestBody !== undefined && id !== undefined)
      room.sessions.keepAnswer(by, { id, wire, requestBody, outputItems, answerBody: body })
  }

  return {
    keepStream: (state, terminal, bytes) =>
      keep(state, bytes, () =>
        wire === 'openai-responses' ? terminal : WIRES[wire].writeAnswer(state, way.encoder).body,
      ),
    keepBody: (state, body, bytes) => keep(state, bytes, () => body),
    keepUntouched(state, bytes) {
      const { id } = state
      if (!isActedOn || requestBody === undefined || id === undefined) return
      if (!state.isStopped || state.error !== undefined) return
      room.sessions.keepLater(owner ?? ownerOf(input), {
        id,
        wire,
        bytes: bytesIn + bytes,
        make() {
          const { body } = WIRES[wire].writeAnswer(state, way.encoder)
          const { outputItems } = collectAnswer(state, { issuer, wire, body })
          return { id, wire, requestBody, outputItems, answerBody: body }
        },
      })
    },
  }
}
