/**
 * The rules of this wire. Ids are those of the reference (`docs/reference/lint.md`); what a client does
 * was tried with `openai` 6.49 and 7.53. Neighbours: `grammar.ts` applies them.
 */
import type { Rule } from '../grammar.ts'

const error = (says: string, client: string): Rule => ({ severity: 'error', says, client })
const warning = (says: string, client: string): Rule => ({ severity: 'warning', says, client })

export const RULES = {
  S1: error(
    'A blank line ends every frame',
    'openai 6 loses a last frame without one, and with it the end',
  ),
  S2: error('Data is one JSON object', 'openai throws'),
  S3: error('Every frame has data', 'openai throws on an empty one'),
  S4: warning('A line is a field or a comment', 'every SDK drops other lines'),
  S6: warning('The event line says the type', 'the SDKs go by the data'),
  'S6-type': error(
    'The data says its type',
    'openai .stream() throws, whatever the event line says',
  ),
  S7: warning('There is no [DONE]', 'openai stops reading there'),
  C1: error('The first event is response.created', 'openai .stream() throws'),
  C2: warning('sequence_number counts 0, 1, 2, …', 'resuming a stream skips or repeats events'),
  C3: error('response.id stays the same', 'openai 7 throws "Lifecycle response identity changed"'),
  C4: error('An item is added before anything is said of it', 'openai .stream() throws'),
  C5: error('output_index counts 0, 1, 2, …', 'openai 6 and Python throw'),
  C6: error('item_id is the id of the item', 'openai 7 throws'),
  C7: error('An item has an id of its own, a call has a call_id', 'openai 7 throws'),
  C8: error('An item is done as it was added', 'openai 7 throws when type, id or call_id differ'),
  C9: error('A content part is added before its text', 'openai .stream() throws "missing content"'),
  C10: error('A summary part is added before its text', 'openai .stream() throws'),
  C11: warning(
    'What is done is what the deltas said',
    'openai keeps the text of done: what was shown differs',
  ),
  C12: error(
    'A function call is added with arguments ""',
    'openai puts "undefined" before the arguments',
  ),
  C14: warning(
    'Nothing is said of an item after it is done',
    'openai applies it until the terminal event',
  ),
  C15: error(
    'A terminal event ends the response',
    'openai resolves with status in_progress, Codex fails the turn',
  ),
  C16: error(
    'The terminal event lists all items',
    'openai believes it and forgets what was streamed',
  ),
  'C16-other': warning(
    'The terminal event says the items as they were done',
    'openai keeps what the terminal event says: what was shown differs',
  ),
  C17: warning('Nothing comes after the terminal event', 'openai applies it to the result'),
  C18: error(
    'Only events that the SDKs know',
    'openai .stream() throws "Unhandled response stream event"',
  ),
  C21: error('response.output is a list from the start', 'openai 6 throws'),
  C22: error(
    'The response is announced before its items',
    'openai 6 forgets the items, and throws',
  ),
} as const

/** Events that name no item, or one that the SDKs do not look for. */
const WITHOUT_ITEM =
  /^(?:error|keepalive|response\.(?:created|queued|in_progress|completed|incomplete|failed|audio\..+|mcp_list_tools\..+|image_generation_call\.partial_image))$/

/** Whether the SDKs look for the item of that event. */
export const isItemEvent = (type: string): boolean =>
  KNOWN_EVENTS.has(type) && !WITHOUT_ITEM.test(type)

/** What `openai` 6.49 and 7.53 both know. Any other type makes `.stream()` throw. */
export const KNOWN_EVENTS: ReadonlySet<string> = new Set([
  'error',
  'keepalive',
  ...['created', 'queued', 'in_progress', 'completed', 'incomplete', 'failed'].map(
    (word) => `response.${word}`,
  ),
  ...['added', 'done'].flatMap((word) => [
    `response.output_item.${word}`,
    `response.content_part.${word}`,
    `response.reasoning_summary_part.${word}`,
  ]),
  ...['delta', 'done'].flatMap((word) => [
    `response.output_text.${word}`,
    `response.refusal.${word}`,
    `response.function_call_arguments.${word}`,
    `response.custom_tool_call_input.${word}`,
    `response.mcp_call_arguments.${word}`,
    `response.code_interpreter_call_code.${word}`,
    `response.reasoning_summary_text.${word}`,
    `response.reasoning_text.${word}`,
    `response.audio.${word}`,
    `response.audio.transcript.${word}`,
  ]),
  'response.output_text.annotation.added',
  ...['in_progress', 'searching', 'completed'].flatMap((word) => [
    `response.web_search_call.${word}`,
    `response.file_search_call.${word}`,
  ]),
  ...['in_progress', 'interpreting', 'completed'].map(
    (word) => `response.code_interpreter_call.${word}`,
  ),
  ...['in_progress', 'generating', 'completed', 'partial_image'].map(
    (word) => `response.image_generation_call.${word}`,
  ),
  ...['in_progress', 'completed', 'failed'].flatMap((word) => [
    `response.mcp_call.${word}`,
    `response.mcp_list_tools.${word}`,
  ]),
])
