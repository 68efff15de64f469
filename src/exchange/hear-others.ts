/**
 * Before a request is refused that goes on from an answer which nobody here knows: another gateway may have given it a
 * moment ago. Neighbours: `plan.ts` asks here where there are other gateways; `session/` and `origins.ts` are what they
 * tell. Costs nothing where the answer is known, and less than a second where nobody knows it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExchangeInput } from './exchange.ts'
import { ownerOf } from './owner.ts'
import type { RequestFacts } from './request.ts'
import { isObject } from '../base/json.ts'

/** News takes a few hundredths of a second; a gateway that is busy takes longer. */
const PAUSES_MS = [0, 30, 60, 120, 240]

/** The answer that a request names, if it names one. */
export function namedAnswer(facts: RequestFacts): string | undefined {
  const id = facts.member('previous_response_id') ?? previousOf(facts.member('thread'))
  return typeof id === 'string' && id !== '' ? id : undefined
}

const previousOf = (thread: unknown): unknown =>
  isObject(thread) ? thread['previous_message_id'] : undefined

export async function hearOthers(input: ExchangeInput, answerId: string): Promise<void> {
  const { room, client } = input
  const { catchUp } = room
  if (catchUp === undefined) return
  const owner = ownerOf(input)
  const isKnown = (): boolean =>
    room.origins.find(client.key, answerId) !== undefined || room.sessions.has(owner, answerId)
  for (const pause of PAUSES_MS) {
    if (isKnown()) return
    await sleep(pause)
    await catchUp()
  }
}
