/**
 * What the demo says. Neighbours: `scripts.ts` and `calls.ts` choose.
 */
import { toBareText } from './bare-text.ts'

export const GREETING =
  "Hello! This is Sluice's demo upstream: it runs inside the gateway, needs no key and no network, and answers from scripts. " +
  'Try a prompt with one of the words tool, tools, think, dangerous, loop 3 times, refuse, long, slow or error, or a model such as demo-tool.'

export const PLAIN =
  'This is a plain answer of the demo upstream: a few sentences of text, word by word. Nothing in it was thought, and nothing was done.'

export const THINKING =
  'The question came to a demo, so there is not much to weigh. A short answer will do, and it should say that it was scripted.'

export const REFUSAL =
  "I can't help with that. (The demo upstream refuses because it was asked to.)"

export const CUT_OFF =
  'This answer would have gone on for a good while, but the limit on its length was reached in the middle of a'

export const BROKEN =
  'This answer breaks off before its end, because a demo has to show that too, and what follows these words is'

export const SLOW = 'This answer takes its time.'

export const TITLE = 'Sluice demo'

export const ONE_CALL = 'Let me use a tool for that.'
export const SEVERAL_CALLS = 'Let me use several tools at once.'
export const DANGEROUS = 'Let me clean that up.'

export const stepText = (step: number, steps: number): string => `Step ${step} of ${steps}.`

/** Two thousand words, each a piece of its own. */
export const longText = (): string =>
  Array.from({ length: 2000 }, (_, place) => `word-${place + 1}`).join(' ')

/** How much of a tool's result is quoted. */
const QUOTED = 200

export function resultText(results: readonly { text: string; isError: boolean }[]): string {
  return results
    .map(({ text, isError }) => {
      // Claude Code puts reminders behind a result. By characters, so that none is cut in half.
      const short = Array.from(
        (toBareText(text) || text)
          .slice(0, 4 * QUOTED)
          .replace(/\s+/g, ' ')
          .trim(),
      )
      const quoted = short.slice(0, QUOTED).join('') + (short.length > QUOTED ? ' …' : '')
      return `The tool ${isError ? 'failed' : 'said'}: ${quoted === '' ? '(nothing)' : quoted}`
    })
    .join('\n')
}
