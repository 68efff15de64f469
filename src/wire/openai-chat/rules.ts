/**
 * The rules of this wire. Ids are those of the reference (`docs/reference/lint.md`); what a client does
 * was tried with `openai` 6.49 and 7.53. Neighbours: `grammar.ts` applies them.
 */
import type { Rule } from '../grammar.ts'

const error = (says: string, client: string): Rule => ({ severity: 'error', says, client })
const warning = (says: string, client: string): Rule => ({ severity: 'warning', says, client })

export const RULES = {
  S1: error('A blank line ends every frame', 'openai 6 loses a last frame without one'),
  'S1-done': warning('A blank line ends every frame', 'openai does without [DONE]'),
  S2: error('Data is one JSON object or [DONE]', 'openai throws'),
  S3: error('Every frame has data', 'openai throws on an empty one'),
  S4: warning('A line is a field or a comment', 'every SDK drops other lines, an error in one too'),
  S5: warning(
    'Frames have no event line',
    'openai 6 raw streams yield an "event: error" as an item',
  ),
  B1: warning('id and model stay the same', 'openai keeps the last one'),
  B2: error(
    'The first delta of a choice has the role assistant',
    'openai .stream() rejects "missing role"',
  ),
  'B2-late': warning('The role comes first', 'openai .stream() emits no content before it'),
  B3: warning(
    'role, and id, type and name of a call come once',
    'the Python SDK joins them: "assistantassistant"',
  ),
  B4: error('Every choice has a finish_reason', 'openai .stream() rejects "missing finish_reason"'),
  'B4-again': warning('finish_reason comes once', 'openai keeps the last'),
  B5: warning(
    'Nothing comes after finish_reason',
    'openai appends it after content.done was emitted',
  ),
  B6: warning(
    'finish_reason comes in a chunk of its own',
    'openai .stream() emits no arguments.done for that call',
  ),
  B7: error(
    'A call has an index, and indices count 0, 1, 2, …',
    'openai 7 throws, openai 6 loses the call',
  ),
  B8: error('One call has one index', 'openai joins the arguments of two calls into one'),
  B9: error(
    'The first fragment of a call has its type and its function',
    'openai .stream() rejects',
  ),
  'B9-id': warning('The first fragment of a call has its id and name', 'openai makes up an id'),
  B10: warning(
    'The fragments of a call stand together',
    'openai .stream() emits arguments.done early and again',
  ),
  B11: warning(
    'Arguments are not empty, and not cut unless the finish says so',
    'JSON.parse in user code throws',
  ),
  'B11-json': warning('Arguments are JSON', 'JSON.parse in user code throws'),
  B12: error('Usage is not taken back', 'openai forgets the usage when a later chunk says null'),
  'B12-place': warning(
    'Usage comes last, in a chunk without choices',
    'clients that wait for that chunk miss it',
  ),
  B13: warning('[DONE] ends the stream', 'the SDKs do without'),
  'B13-late': warning('Nothing comes after [DONE]', 'openai has stopped reading'),
  B14: error('Every chunk has a list of choices', 'openai .stream() throws "not iterable"'),
  B15: error('Choices count from 0', 'openai .stream() throws'),
  B16: warning(
    'finish_reason is tool_calls just when there are calls',
    'agents wait for a tool or never run one',
  ),
  B18: warning('Nothing comes after an error', 'openai has thrown'),
  B21: error('Content is a string', 'openai joins a list of parts as "[object Object]"'),
  B22: error(
    'A choice has a delta and no message',
    'openai .stream() takes the message for everything so far, and loses calls',
  ),
  B23: error('A call is a function', 'openai 6 .stream() throws on other types'),
} as const
