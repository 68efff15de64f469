/**
 * What a person or a program said to a ticket, from outside → an answer, or a sentence that says what is wrong.
 * Neighbours: the API and `webhooks.ts`. Knows no ticket.
 */
import { isObject } from '../base/json.ts'
import { REMEMBER, type Answer } from './ticket.ts'

const TYPES = ['pass', 'deny', 'edit'] as const
const MAX_REASON = 4000
const MAX_NAME = 200

/** `{ "decision": "deny", "reason": "…" }`. */
export function readAnswer(
  body: Readonly<Record<string, unknown>>,
): Answer | { readonly message: string } {
  const { decision, args, reason, by, remember } = body
  const type = TYPES.find((one) => one === decision)
  if (type === undefined) return { message: 'Say "decision": "pass", "deny" or "edit"' }
  const held = remember === undefined ? 'none' : REMEMBER.find((one) => one === remember)
  if (held === undefined)
    return { message: `"remember" takes ${REMEMBER.map((one) => `"${one}"`).join(', ')}` }
  if (args !== undefined && type !== 'edit')
    return { message: 'Only "decision": "edit" takes "args"' }
  if (args !== undefined && typeof args !== 'string' && !isObject(args))
    return { message: '"args" takes an object, or a string for a tool that takes free text' }
  if (!isShort(reason, MAX_REASON))
    return { message: `"reason" takes up to ${MAX_REASON} characters` }
  if (!isShort(by, MAX_NAME)) return { message: `"by" takes up to ${MAX_NAME} characters` }
  return {
    type,
    args,
    reason: reason === '' ? undefined : reason,
    by: by === '' ? undefined : by,
    remember: held === 'none' ? undefined : held,
  }
}

const isShort = (value: unknown, max: number): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value.length <= max)
