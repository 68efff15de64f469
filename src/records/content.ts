/**
 * What reads the bytes of exchanges in the thread that writes. Neighbours: `replay/` knows the formats; `process-item.ts`
 * and `housekeeping.ts` ask.
 */
import { findTools, readAnswerText } from '../replay/index-answer.ts'
import type * as RedactRecord from '../replay/redact-record.ts'
import { readRequestText } from '../replay/request-text.ts'
import type { TextDue } from '../store/store.ts'
import type { ContentReader } from './process-item.ts'

export function createContentReader(): ContentReader {
  return {
    tools: ({ wire, upstreamWire }, pieces) => findTools({ wire: upstreamWire ?? wire, pieces }),
    redact: async (exchange) => (await loadMasks()).redactRecord(exchange),
    redactVerdicts: async (verdicts) => (await loadMasks()).redactVerdicts(verdicts),
    text: (due, { request, upstream, delivered }) =>
      [
        request === undefined ? '' : readRequestText(due.wire, [request]),
        readAnswer(due, upstream, delivered),
      ]
        .filter((text) => text !== '')
        .join('\n'),
  }
}

/** Only where something is masked: with its patterns it takes two megabytes. */
const loadMasks = (): Promise<typeof RedactRecord> => import('../replay/redact-record.ts')

/** What the model said, and what we said where no model was asked. */
function readAnswer(
  { wire, upstreamWire }: Pick<TextDue, 'wire' | 'upstreamWire'>,
  upstream: Uint8Array | undefined,
  delivered: Uint8Array | undefined,
): string {
  if (upstream !== undefined)
    return readAnswerText({ wire: upstreamWire ?? wire, pieces: [upstream] })
  return delivered === undefined ? '' : readAnswerText({ wire, pieces: [delivered] })
}
