/**
 * Thinking that a client handed back in part → none of it, so that the whole is taken from memory. Chat has no field
 * for sealed thoughts, and the vendor's TypeScript helper keeps the last piece of a field that it does not know:
 * of several thoughts in one answer only the last comes back. Neighbours: `translate.ts` asks; the writers recall what
 * a turn lacks.
 */
import type { Part, ThinkingPart } from '../request/part.ts'
import type { ModelRequest } from '../request/request.ts'
import type { WriteOptions } from '../request/write.ts'

type Recall = NonNullable<WriteOptions['recall']>

/** The same object where nothing is missing. */
export function withWholeThinking(request: ModelRequest, recall: Recall): ModelRequest {
  let isSame = true
  const turns = request.turns.map((turn) => {
    if (turn.role !== 'assistant' || !lacksSome(turn.parts, recall)) return turn
    isSame = false
    return { ...turn, parts: turn.parts.filter(({ type }) => type !== 'thinking') }
  })
  return isSame ? request : { ...request, turns }
}

/** Whether more is known of its calls than it says, and all that it says is among that. */
function lacksSome(parts: readonly Part[], recall: Recall): boolean {
  const said = new Set(parts.flatMap((part) => (part.type === 'thinking' ? sealsOf(part) : [])))
  if (said.size === 0) return false
  const known = new Set(
    parts.flatMap((part) =>
      part.type === 'tool-call' ? (recall(part.id) ?? []).flatMap(sealsOf) : [],
    ),
  )
  return known.size > said.size && [...said].every((seal) => known.has(seal))
}

function sealsOf({ seal }: ThinkingPart): readonly string[] {
  const own = seal?.signature ?? seal?.item?.['encrypted_content']
  return typeof own === 'string' ? [own] : []
}
