/**
 * A gate for tool calls in one file: text flows on, each call waits until it is whole, and a call that
 * is not allowed becomes a sentence that tells the model why. The same gate on every wire.
 *
 *   npm run build && node examples/deny-a-call.js
 */
import {
  createStreamContext,
  createStreamProcessor,
  readEvents,
  textBlock,
  toBytes,
  WIRES,
} from 'sluice'

/** Reads a stream of one wire, and writes it on another without the calls that are not allowed. */
export async function gate({ from, to, bytes, isAllowed, write }) {
  const encoder = WIRES[to].createEncoder()
  const send = (event) => encoder.push(event).forEach((written) => write(toBytes(written)))
  const processor = createStreamProcessor({
    async onChunk(chunk, state, context) {
      const call = state.currentBlock
      if (call?.type !== 'tool-call') return context.send(chunk)
      const held = context.state(call.id, () => [])
      held.push(chunk)
      if (state.justCompleted !== call) return
      if (isAllowed(call)) await context.send(...held)
      else await context.send(...textBlock(`I may not call ${call.name} with ${call.arguments}.`))
    },
  })
  await processor.process(readEvents(WIRES[from], bytes), createStreamContext({ send }))
  encoder.end().forEach((written) => write(toBytes(written)))
}

const CHUNKS = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'I tidy up.' } }] },
  {
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [
            {
              index: 0,
              id: 'call_1',
              type: 'function',
              function: { name: 'shell', arguments: '{"command":"rm -rf /"}' },
            },
            {
              index: 1,
              id: 'call_2',
              type: 'function',
              function: { name: 'shell', arguments: '{"command":"ls"}' },
            },
          ],
        },
      },
    ],
  },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
]

const stream = [
  ...CHUNKS.map((chunk) => `data: ${JSON.stringify({ id: 'c', model: 'm', ...chunk })}\n\n`),
  'data: [DONE]\n\n',
]

await gate({
  from: 'openai-chat',
  to: 'anthropic-messages',
  bytes: stream.map(toBytes),
  isAllowed: (call) => !/\brm\b/.test(String(call.args()?.command)),
  write: (written) => process.stdout.write(written),
})
