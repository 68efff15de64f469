/**
 * A planned conversation as a client of Chat Completions would send it. Neighbour: `conversation-bodies.ts`.
 */
import type {
  Conversation,
  PlannedCall,
  PlannedPart,
  PlannedTool,
  Said,
} from './conversation-plan.ts'
import {
  ranked,
  toolOf,
  chosen,
  choiceOf,
  toSeal,
  toSchema,
  toUrl,
  withError,
  GRAMMAR,
  type Body,
} from './conversation-common.ts'

export function toChat(plan: Conversation): Body {
  const { settings, tools } = plan
  const isReasoning = settings.isReasoning
  return {
    model: isReasoning ? 'gpt-5.2' : 'gpt-4.1',
    messages: [
      ...plan.system.map((content) => ({ role: isReasoning ? 'developer' : 'system', content })),
      ...toChatUser(plan, plan.first),
      ...plan.steps.flatMap((step) => [
        toChatAnswer(plan, step),
        ...ranked(step.calls).map((call) => ({
          role: 'tool',
          tool_call_id: call.id,
          content: toChatResult(plan, call),
        })),
        ...(step.said === undefined ? [] : toChatUser(plan, step.said)),
      ]),
    ],
    tools: tools.length === 0 ? undefined : tools.map(toChatTool),
    tool_choice: toChatChoice(plan),
    parallel_tool_calls: tools.length === 0 ? undefined : settings.isParallel,
    max_completion_tokens: settings.maxTokens,
    stop: isReasoning || settings.stop.length === 0 ? undefined : settings.stop,
    reasoning_effort: isReasoning ? settings.effort : undefined,
    temperature: isReasoning ? undefined : settings.temperature,
    response_format:
      settings.format === undefined
        ? undefined
        : settings.format === 'object'
          ? { type: 'json_object' }
          : { type: 'json_schema', json_schema: toSchema(settings.format) },
    stream: settings.isStream,
    stream_options: settings.isStream ? { include_usage: true } : undefined,
    safety_identifier: settings.user,
  }
}

const toChatUser = (plan: Conversation, { parts, system }: Said): Body[] => [
  {
    role: 'user',
    content:
      plan.isTerse && parts.length === 1 && parts[0]?.type === 'text'
        ? parts[0].text
        : parts.map(toChatPart),
  },
  ...(system === undefined ? [] : [{ role: 'system', content: system }]),
]

function toChatPart(part: PlannedPart): Body {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'pdf')
    return {
      type: 'file',
      file: { filename: 'paper.pdf', file_data: `data:application/pdf;base64,${part.data}` },
    }
  return { type: 'image_url', image_url: { url: toUrl(part) } }
}

function toChatResult(plan: Conversation, call: PlannedCall): unknown {
  const texts = withError(call).map((part) => (part.type === 'text' ? part.text : ''))
  if (plan.isTerse || texts.length === 0) return texts.join('')
  return texts.map((text) => ({ type: 'text', text }))
}

function toChatAnswer(plan: Conversation, step: Conversation['steps'][number]): Body {
  const { thinking, text, calls } = step
  return {
    role: 'assistant',
    content: text ?? null,
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => {
        const { name, type } = toolOf(plan, call)
        return type === 'custom'
          ? { id: call.id, type, custom: { name, input: call.input } }
          : { id: call.id, type, function: { name, arguments: call.arguments } }
      }),
    }),
    ...(thinking !== undefined && { reasoning_content: thinking.text }),
    ...(thinking !== undefined &&
      thinking.seal !== 'own' && {
        reasoning_details: [{ type: 'reasoning.encrypted', index: 0, data: toSeal(thinking, '') }],
      }),
  }
}

function toChatTool(tool: PlannedTool): Body {
  const { type, name, description } = tool
  const base = { name, ...(description !== undefined && { description }) }
  if (type === 'custom')
    return { type, custom: { ...base, format: { type: 'grammar', grammar: GRAMMAR } } }
  return {
    type,
    function: {
      ...base,
      parameters: tool.schema,
      ...(tool.isStrict !== undefined && { strict: tool.isStrict }),
    },
  }
}

function toChatChoice(plan: Conversation): unknown {
  const choice = choiceOf(plan)
  const tool = chosen(plan)
  if (tool === undefined || (choice !== 'tool' && choice !== 'allowed')) return choice
  const one = { type: tool.type, [tool.type]: { name: tool.name } }
  return choice === 'tool'
    ? one
    : { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [one] } }
}
