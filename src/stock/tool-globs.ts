/**
 * Which tools a setting is about: names with stars. Neighbours: the policies that count, scan or let tools be. Linear:
 * no pattern of a person's becomes a regex. Imports nothing but how sets and names are joined.
 */
import { fullName } from '../event/block.ts'

export interface ToolName {
  readonly name: string
  readonly namespace?: string | undefined
}

/** Whether a tool is one of these. A tool in a set goes by its name and by `set__name`. */
export type ToolFilter = (tool: ToolName) => boolean

/** A filter of names with stars; nothing given: all tools. */
export function toToolFilter(globs: readonly string[] | undefined): ToolFilter {
  if (globs === undefined || globs.includes('*')) return () => true
  const exact = new Set(globs.filter((glob) => !glob.includes('*')))
  const starred = globs.filter((glob) => glob.includes('*')).map((glob) => glob.split('*'))
  const takes = (name: string): boolean =>
    exact.has(name) || starred.some((pieces) => fits(pieces, name))
  return (tool) => takes(tool.name) || (tool.namespace !== undefined && takes(fullName(tool)))
}

/** Whether the pieces stand in that name in order, the first at its start and the last at its end. */
function fits(pieces: readonly string[], name: string): boolean {
  const first = pieces[0] ?? ''
  const last = pieces.at(-1) ?? ''
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
