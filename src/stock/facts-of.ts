/**
 * What a held call would do: the commands it runs and the files it touches, with the workspace that its request tells.
 * Neighbours: `facts/read-facts.ts` finds it out; `limit/files.ts` and policies of people's own ask.
 */
import type { BlockOf } from '../event/block.ts'
import type { CallFacts } from '../facts/facts.ts'
import { findWorkspace, readFacts } from '../facts/read-facts.ts'
import type { PolicyContext, PolicyRequest } from '../policy/policy.ts'

/** What that call would do: `shell` and `files`, the same for the tools of all clients. */
export const factsOf = (
  block: BlockOf<'tool-call'>,
  { request }: Pick<PolicyContext, 'request'>,
): CallFacts =>
  readFacts(
    {
      name: block.name,
      namespace: block.namespace,
      dialect: block.dialect,
      args: block.args(),
      arguments: block.arguments,
    },
    { workspace: workspaceOf(request) },
  )

/** The same for the whole request, and found in all of it. */
const workspaces = new WeakMap<PolicyRequest, { readonly path: string | undefined }>()

function workspaceOf(request: PolicyRequest): string | undefined {
  const known = workspaces.get(request)
  if (known !== undefined) return known.path
  const path = findWorkspace({ system: request.system(), turns: request.turns() })
  workspaces.set(request, { path })
  return path
}
