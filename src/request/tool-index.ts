/**
 * Tools by what a choice calls them: name and namespace. A list of allowed tools may be as long as the list of
 * tools, and looking one up in the other each time would be quadratic. Neighbours: each wire's `request-*tools*.ts`.
 */
import type { ToolRef } from './call-names.ts'

export interface ToolIndex<One> {
  /** The first that goes by that name, in that namespace or in none. */
  find(ref: ToolRef): One | undefined
}

export function createToolIndex<One extends ToolRef>(tools: readonly One[]): ToolIndex<One> {
  const found = new Map<string, One>()
  for (const tool of tools) {
    const key = toKey(tool)
    if (!found.has(key)) found.set(key, tool)
  }
  return { find: (ref) => found.get(toKey(ref)) }
}

const toKey = ({ name, namespace }: ToolRef): string => JSON.stringify([name, namespace])
