/**
 * A call that waits for a person for minutes, as Codex lives through it: it counts events and not comments, so that
 * `response.in_progress` is said again in the middle of an answer. Seen with Codex 0.166 and an idle limit of 65 s.
 */
import { describe, expect, test } from 'vitest'
import type { StreamEvent, WireName } from '../../src/event/event.ts'
import type { AnswerStage } from '../../src/translate/answer-stage.ts'
import { serve } from '../support/served.ts'
import { sayStream } from '../support/spoken.ts'

const ANSWER = {
  pieces: [{ text: 'Running it.' }, { call: 'exec_command', id: 'call_1', args: '{"cmd":"ls"}' }],
} as const

/** Holds what comes from the call on until the end, as somebody who takes time does. */
function holdCalls(): AnswerStage {
  const held: StreamEvent[] = []
  return {
    push(event) {
      const isCall = event.type === 'block-start' && event.block.type === 'tool-call'
      if (!isCall && held.length === 0) return [event]
      held.push(event)
      return []
    },
    end: () => held,
  }
}

describe.each<WireName>(['openai-responses', 'anthropic-messages', 'openai-chat'])(
  'Codex on %s, while a call waits',
  (from) => {
    test('is told every minute that it goes on, and that counts as no mistake', async () => {
      const frames = sayStream(from, ANSWER)
        .split(/(?<=\n\n)/)
        .map((frame) => Buffer.from(frame))
      const { bytes, delivered } = await serve(frames, {
        from,
        to: 'openai-responses',
        hasRuns: true,
        createStages: () => [holdCalls()],
        // The last words of the upstream are read, and nothing more comes.
        silentAfter: frames.length - 1,
      })
      const types = [...bytes.toString().matchAll(/^event: (\S+)$/gm)].map(([, type]) => type)
      const beats = types.flatMap((type, at) => (type === 'response.in_progress' ? [at] : []))
      expect(beats.at(-1)).toBeGreaterThan(types.indexOf('response.output_text.delta'))
      expect(types.at(-1)).toBe('response.completed')
      expect(delivered.violations).toBe(0)
    })
  },
)
