/**
 * Tools and the choice among them as a Chat server takes them. Neighbours: `request-write.ts`;
 * `request-read-tools.ts` goes the other way. All that a server may not know becomes a function: the answer's
 * calls are read back by the names (`request/call-names.ts`).
 */
import type { JsonObject } from '../../base/json.ts'
import type { ToolRef } from '../../request/call-names.ts'
import { isStrictSchema } from '../../request/schema-strict.ts'
import { toSchema } from '../../request/schema.ts'
import { createToolIndex } from '../../request/tool-index.ts'
import type { Tool, ToolChoice } from '../../request/tool.ts'
import { withoutUndefined } from './request-fields.ts'
import type { Writing } from './request-writing.ts'

type OwnTool = Exclude<Tool, { type: 'server' }>

/** `tools`, `tool_choice` and `parallel_tool_calls`; none of them where there is no tool. */
export function writeTools(writing: Writing): JsonObject {
  const { request, profile, losses, spelling } = writing
  const own = request.tools.filter((tool) => tool.type !== 'server')
  leaveServerTools(writing, own)
  const choice = request.toolChoice
  const isNative = profile.vendor === 'openai' || profile.vendor === 'azure'
  const tools = choice?.type === 'allowed' && !isNative ? amongAllowed(own, choice) : own
  if (tools.length === 0) return {}
  const isParallel = request.isParallel
  if (isParallel === false && !profile.takesParallelFlag) losses.add('dropped', spelling.parallel)
  return withoutUndefined({
    tools: tools.map((tool) => toTool(tool, writing)),
    tool_choice: choice === undefined ? undefined : toChoice(choice, own, writing),
    parallel_tool_calls: profile.takesParallelFlag ? isParallel : undefined,
  })
}

type Allowed = Extract<ToolChoice, { type: 'allowed' }>

function amongAllowed(tools: readonly OwnTool[], choice: Allowed): readonly OwnTool[] {
  const allowed = createToolIndex(choice.tools)
  return tools.filter((tool) => allowed.find(tool) !== undefined)
}

const isSame = (one: ToolRef, other: ToolRef): boolean =>
  one.name === other.name && one.namespace === other.namespace

const toFullName = ({ name, namespace }: ToolRef): string =>
  namespace === undefined ? name : `${namespace}.${name}`

/** Agents declare them on every request; they are missed only where nothing else is there, or they are forced. */
function leaveServerTools({ request, losses, problems }: Writing, own: readonly OwnTool[]): void {
  const choice = request.toolChoice
  for (const tool of request.tools) {
    if (tool.type !== 'server') continue
    losses.add('dropped', `tools.${tool.kind}`)
    const isForced = choice?.type === 'tool' && isSame(choice, tool)
    const isOnly = own.length === 0 && choice?.type !== 'none'
    if (isForced || isOnly)
      problems.add(
        isForced ? 'tool_choice' : 'tools',
        `Leave the tool "${tool.kind}" out, or choose an upstream of its own vendor: only that can run it`,
        'unsupported',
      )
  }
}

function toTool(tool: OwnTool, writing: Writing): JsonObject {
  const { profile, names, losses } = writing
  const name = names.toTarget(tool)
  const { description } = tool
  switch (tool.type) {
    case 'function':
      return toFunction(tool, name, writing)
    case 'vendor':
      return {
        type: 'function',
        function: withoutUndefined({ name, description, parameters: toParameters(tool, writing) }),
      }
    case 'custom': {
      const { grammar } = tool
      if (profile.takesCustomTools) {
        const format = grammar && { type: 'grammar', grammar }
        return { type: 'custom', custom: withoutUndefined({ name, description, format }) }
      }
      if (grammar !== undefined) losses.add('approximated', `tools.${tool.name}`)
      const parameters = toParameters({ name: tool.name, schema: FREE_TEXT }, writing)
      return { type: 'function', function: { name, description: describeCustom(tool), parameters } }
    }
  }
}

/** Free text as the one string of an object. */
const FREE_TEXT: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

function describeCustom({ description, grammar }: Extract<Tool, { type: 'custom' }>): string {
  const rule =
    grammar &&
    `The text of "input" must follow this ${grammar.syntax} grammar:\n${grammar.definition}`
  return [description, rule].filter((text) => text !== undefined).join('\n\n')
}

function toFunction(
  tool: Extract<Tool, { type: 'function' }>,
  name: string,
  writing: Writing,
): JsonObject {
  const parameters = toParameters(tool, writing)
  // Left out, it means "try" on Responses and "no" here.
  const wanted =
    tool.isStrict ?? (writing.request.source.wire === 'openai-responses' ? false : undefined)
  const strict = wanted === true ? isStrictSchema(parameters) : wanted
  if (strict !== wanted) writing.losses.add('approximated', `tools.${tool.name}.strict`)
  const { description } = tool
  return {
    type: 'function',
    function: withoutUndefined({ name, description, parameters, strict }),
  }
}

function toParameters(
  tool: Pick<Extract<Tool, { type: 'function' }>, 'name' | 'schema'>,
  { profile, problems, losses }: Writing,
): JsonObject {
  const clean = toSchema(tool.schema, profile.schema)
  if (!clean.ok) {
    problems.add('tools', `Change the schema of "${tool.name}": ${clean.message}`, 'unsupported')
    return {}
  }
  if (clean.isChanged) losses.add('approximated', `tools.${tool.name}`)
  // Refused without properties, also where it takes none.
  const isBare = clean.schema['type'] === 'object' && clean.schema['properties'] === undefined
  return isBare ? { ...clean.schema, properties: {} } : clean.schema
}

function toChoice(
  choice: ToolChoice,
  tools: readonly OwnTool[],
  writing: Writing,
): string | JsonObject | undefined {
  switch (choice.type) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.type
    case 'tool': {
      const tool = tools.find((one) => isSame(one, choice))
      if (tool !== undefined) return toNamed(tool, writing)
      writing.problems.add(
        'tool_choice',
        `Declare the tool "${toFullName(choice)}" in "tools", or choose another`,
      )
      return undefined
    }
    case 'allowed': {
      const mode = choice.isRequired ? 'required' : 'auto'
      const allowed = amongAllowed(tools, choice)
      const { vendor } = writing.profile
      if (vendor !== 'openai' && vendor !== 'azure') return mode
      if (allowed.length === 0) return 'none'
      return {
        type: 'allowed_tools',
        allowed_tools: { mode, tools: allowed.map((tool) => toNamed(tool, writing)) },
      }
    }
  }
}

function toNamed(tool: OwnTool, { names, profile }: Writing): JsonObject {
  const name = names.toTarget(tool)
  return tool.type === 'custom' && profile.takesCustomTools
    ? { type: 'custom', custom: { name } }
    : { type: 'function', function: { name } }
}
