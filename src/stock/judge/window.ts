/**
 * The last turns of a conversation → a few lines of JSON, newest kept first when room is short. Neighbours:
 * `subject.ts` asks, `data.ts` makes it harmless. Who said what comes from the request's own structure, never from
 * what a text claims. Looks at no more turns than it may show.
 */
import type { Part } from '../../request/part.ts'
import type { Turn } from '../../request/request.ts'
import { shorten, toData } from './data.ts'

const MAX_TEXT = 2000
const MAX_CALL = 500
const MAX_RESULT = 500
const MAX_LINES = 200

export function toWindow(
  turns: readonly Turn[],
  { maxTurns, maxChars }: { readonly maxTurns: number; readonly maxChars: number },
): string {
  const lines: string[] = []
  let room = maxChars
  for (const turn of turns.slice(-maxTurns || turns.length).toReversed())
    for (const part of turn.parts.toReversed()) {
      const said = toLine(part, turn.role)
      if (said === undefined) continue
      const line = toData(said)
      room -= line.length
      if (room < 0 || lines.length >= MAX_LINES) return finish(lines, true)
      lines.push(line)
    }
  return finish(lines, turns.length > maxTurns)
}

function finish(newestFirst: readonly string[], isCut: boolean): string {
  const lines = newestFirst.toReversed()
  return (isCut ? ['{"note":"earlier parts are left out"}', ...lines] : lines).join('\n')
}

function toLine(part: Part, role: Turn['role']): object | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '' ? undefined : { role, text: shorten(part.text, MAX_TEXT) }
    case 'tool-call':
      return { role, call: part.name, arguments: shorten(part.arguments, MAX_CALL) }
    case 'tool-result': {
      const text = part.parts.map((one) => (one.type === 'text' ? one.text : `[${one.type}]`))
      const result = shorten(text.join('\n'), MAX_RESULT)
      return { role: 'tool', result, ...(part.isError ? { isError: true } : {}) }
    }
    case 'image':
    case 'document':
    case 'audio':
      return { role, attached: part.type }
    // What a model thought was sealed for its vendor, and what we do not know says nothing to a judge.
    case 'thinking':
    case 'opaque':
      return undefined
  }
}

/** What the person last said, results of tools aside. */
export function lastTask(turns: readonly Turn[]): string {
  const turn = turns.findLast(
    ({ role, parts }) =>
      role === 'user' && parts.some((part) => part.type === 'text' && part.text.trim() !== ''),
  )
  const text = turn?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n') ?? ''
  return shorten(text.trim(), MAX_TEXT)
}
