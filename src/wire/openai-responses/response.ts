/**
 * The envelope of a response that another wire answered: every field that the vendor always sends, so
 * that typed clients find what they expect. Neighbours: `encode.ts` and `answer.ts`; `request-echo.ts` says
 * what the client asked for.
 */
import type { JsonObject } from '../../base/json.ts'

export interface ResponseOf {
  readonly id: string
  readonly model: string
  readonly created: number
  /** What it repeats of its request. */
  readonly echo: JsonObject | undefined
}

export function createResponse(of: ResponseOf): JsonObject {
  return {
    id: of.id,
    object: 'response',
    created_at: of.created,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    model: of.model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: false,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: null,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: {},
    access_programs: null,
    ...of.echo,
  }
}

/** All but what its end says anew. */
export const rawEnvelope = (response: JsonObject): string =>
  JSON.stringify({
    object: 'response',
    ...response,
    status: undefined,
    incomplete_details: undefined,
    completed_at: undefined,
    usage: undefined,
    output: undefined,
  }).slice(0, -1)

/** Some servers tell the whole text once more beside the items. */
export function withoutSaid(response: JsonObject | undefined): JsonObject | undefined {
  if (response === undefined || !('output_text' in response)) return response
  const { output_text: _text, ...rest } = response
  return rest
}
