/** Turns of a conversation as they would have been recorded, and the tool that they call. */
import { DAWN, sampleExchange, samplePiece, sampleVerdict } from './records.ts'

export const BASH = {
  name: 'Bash',
  input_schema: {
    type: 'object',
    properties: { command: { type: 'string' } },
    required: ['command'],
  },
}

interface Said {
  readonly said: readonly object[]
  readonly answer: readonly object[]
  readonly at: number
}

/** An exchange of Anthropic's, as it would have been recorded. */
export function toTurn(conversation: string, id: string, { said, answer, at }: Said) {
  const request = JSON.stringify({
    model: 'm',
    max_tokens: 100,
    tools: [BASH],
    messages: [
      { role: 'assistant', content: 'before' },
      { role: 'user', content: said },
    ],
  })
  const upstream = JSON.stringify({
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: answer,
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  })
  return sampleExchange(
    id,
    {
      conversation,
      startedAt: DAWN + at,
      isStream: false,
      upstreamHeaders: { 'content-type': 'application/json' },
    },
    {
      pieces: [
        samplePiece(request, { kind: 'request' }),
        samplePiece(upstream, { kind: 'upstream' }),
      ],
      tools: [{ name: 'Bash', count: 4 }],
      verdicts: at % 50 === 49 ? [sampleVerdict()] : [],
    },
  )
}
