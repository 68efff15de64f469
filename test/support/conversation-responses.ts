/**
 * A planned conversation as a client of Responses would send it. Neighbour: `conversation-bodies.ts`.
 */
import type {
  Conversation,
  PlannedCall,
  PlannedPart,
  PlannedTool,
  Said,
} from './conversation-plan.ts'
import {
  GRAMMAR,
  ranked,
  toSchema,
  toolOf,
  chosen,
  choiceOf,
  toSeal,
  toUrl,
  withError,
  type Body,
} from './conversation-common.ts'

export function toResponses(plan: Conversation): Body {
  const { settings, tools } = plan
  const isReasoning = settings.isReasoning
  const [instructions, ...others] = plan.system
  return {
    model: isReasoning ? 'gpt-5.5' : 'gpt-4.1',
    instructions: plan.isTerse ? instructions : undefined,
    input: [
      ...(plan.isTerse ? others : plan.system).map((text) => ({
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text }],
      })),
      ...toInput(plan, plan.first),
      ...plan.steps.flatMap((step, i) => [
        ...toItems(plan, step, i),
        ...ranked(step.calls).map((call) => toOutput(plan, call)),
        ...(step.said === undefined ? [] : toInput(plan, step.said)),
      ]),
    ],
    tools: tools.length === 0 ? undefined : toResponsesTools(tools),
    tool_choice: toResponsesChoice(plan),
    parallel_tool_calls: tools.length === 0 ? undefined : settings.isParallel,
    max_output_tokens: settings.maxTokens,
    reasoning: isReasoning ? { effort: settings.effort, summary: 'auto' } : undefined,
    include: isReasoning ? ['reasoning.encrypted_content'] : undefined,
    temperature: isReasoning ? undefined : settings.temperature,
    text:
      settings.format === undefined
        ? undefined
        : {
            format:
              settings.format === 'object'
                ? { type: 'json_object' }
                : { type: 'json_schema', ...toSchema(settings.format) },
          },
    stream: settings.isStream,
    store: false,
    safety_identifier: settings.user,
  }
}

const toInput = (plan: Conversation, { parts, system }: Said): Body[] => [
  {
    ...(!plan.isTerse && { type: 'message' }),
    role: 'user',
    content:
      plan.isTerse && parts.length === 1 && parts[0]?.type === 'text'
        ? parts[0].text
        : parts.map(toInputPart),
  },
  ...(system === undefined ? [] : [{ type: 'message', role: 'developer', content: system }]),
]

function toInputPart(part: PlannedPart): Body {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  if (part.type === 'pdf')
    return {
      type: 'input_file',
      filename: 'paper.pdf',
      file_data: `data:application/pdf;base64,${part.data}`,
    }
  return { type: 'input_image', image_url: toUrl(part) }
}

function toItems(plan: Conversation, step: Conversation['steps'][number], at: number): Body[] {
  const { thinking, text, calls } = step
  return [
    ...(thinking === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: `rs_${at}`,
            summary: thinking.text === '' ? [] : [{ type: 'summary_text', text: thinking.text }],
            encrypted_content: toSeal(thinking, 'gAAAAABown'),
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: `msg_${at}`,
            role: 'assistant',
            status: 'completed',
            content: plan.isTerse ? text : [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...calls.map((call) => {
      const { type, name, namespace } = toolOf(plan, call)
      const base = { call_id: call.id, name, ...(namespace !== undefined && { namespace }) }
      return type === 'custom'
        ? { type: 'custom_tool_call', id: `ctc_${call.rank}`, ...base, input: call.input }
        : { type: 'function_call', id: `fc_${call.rank}`, ...base, arguments: call.arguments }
    }),
  ]
}

function toOutput(plan: Conversation, call: PlannedCall): Body {
  const parts = withError(call)
  const first = parts[0]
  const isPlain =
    parts.length === 0 || (plan.isTerse && parts.length === 1 && first?.type === 'text')
  return {
    type: `${toolOf(plan, call).type === 'custom' ? 'custom_tool' : 'function'}_call_output`,
    call_id: call.id,
    output: isPlain ? (first?.type === 'text' ? first.text : '') : parts.map(toInputPart),
  }
}

function toResponsesTools(tools: readonly PlannedTool[]): Body[] {
  const spaces = [...new Set(tools.flatMap(({ namespace }) => namespace ?? []))]
  return [
    ...tools.filter(({ namespace }) => namespace === undefined).map(toResponsesTool),
    ...spaces.map((name) => ({
      type: 'namespace',
      name,
      description: `Tools of ${name}`,
      tools: tools.filter(({ namespace }) => namespace === name).map(toResponsesTool),
    })),
  ]
}

function toResponsesTool(tool: PlannedTool): Body {
  const { type, name, description, isStrict } = tool
  const base = { type, name, ...(description !== undefined && { description }) }
  if (type === 'custom') return { ...base, format: { type: 'grammar', ...GRAMMAR } }
  return { ...base, parameters: tool.schema, ...(isStrict !== undefined && { strict: isStrict }) }
}

function toResponsesChoice(plan: Conversation): unknown {
  const choice = choiceOf(plan)
  const tool = chosen(plan)
  if (tool === undefined || (choice !== 'tool' && choice !== 'allowed')) return choice
  const { type, name, namespace } = tool
  const one = { type, name, ...(namespace !== undefined && { namespace }) }
  return choice === 'tool' ? one : { type: 'allowed_tools', mode: 'auto', tools: [one] }
}
