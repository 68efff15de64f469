/**
 * The two fields of a Chat delta that every server spells in its own way: reasoning and content.
 * Neighbours: `choice.ts` and `answer.ts`. Knows no stream.
 */
import { toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { Delta } from '../../event/event.ts'

export const hasReasoning = (delta: JsonObject): boolean =>
  delta['reasoning_content'] != null ||
  delta['reasoning'] != null ||
  delta['reasoning_details'] != null

/**
 * Reasoning as `reasoning_content` (DeepSeek, vLLM, …), `reasoning` (OpenRouter, Groq, …) and
 * `reasoning_details`, often the same words in two of them: they are counted once. What is sealed in
 * the details comes back as `seals`.
 */
export function readReasoning(delta: JsonObject): {
  text: string | undefined
  seals: readonly string[]
} {
  let text = toText(delta['reasoning_content']) ?? toText(delta['reasoning'])
  const details = delta['reasoning_details']
  if (!Array.isArray(details)) return { text, seals: [] }
  const seals: string[] = []
  let told = ''
  for (const one of details) {
    const detail = toObject(one)
    if (detail === undefined) continue
    told += toText(detail['text']) ?? toText(detail['summary']) ?? ''
    const sealed = toText(detail['signature']) ?? toText(detail['data'])
    if (sealed !== undefined) seals.push(sealed)
  }
  if (text === undefined && told !== '') text = told
  return { text, seals }
}

/** Content as a string, or as Mistral's list of parts. Empty strings and nulls say nothing. */
export function readContent(
  content: unknown,
  say: (type: 'text' | 'thinking', delta: Delta) => void,
): void {
  const whole = toText(content)
  if (whole !== undefined) {
    say('text', { type: 'text', text: whole })
    return
  }
  for (const one of toList(content)) {
    const part = toObject(one)
    const text = toText(part?.['text'])
    if (part?.['type'] === 'thinking') {
      for (const inner of toList(part['thinking'])) {
        const thought = toText(toObject(inner)?.['text'])
        if (thought !== undefined) say('thinking', { type: 'thinking', text: thought })
      }
    } else if (text !== undefined) {
      say('text', { type: 'text', text })
    }
  }
}
