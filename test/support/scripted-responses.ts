/**
 * A scripted turn as the Responses API says it, event by event. Neighbours: `scripted.ts` is the contract.
 */
import {
  issue,
  pieces,
  sealOf,
  stepsOf,
  USAGE,
  type ScriptedTurn,
  type Step,
  type WriteTurn,
} from './scripted.ts'

type Item = Record<string, unknown> & { type: string; id: string }

export const writeResponses: WriteTurn = (turn, serial, model) => {
  const steps = stepsOf(turn)
  const prefix = `call_Scripted${serial}`
  const output = steps.map((step, i) => itemOf(step, `scripted${serial}x${i}`, `${prefix}x${i}`))
  const response = { ...envelope(serial, model), status: 'completed', output, usage }
  return {
    body: response,
    frames: streamOf(turn, response),
    issued: {
      calls: issue(steps, prefix),
      sequence: output
        .filter(({ type }) => type !== 'message')
        .map((item) => (item.type === 'reasoning' ? item : item['call_id'])),
      seals: output.flatMap(({ encrypted_content: seal }) =>
        typeof seal === 'string' ? [seal] : [],
      ),
    },
  }
}

const usage = {
  input_tokens: USAGE.input,
  input_tokens_details: { cached_tokens: USAGE.cached },
  output_tokens: USAGE.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: USAGE.input + USAGE.output,
}

const envelope = (serial: number, model: string): object => ({
  id: `resp_scripted${serial}`,
  object: 'response',
  created_at: 1_790_000_000,
  model,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  top_p: null,
  tool_choice: 'auto',
  tools: [],
  previous_response_id: null,
})

function itemOf(step: Step, id: string, callId: string): Item {
  if ('text' in step) {
    const content = [{ type: 'output_text', text: step.text, annotations: [], logprobs: [] }]
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
  }
  if ('thinking' in step) {
    const summary = step.thinking === '' ? [] : [{ type: 'summary_text', text: step.thinking }]
    return {
      type: 'reasoning',
      id: `rs_${id}`,
      summary,
      encrypted_content: sealOf(id, 'gAAAAAB'),
    }
  }
  const { name, args } = step.call
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: callId,
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  }
}

function streamOf({ ending }: ScriptedTurn, response: { output: readonly Item[] }): string[] {
  const events: [string, object][] = []
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  events.push(['response.created', { response: begun }])
  events.push(['response.in_progress', { response: begun }])
  response.output.forEach((item, index) => events.push(...itemEvents(item, index)))
  if (ending === undefined) events.push(['response.completed', { response }])
  if (ending === 'error') {
    const error = { code: 'server_error', message: 'The server had an error' }
    const nested = { type: 'server_error', param: null, ...error }
    events.push(['error', { ...error, param: null, error: nested }])
    events.push(['response.failed', { response: { ...begun, status: 'failed', error } }])
  }
  return events.map(
    ([type, data], i) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: i, ...data })}\n\n`,
  )
}

function itemEvents(item: Item, at: number): [string, object][] {
  const place = { item_id: item.id, output_index: at }
  const wrap = (begun: object, inner: [string, object][]): [string, object][] => [
    ['response.output_item.added', { output_index: at, item: { ...item, ...begun } }],
    ...inner,
    ['response.output_item.done', { output_index: at, item }],
  ]
  if (item.type === 'reasoning') {
    const [part] = item['summary'] as { text: string }[]
    const where = { ...place, summary_index: 0 }
    const begun = { summary: [], encrypted_content: 'gAAAAunfinished' }
    if (part === undefined) return wrap(begun, [])
    const { text } = part
    return wrap(begun, [
      ['response.reasoning_summary_part.added', { ...where, part: { ...part, text: '' } }],
      ...pieces(text).map((delta): [string, object] => [
        'response.reasoning_summary_text.delta',
        { ...where, delta },
      ]),
      ['response.reasoning_summary_text.done', { ...where, text }],
      ['response.reasoning_summary_part.done', { ...where, part }],
    ])
  }
  if (item.type === 'message') {
    const [part] = item['content'] as { text: string }[]
    const where = { ...place, content_index: 0 }
    const text = part?.text ?? ''
    return wrap({ status: 'in_progress', content: [] }, [
      ['response.content_part.added', { ...where, part: { ...part, text: '' } }],
      ...pieces(text).map((delta): [string, object] => [
        'response.output_text.delta',
        { ...where, delta, logprobs: [] },
      ]),
      ['response.output_text.done', { ...where, text, logprobs: [] }],
      ['response.content_part.done', { ...where, part }],
    ])
  }
  const args = String(item['arguments'])
  return wrap({ status: 'in_progress', arguments: '' }, [
    ...pieces(args).map((delta): [string, object] => [
      'response.function_call_arguments.delta',
      { ...place, delta },
    ]),
    ['response.function_call_arguments.done', { ...place, name: item['name'], arguments: args }],
  ])
}
