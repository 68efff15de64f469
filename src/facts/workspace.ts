/**
 * A request → the folder that the agent works in, as its client tells the model: Claude Code, Codex, opencode, qwen,
 * gemini, pi and others say it in the system prompt or in the first turns. Neighbours: `read-facts.ts` takes it.
 */
import type { TextPart } from '../request/part.ts'
import type { Turn } from '../request/request.ts'

/** Turns that are looked into: clients say it at the start, and Claude Code in a turn of its own behind it. */
const MAX_TURNS = 6
/** Of one text: from its start, and from its end. */
const MAX_TEXT = 64 * 1024

export function findWorkspace(request: {
  readonly system: readonly TextPart[]
  readonly turns: readonly Turn[]
}): string | undefined {
  for (const { text } of request.system) {
    const found = findIn(text)
    if (found !== undefined) return found
  }
  for (const turn of request.turns.slice(0, MAX_TURNS)) {
    // What the model itself wrote is not to be believed, nor what a tool gave back.
    if (turn.role === 'assistant') continue
    for (const part of turn.parts) {
      const found = part.type === 'text' ? findIn(part.text) : undefined
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** What clients write before the path; the surest first. */
const LABELS: readonly RegExp[] = [
  /<cwd>/g, // Codex
  /primary working directory:/gi, // Claude Code
  /current working directory:/gi, // pi
  /current (?:working|workspace) directory \(/gi, // Cline, Roo
  /working directory:/gi, // Claude Code, opencode
  /I'm currently working in the (?:directory|following directories):/g, // gemini, qwen
  /workspace (?:root folder|path):/gi, // opencode, Cursor
  /<working_directory>/g,
]

function findIn(text: string): string | undefined {
  const looked =
    text.length <= 2 * MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}\n${text.slice(-MAX_TEXT)}`
  for (const label of LABELS) {
    for (const { index, 0: found } of looked.matchAll(label)) {
      const path = readPath(looked, index + found.length)
      if (path !== undefined) return path
    }
  }
  return undefined
}

/** An absolute path behind the label, on its line or the next, up to where it ends. */
function readPath(text: string, start: number): string | undefined {
  const rest = text.slice(start, start + 2000)
  const line = /^[\s\-*`"']*((?:\/|~\/|[A-Za-z]:[\\/])[^\n<`"')]*)/.exec(rest)?.[1]
  const path = line?.trim().replace(/[.,;]$/, '') ?? ''
  return path === '' || path.length > 1000 ? undefined : path
}
