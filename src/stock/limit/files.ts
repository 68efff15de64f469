/**
 * Which files a call would touch. Neighbours: `facts/read-facts.ts` finds them out, `call-limit.ts` counts them.
 */
import { findWorkspace, readFacts } from '../../facts/read-facts.ts'
import type { BlockOf } from '../../event/block.ts'
import type { PolicyContext, PolicyRequest } from '../../policy/policy.ts'

export interface TouchedFiles {
  readonly touched: readonly string[]
  /** Deleted ones included. */
  readonly written: readonly string[]
}

/** The same for the whole request, and found in all of it. */
const workspaces = new WeakMap<PolicyRequest, { readonly path: string | undefined }>()

export function filesOf(block: BlockOf<'tool-call'>, { request }: PolicyContext): TouchedFiles {
  const workspace = workspaceOf(request)
  const { files } = readFacts(
    {
      name: block.name,
      namespace: block.namespace,
      dialect: block.dialect,
      args: block.args(),
      arguments: block.arguments,
    },
    { workspace },
  )
  const written = [...files.written, ...files.deleted]
  return { touched: [...files.read, ...written], written }
}

function workspaceOf(request: PolicyRequest): string | undefined {
  const known = workspaces.get(request)
  if (known !== undefined) return known.path
  const path = findWorkspace({ system: request.system(), turns: request.turns() })
  workspaces.set(request, { path })
  return path
}
