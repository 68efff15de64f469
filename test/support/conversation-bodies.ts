/**
 * A planned conversation as the body that a client of each wire would send. Neighbours: `conversations.ts`
 * plans, `conversation-{messages,chat,responses}.ts` write, `api-rules-*.ts` judge. Written apart from `src/`,
 * whose writers are what is being tested; only the envelope is taken from there.
 */
import type { WireName } from '../../src/event/event.ts'
import { toChat } from './conversation-chat.ts'
import type { Body } from './conversation-common.ts'
import { toMessages } from './conversation-messages.ts'
import type { Conversation } from './conversation-plan.ts'
import { toResponses } from './conversation-responses.ts'

export function toBody(plan: Conversation): Body {
  const body = { ...WRITERS[plan.wire](plan) }
  for (const key of Object.keys(body)) if (body[key] === undefined) delete body[key]
  return body
}

const WRITERS: Readonly<Record<WireName, (plan: Conversation) => Body>> = {
  'anthropic-messages': toMessages,
  'openai-chat': toChat,
  'openai-responses': toResponses,
}
