/**
 * A planned conversation as a client of Anthropic's would send it. Neighbour: `conversation-bodies.ts`.
 */
import type { Conversation, PlannedCall, PlannedPart, Said } from './conversation-plan.ts'
import { toolOf, ranked, chosen, choiceOf, toSeal, type Body } from './conversation-common.ts'
import { STRICT } from './conversation-tools.ts'

export function toMessages(plan: Conversation): Body {
  const { settings, tools, steps } = plan
  // Manual thinking wants every turn of tools to begin with thinking.
  const isManual =
    !settings.isReasoning &&
    settings.effort !== undefined &&
    steps.every((step) => step.calls.length === 0 || step.thinking !== undefined)
  const isForced = choiceOf(plan) === 'required' || choiceOf(plan) === 'tool'
  const hasThinking = isManual && !isForced
  const takesSystem = settings.isReasoning
  return {
    model: settings.isReasoning ? 'claude-opus-5' : 'claude-sonnet-4-5',
    max_tokens: settings.maxTokens ?? 4096,
    messages: [
      ...toUser(plan, [], plan.first, takesSystem),
      ...steps.flatMap((step) => [
        { role: 'assistant', content: toBlocks(plan, step) },
        ...toUser(plan, ranked(step.calls), step.said, takesSystem),
      ]),
    ],
    system:
      plan.system.length === 1 && plan.isTerse
        ? plan.system[0]
        : plan.system.map((text) => ({ type: 'text', text })),
    tools:
      tools.length === 0
        ? undefined
        : tools.map((tool) => ({
            name: tool.name,
            ...(tool.description !== undefined && { description: tool.description }),
            input_schema: tool.schema,
            ...(tool.isStrict !== undefined && { strict: tool.isStrict }),
          })),
    tool_choice: toMessagesChoice(plan),
    thinking: hasThinking
      ? { type: 'enabled', budget_tokens: 2048 }
      : settings.isReasoning
        ? { type: 'adaptive' }
        : undefined,
    output_config:
      settings.isReasoning && settings.effort !== undefined
        ? { effort: settings.effort, ...messagesFormat(plan) }
        : messagesFormat(plan),
    stop_sequences: settings.stop.map((stop) => (stop.trim() === '' ? 'END' : stop)),
    stream: settings.isStream,
    temperature: settings.isReasoning || hasThinking ? undefined : settings.temperature,
    metadata: settings.user === undefined ? undefined : { user_id: settings.user },
  }
}

const messagesFormat = ({ settings }: Conversation): Body | undefined =>
  settings.format === undefined ? undefined : { format: { type: 'json_schema', schema: STRICT } }

function toMessagesChoice(plan: Conversation): Body | undefined {
  const choice = choiceOf(plan)
  const parallel =
    plan.settings.isParallel === undefined
      ? {}
      : { disable_parallel_tool_use: !plan.settings.isParallel }
  if (choice === undefined) return undefined
  if (choice === 'none') return { type: 'none' }
  if (choice === 'required') return { type: 'any', ...parallel }
  if (choice === 'tool') return { type: 'tool', name: chosen(plan)?.name, ...parallel }
  return { type: 'auto', ...parallel }
}

function toUser(
  plan: Conversation,
  calls: readonly PlannedCall[],
  said: Said | undefined,
  takesSystem: boolean,
): Body[] {
  const results = calls.map((call) => ({
    type: 'tool_result',
    tool_use_id: call.id,
    ...(call.result.length > 0 && {
      content:
        plan.isTerse && call.result.length === 1 && call.result[0]?.type === 'text'
          ? call.result[0].text
          : call.result.map(toBlock),
    }),
    ...(call.isError && { is_error: true }),
  }))
  const parts = said?.parts ?? []
  const only = parts[0]
  const content =
    plan.isTerse && results.length === 0 && parts.length === 1 && only?.type === 'text'
      ? only.text
      : [...results, ...parts.map(toBlock)]
  const system = said?.system
  return [
    { role: 'user', content },
    ...(system === undefined || !takesSystem ? [] : [{ role: 'system', content: system }]),
  ]
}

function toBlock(part: PlannedPart): Body {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'image-url') return { type: 'image', source: { type: 'url', url: part.url } }
  const media = part.type === 'pdf' ? 'application/pdf' : 'image/png'
  return {
    type: part.type === 'pdf' ? 'document' : 'image',
    source: { type: 'base64', media_type: media, data: part.data },
  }
}

function toBlocks(plan: Conversation, step: Conversation['steps'][number]): Body[] {
  const { thinking, text, calls } = step
  return [
    ...(thinking === undefined
      ? []
      : [{ type: 'thinking', thinking: thinking.text, signature: toSeal(thinking, 'ErUBown') }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map((call) => ({
      type: 'tool_use',
      id: call.id,
      name: toolOf(plan, call).name,
      input: JSON.parse(call.arguments || '{}') as unknown,
    })),
  ]
}
