/**
 * Tools of ours to `tools` and `tool_choice`. Every tool that a client runs becomes a plain one with a schema;
 * those that another provider runs are left out. Neighbours: `request-write.ts` asks, `format-schema.ts` knows
 * what is enforced. Knows no conversation.
 */
import { toText, type JsonObject } from '../../base/json.ts'
import type { ToolRef } from '../../request/call-names.ts'
import { toSchema } from '../../request/schema.ts'
import { createToolIndex } from '../../request/tool-index.ts'
import type { Tool, ToolChoice } from '../../request/tool.ts'
import { toFormatSchema } from './format-schema.ts'
import type { Draft } from './request-draft.ts'
import { markOf } from './request-marks.ts'
import { toObjectSchema } from './vendor-tools.ts'

export interface WrittenTools {
  readonly tools: readonly JsonObject[]
  readonly choice: JsonObject | undefined
  /** Whether the model must call something: not every model can think then. */
  readonly isForced: boolean
}

export function writeTools(draft: Draft): WrittenTools {
  const { request, problems } = draft
  noteServerTools(draft)
  const isAllowed = toAllowed(request.toolChoice)
  const tools = request.tools.flatMap((tool, i) =>
    tool.type === 'server' || !isAllowed(tool) ? [] : [{ tool, i }],
  )
  const written = tools
    .map(({ tool, i }) => writeTool(tool, `tools[${i}]`, draft))
    .filter((tool) => tool !== undefined)
  if (written.length === 0 && request.toolChoice?.type === 'allowed')
    problems.refuse('tool_choice', 'Allow a tool that this upstream has')
  const choice = written.length === 0 ? undefined : writeChoice(draft)
  return {
    tools: written,
    choice,
    isForced: choice !== undefined && choice['type'] !== 'auto' && choice['type'] !== 'none',
  }
}

/** A standing set of tools may lose some; one that was asked for by name, or is all there is, may not. */
function noteServerTools({ request, problems, losses }: Draft): void {
  const { tools, toolChoice } = request
  const isOnly = toolChoice?.type !== 'none' && tools.every(({ type }) => type === 'server')
  tools.forEach((tool, i) => {
    if (tool.type !== 'server') return
    if (isOnly || isForcing(toolChoice, tool))
      problems.refuse(
        `tools[${i}]`,
        `Leave out "${tool.kind}" or use an upstream that runs it: this one cannot`,
      )
    else losses.add('dropped', `tools.${tool.kind}`)
  })
}

const isForcing = (choice: ToolChoice | undefined, tool: Tool): boolean =>
  choice?.type === 'tool' && (choice.name === tool.name || isKind(choice.name, tool))

const isKind = (name: string, tool: Tool): boolean => tool.type === 'server' && tool.kind === name

function toAllowed(choice: ToolChoice | undefined): (tool: Tool) => boolean {
  if (choice?.type !== 'allowed') return () => true
  const allowed = createToolIndex(choice.tools)
  return (tool) => allowed.find(tool) !== undefined
}

function writeTool(
  tool: Exclude<Tool, { type: 'server' }>,
  path: string,
  draft: Draft,
): JsonObject | undefined {
  const schema = writeSchema(tool, path, draft)
  if (schema === undefined) return undefined
  const description = describe(tool, draft)
  return {
    name: draft.names.toTarget(tool),
    ...(description === undefined ? {} : { description }),
    input_schema: schema,
    ...(isStrict(tool) ? { strict: true } : {}),
    ...markOf(tool.cache, draft.profile),
  }
}

const isStrict = (tool: Tool): boolean => tool.type === 'function' && tool.isStrict === true

/** Free text has no place here: it becomes the one string of an object. */
const FREE_TEXT: JsonObject = {
  ...toObjectSchema({ input: { type: 'string' } }),
  additionalProperties: false,
}

function writeSchema(
  tool: Exclude<Tool, { type: 'server' }>,
  path: string,
  { problems, profile }: Draft,
): JsonObject | undefined {
  if (tool.type === 'custom') return FREE_TEXT
  const clean = toSchema(tool.schema, profile.schema)
  const enforced = clean.ok && isStrict(tool) ? toFormatSchema(clean.schema) : clean
  if (enforced.ok) return enforced.schema
  problems.refuse(path, `Change the schema of the tool "${tool.name}": ${enforced.message}`)
  return undefined
}

function describe(tool: Tool, { losses }: Draft): string | undefined {
  if (tool.type !== 'custom' || tool.grammar === undefined) return toText(tool.description)
  losses.add('approximated', `tools.${tool.name}`)
  const { syntax, definition } = tool.grammar
  const rule = `The input must follow this ${syntax} grammar:\n${definition}`
  return tool.description === undefined ? rule : `${tool.description}\n\n${rule}`
}

function writeChoice(draft: Draft): JsonObject | undefined {
  const { toolChoice, isParallel } = draft.request
  const serial = isParallel === false ? { disable_parallel_tool_use: true } : {}
  switch (toolChoice?.type) {
    case undefined:
      // Saying nothing means the same; but "one at a time" needs a place to stand.
      return isParallel === false ? { type: 'auto', ...serial } : undefined
    case 'auto':
      return { type: 'auto', ...serial }
    case 'required':
      return { type: 'any', ...serial }
    case 'none':
      return { type: 'none' }
    case 'tool':
      return { type: 'tool', name: nameOf(toolChoice, draft), ...serial }
    case 'allowed':
      return { type: toolChoice.isRequired ? 'any' : 'auto', ...serial }
  }
}

/** The tool that is meant, also where only its bare name was said. */
function nameOf(choice: ToolRef, { request, names, problems }: Draft): string {
  const named = request.tools.filter((tool) => tool.type !== 'server' && tool.name === choice.name)
  const tool = named.find(({ namespace }) => namespace === choice.namespace) ?? named[0]
  if (tool === undefined)
    problems.add('tool_choice', `Name one of the tools: there is none called "${choice.name}"`)
  return names.toTarget(tool ?? choice)
}
