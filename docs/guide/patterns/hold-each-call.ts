/**
 * Buffer per tool call while content flows. Each call is judged when it is whole; a denied one becomes
 * a text, the others stay. The calls leave together at the finish, behind the texts, because no text
 * may follow a call on the Anthropic wire. The encoder sees to the rest: if no call is left, the
 * finish reason becomes that of a normal end.
 */
import { createStreamProcessor, textBlock } from '../../../src/index.ts'
import type { BlockOf, StreamEvent, StreamProcessor } from '../../../src/index.ts'

type Call = BlockOf<'tool-call'>

export function holdEachCall(isDenied: (call: Call) => boolean): StreamProcessor {
  return createStreamProcessor({
    async onChunk(chunk, { currentBlock, justCompleted }, context) {
      const calls = context.state('calls', () => new Map<Call, StreamEvent[]>())
      const denied = context.state('denied', () => new Set<Call>())

      if (currentBlock?.type === 'tool-call') {
        const held = calls.get(currentBlock)
        if (held === undefined) calls.set(currentBlock, [chunk])
        else held.push(chunk)
        if (currentBlock === justCompleted && isDenied(currentBlock)) denied.add(currentBlock)
        return
      }
      if (chunk.type === 'finish') {
        // With several choices, a call of another one may still grow.
        const whole = [...calls.keys()].filter((call) => call.isComplete)
        for (const call of whole.filter((one) => denied.has(one)))
          await context.send(...textBlock(`${call.name} is not allowed here.`, call.choice))
        for (const call of whole) {
          if (!denied.has(call)) await context.send(...(calls.get(call) ?? []))
          calls.delete(call)
        }
      }
      await context.send(chunk)
    },
  })
}
