/**
 * The texts of tool results in a conversation, each with what it answers. Neighbours: `scan-results.ts` says what they
 * become. Turns and parts that nothing was changed in stay the same objects.
 */
import type { Part, ToolResultPart } from '../../request/part.ts'
import type { Turn } from '../../request/request.ts'
import type { ToolName } from '../tool-globs.ts'

export interface ResultText {
  readonly text: string
  readonly callId: string
  /** Whose result it is, where the call is in the conversation. */
  readonly tool: ToolName | undefined
  /** Whether the model has not answered since. */
  readonly isNew: boolean
}

export function changeResults(
  turns: readonly Turn[],
  become: (result: ResultText) => string,
): readonly Turn[] {
  const tools = toolsByCall(turns)
  const answered = turns.findLastIndex(({ role }) => role === 'assistant')
  const changed = turns.map((turn, at) => {
    const parts = mapSame(turn.parts, (part): Part => {
      if (part.type !== 'tool-result') return part
      const { callId } = part
      const about = { callId, tool: tools.get(callId), isNew: at > answered }
      return changeResult(part, (text) => become({ ...about, text }))
    })
    return parts === turn.parts ? turn : { ...turn, parts }
  })
  return changed.some((turn, at) => turn !== turns[at]) ? changed : turns
}

function toolsByCall(turns: readonly Turn[]): ReadonlyMap<string, ToolName> {
  const tools = new Map<string, ToolName>()
  for (const { parts } of turns)
    for (const part of parts) if (part.type === 'tool-call') tools.set(part.id, part)
  return tools
}

function changeResult(result: ToolResultPart, become: (text: string) => string): ToolResultPart {
  const parts = mapSame(result.parts, (part) => {
    if (part.type === 'text') {
      const text = become(part.text)
      return text === part.text ? part : { ...part, text }
    }
    if (part.type !== 'document' || part.source.type !== 'text') return part
    const text = become(part.source.text)
    return text === part.source.text ? part : { ...part, source: { type: 'text' as const, text } }
  })
  return parts === result.parts ? result : { ...result, parts }
}

/** As `map`, but the same list where nothing became another. */
function mapSame<Item>(list: readonly Item[], become: (item: Item) => Item): readonly Item[] {
  const made = list.map(become)
  return made.some((item, at) => item !== list[at]) ? made : list
}
