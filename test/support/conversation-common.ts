/**
 * What the bodies of all wires, or of both of OpenAI's, have in common. Neighbours: `conversation-{messages,chat,responses}.ts`.
 */
import { seal } from '../../src/wire/envelope.ts'
import type {
  Conversation,
  PlannedCall,
  PlannedPart,
  PlannedThinking,
  PlannedTool,
} from './conversation-plan.ts'
import { STRICT } from './conversation-tools.ts'

export type Body = Record<string, unknown>

/** A tool that is gone from the list may still have been called. */
const GONE: PlannedTool = {
  type: 'function',
  name: 'tool_of_yesterday',
  namespace: undefined,
  description: undefined,
  schema: STRICT,
  isStrict: undefined,
}
export const toolOf = ({ tools }: Conversation, call: PlannedCall): PlannedTool =>
  tools[call.tool % Math.max(4, tools.length)] ?? GONE

export const ranked = (calls: readonly PlannedCall[]): PlannedCall[] =>
  calls.toSorted((a, b) => a.rank - b.rank)

/** The first tool is the one that is forced. */
export const chosen = (plan: Conversation): PlannedTool | undefined => plan.tools[0]

/** Without tools there is nothing to choose from. */
export const choiceOf = (plan: Conversation): Conversation['settings']['choice'] =>
  plan.tools.length === 0 ? undefined : plan.settings.choice

export function toSeal(thinking: PlannedThinking, own: string): string {
  const { seal: whose, text } = thinking
  if (whose === 'own') return own
  if (whose === 'anthropic-messages') return seal({ wire: whose, text, signature: 'ErUBnative' })
  if (whose === 'openai-chat') return seal({ wire: whose, text })
  const item = {
    type: 'reasoning',
    id: 'rs_sealed',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content: 'gAAAAABsealed',
  }
  return seal({ wire: whose, text, signature: 'gAAAAABsealed', item })
}

export const toSchema = (format: 'schema' | 'strict'): Body => ({
  name: 'answer',
  schema: STRICT,
  ...(format === 'strict' && { strict: true }),
})

export const toUrl = (part: PlannedPart & { type: 'image' | 'image-url' }): string =>
  part.type === 'image' ? `data:image/png;base64,${part.data}` : part.url

/** How an error is told where there is no flag for it. */
export const withError = ({ result, isError }: PlannedCall): readonly PlannedPart[] =>
  result.map((part, i) =>
    isError && i === 0 && part.type === 'text'
      ? { type: 'text', text: `Error: ${part.text}` }
      : part,
  )

export const GRAMMAR = { syntax: 'lark', definition: 'start: /.+/' }
