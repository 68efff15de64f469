/**
 * Tools and the choice among them, as this wire has them: flat, and always with a word on `strict`, since
 * leaving it out means "try". Neighbours: `request-write.ts`; `request/schema-strict.ts` knows what can be strict.
 */
import type { JsonObject } from '../../base/json.ts'
import type { CallNames, ToolRef } from '../../request/call-names.ts'
import type { ModelRequest } from '../../request/request.ts'
import { isStrictSchema } from '../../request/schema-strict.ts'
import { toSchema } from '../../request/schema.ts'
import { createToolIndex, type ToolIndex } from '../../request/tool-index.ts'
import type { Tool, ToolChoice } from '../../request/tool.ts'
import type { Writing } from './request-write-parts.ts'

export interface ToolsWriting extends Writing {
  readonly names: CallNames
}

/** The fields of the body that speak of tools; none where there are no tools. */
export function writeTools(request: ModelRequest, writing: ToolsWriting): JsonObject {
  const { tools, isParallel } = request
  const written = tools.flatMap((tool) => writeTool(tool, writing))
  noteServerTools(request, writing)
  if (written.length === 0) return {}
  const choice = writeChoice(request.toolChoice, tools, writing)
  return {
    tools: written,
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(isParallel === undefined || !writing.profile.takesParallelFlag
      ? {}
      : { parallel_tool_calls: isParallel }),
  }
}

function writeTool(tool: Tool, writing: ToolsWriting): readonly JsonObject[] {
  if (tool.type === 'server') return []
  const name = writing.names.toTarget(tool)
  const described = tool.description === undefined ? {} : { description: tool.description }
  if (tool.type === 'custom')
    return [
      {
        type: 'custom',
        name,
        ...described,
        format:
          tool.grammar === undefined ? { type: 'text' } : { type: 'grammar', ...tool.grammar },
      },
    ]
  const clean = toSchema(tool.schema, writing.profile.schema)
  if (!clean.ok) {
    writing.notes.fail('tools', `Cannot send the tool "${tool.name}": ${clean.message}`)
    return []
  }
  const asked = tool.type === 'function' && tool.isStrict === true
  const strict = asked && isStrictSchema(clean.schema)
  if (asked && !strict) writing.losses.add('approximated', 'tools.strict')
  return [{ type: 'function', name, ...described, parameters: clean.schema, strict }]
}

/** A client that always brings them along must not fail for it; one that relies on them must know. */
function noteServerTools({ tools, toolChoice }: ModelRequest, { losses, notes }: Writing): void {
  const server = tools.filter((tool) => tool.type === 'server')
  for (const { name } of server) losses.add('dropped', `tools.${name}`)
  const [first] = server
  if (first === undefined) return
  if (server.length === tools.length && toolChoice?.type !== 'none')
    notes.fail(
      'tools',
      `Cannot run the tool "${first.name}": only its own provider does, so use a model of that provider or leave it out`,
      'unsupported',
    )
  if (toolChoice?.type === 'tool' && server.some((tool) => isSame(tool, toolChoice)))
    notes.fail(
      'tool_choice',
      `Cannot run the tool "${toolChoice.name}": only its own provider does, so choose another`,
      'unsupported',
    )
}

const isSame = (a: ToolRef, b: ToolRef): boolean => a.name === b.name && a.namespace === b.namespace

function writeChoice(
  choice: ToolChoice | undefined,
  tools: readonly Tool[],
  writing: ToolsWriting,
): unknown {
  switch (choice?.type) {
    case undefined:
      return undefined
    case 'auto':
    case 'none':
    case 'required':
      return choice.type
    case 'tool': {
      const found = writeRef(choice, toIndex(tools), writing)
      if (found === undefined)
        writing.notes.fail(
          'tool_choice',
          `Cannot choose the tool "${choice.name}": it is not one of the tools`,
        )
      return found
    }
    case 'allowed': {
      const index = toIndex(tools)
      const allowed = choice.tools.flatMap((ref) => writeRef(ref, index, writing) ?? [])
      if (allowed.length === 0) return 'none'
      const mode = choice.isRequired ? 'required' : 'auto'
      return { type: 'allowed_tools', mode, tools: allowed }
    }
  }
}

const toIndex = (tools: readonly Tool[]): ToolIndex<Tool> =>
  createToolIndex(tools.filter((tool) => tool.type !== 'server'))

function writeRef(
  ref: ToolRef,
  tools: ToolIndex<Tool>,
  { names }: ToolsWriting,
): JsonObject | undefined {
  const tool = tools.find(ref)
  if (tool === undefined) return undefined
  return { type: tool.type === 'custom' ? 'custom' : 'function', name: names.toTarget(tool) }
}
