/**
 * The rules of this wire. Ids are those of the reference (`docs/reference/lint.md`); what a client does
 * was tried with `@anthropic-ai/sdk` 0.130 and 1.8. Neighbours: `grammar.ts` applies them.
 */
import type { Rule } from '../grammar.ts'

const error = (says: string, client: string): Rule => ({ severity: 'error', says, client })
const warning = (says: string, client: string): Rule => ({ severity: 'warning', says, client })

export const RULES = {
  S1: error('A blank line ends every frame', '@anthropic-ai/sdk loses a last frame without one'),
  S2: error('Data is one JSON object', '@anthropic-ai/sdk throws'),
  S3: error('Every event has data', '@anthropic-ai/sdk 0.130 throws, 1.8 skips it'),
  'S3-other': warning('Every event has data', 'every SDK skips it'),
  S4: warning('A line is a field or a comment', 'every SDK drops other lines'),
  A1: error(
    'The first event is message_start',
    '@anthropic-ai/sdk drops what comes before, older ones and Python throw',
  ),
  A2: error('There is one message_start', '@anthropic-ai/sdk throws "Unexpected event order"'),
  A3: error(
    'message_start has a content list and a usage object',
    '@anthropic-ai/sdk throws a TypeError',
  ),
  'A3-filled': warning(
    'The content of message_start is empty',
    'clients that wait for block events see nothing',
  ),
  A4: error(
    'Block indices count 0, 1, 2, …',
    '@anthropic-ai/sdk puts deltas into the wrong block or loses them, Python throws',
  ),
  A5: error('One block is open at a time', '@anthropic-ai/sdk gives listeners the wrong block'),
  A6: warning('Every block that starts stops', '@anthropic-ai/sdk never emits contentBlock for it'),
  A7: error('A delta belongs to a block that has started', '@anthropic-ai/sdk throws a TypeError'),
  'A7-late': warning(
    'A delta comes before the stop of its block',
    '@anthropic-ai/sdk appends it without a word',
  ),
  A8: error('A delta is of the kind of its block', '@anthropic-ai/sdk drops it without a word'),
  'A8-text': error('A delta has its text', '@anthropic-ai/sdk writes "undefined", or throws'),
  A9: error(
    'A thinking block starts with an empty text',
    '@anthropic-ai/sdk puts "undefined" before the thinking',
  ),
  A10: error(
    'A thinking block has one signature',
    '@anthropic-ai/sdk keeps only the last, and the next turn is refused',
  ),
  A11: error(
    'The arguments of a tool are a JSON object',
    '@anthropic-ai/sdk throws, or makes something up',
  ),
  'A11-cut': warning('Arguments end where the message ends', '@anthropic-ai/sdk makes up the rest'),
  A12: error(
    'Input is empty at the start when deltas follow',
    '@anthropic-ai/sdk drops the input of the start',
  ),
  A13: error('message_delta has usage', '@anthropic-ai/sdk throws a TypeError'),
  'A13-tokens': warning('Usage says output_tokens', '@anthropic-ai/sdk reports undefined'),
  A14: error(
    'The message has a stop_reason before it stops',
    '@anthropic-ai/sdk resolves with stop_reason null',
  ),
  A16: error('message_stop ends the message', '@anthropic-ai/sdk rejects finalMessage()'),
  'A16-late': warning(
    'Nothing comes after message_stop',
    'listeners fire for a message that is over',
  ),
  A17: error('Every frame has an event line', '@anthropic-ai/sdk drops a frame without one'),
  'A17-name': error(
    'The event line says a name that clients know',
    'SDKs before 0.134 and Python drop the frame',
  ),
  'A17-other': warning('The event line says the type', 'the SDKs go by the data'),
  'A17-type': error('The data says its type', '@anthropic-ai/sdk does not go by the event line'),
  A18: warning('Nothing comes after an error', '@anthropic-ai/sdk has stopped reading'),
  A19: warning(
    'stop_reason is tool_use just when there is a tool_use block',
    'agents wait for a tool or never run one',
  ),
  A20: warning('Tool ids are unique and plain', 'the next request is refused with 400'),
  A21: warning('No text block is empty', 'sent back as history it is refused with 400'),
} as const
