/**
 * A request that names what was said before instead of saying it, → one that says it: from the gateway's own
 * books where an answer of another wire was delivered, else from the upstream that keeps it. Neighbours:
 * `plan.ts`; `session/` keeps the books, `previous-answer.ts` knows which upstream keeps what.
 */
import { isObject, type JsonObject } from '../base/json.ts'
import { hasReference } from '../session/responses.ts'
import type { ExchangeInput } from './exchange.ts'
import { ownerOf } from './owner.ts'
import type { Plan, Refusal } from './plan.ts'
import { canAct } from '../policy/installed.ts'
import { toPreviousFault, whoKeeps } from './previous-answer.ts'
import type { Target } from './target.ts'

export interface Expanded {
  /** The body with the whole conversation in it. */
  readonly body: JsonObject
  /** Whether no upstream keeps it; else only those of another wire need it. */
  readonly isForAll: boolean
}

export function withHistory(input: ExchangeInput, plan: Plan): Plan | Refusal {
  switch (input.endpoint.wire) {
    case 'openai-responses':
      return withResponses(input, plan)
    case 'anthropic-messages':
      return withThread(input, plan)
    case 'openai-chat':
      return plan
  }
}

function withResponses(input: ExchangeInput, plan: Plan): Plan | Refusal {
  const { room, client, endpoint } = input
  const { facts } = plan
  const id = facts?.member('previous_response_id') ?? undefined
  const conversation = facts?.member('conversation') ?? undefined
  if (facts === undefined) return plan
  const isActedOn = plan.installed.some(canAct)
  if (facts.member('background') === true && isActedOn) return IN_BACKGROUND
  if (id === undefined && conversation === undefined && !hasReference(facts.member('input')))
    return plan
  const owner = ownerOf(input)
  const found = room.sessions.expandResponses(owner, facts.json())
  if (found.ok) return { ...plan, owner, expanded: { body: found.body, isForAll: true } }
  const speaking = plan.targets.filter((target) => speaks(target, endpoint.wire))
  // Only whoever keeps conversations knows what was said in one.
  if (conversation !== undefined && speaking.length === 0) return toConversationFault(conversation)
  // The provider's book of a conversation has in it what was denied here.
  if (conversation !== undefined && isActedOn) return toConversationFault(conversation)
  const targets = whoKeeps(speaking, { id, client, origins: room.origins, isActedOn })
  if (targets.length === 0) return { ...toPreviousFault(id ?? found.missing), status: 400 }
  return { ...plan, owner, targets }
}

/** It would be told later by its upstream, as it was before anybody looked at it. */
const IN_BACKGROUND: Refusal = {
  status: 400,
  fault: {
    kind: 'invalid-request',
    message: 'Policies look at every answer here before it is delivered: leave "background" out',
    param: 'background',
  },
}

function toConversationFault(named: unknown): Refusal {
  const id = isObject(named) ? named['id'] : named
  const shown = typeof id === 'string' ? id.slice(0, 256) : JSON.stringify(id)
  const message = `Conversation with id '${shown}' not found: send the conversation as input.`
  return {
    status: 400,
    fault: {
      kind: 'invalid-request',
      message,
      param: 'conversation',
      code: 'conversation_not_found',
    },
  }
}

function withThread(input: ExchangeInput, plan: Plan): Plan | Refusal {
  const { facts } = plan
  const thread = facts?.member('thread') ?? undefined
  if (facts === undefined || thread === undefined) return plan
  const owner = ownerOf(input)
  const found = input.room.sessions.expandThread(owner, facts.json())
  const isContinued = isObject(thread) && thread['type'] === 'continue'
  if (found.ok) return { ...plan, owner, expanded: { body: found.body, isForAll: isContinued } }
  const isActedOn = plan.installed.some(canAct)
  const targets = plan.targets.filter((target) => speaks(target, input.endpoint.wire))
  if (targets.length > 0 && !(isActedOn && isContinued)) return { ...plan, owner, targets }
  // In these words the client sends its whole history again.
  const isMissing = found.code === 'thread_not_found'
  return {
    status: isMissing ? 404 : 400,
    fault: {
      kind: isMissing ? 'not-found' : 'invalid-request',
      message: 'The thread is not known here: send the conversation again',
      code: found.code,
    },
    error: found.error,
  }
}

const speaks = ({ upstream }: Target, wire: Target['upstream']['wires'][number]): boolean =>
  upstream.wires.includes(wire)
