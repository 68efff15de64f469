/**
 * Whether what a person said can be done. Neighbours: `desk.ts`. What is wrong comes back as a sentence that says
 * what to do.
 */
import { isObject } from '../base/json.ts'
import { isNestedDeeper, MAX_NESTING } from '../base/nesting.ts'
import type { Tool } from '../request/tool.ts'
import type { Asked } from './asked.ts'
import type { Answer } from './ticket.ts'

/** A sentence when the tool does not take these arguments. */
export type CheckArguments = (
  tool: Tool,
  args: Readonly<Record<string, unknown>> | string,
) => string | undefined

export function checkAnswer(
  { type, args }: Answer,
  { block, tool }: Asked,
  checkArguments: CheckArguments = () => undefined,
): string | undefined {
  if (type !== 'edit') return undefined
  if (args === undefined) return 'An edit needs "args": what the call is made with instead'
  if (block.type !== 'tool-call') return 'Only a tool call can be edited: pass or deny this'
  const isFreeText = block.dialect === 'custom'
  if (isFreeText !== (typeof args === 'string'))
    return isFreeText
      ? 'This tool takes free text: send "args" as a string'
      : 'This tool takes JSON: send "args" as an object'
  if (!isFreeText && !isObject(args)) return 'This tool takes JSON: send "args" as an object'
  if (isNestedDeeper(args, MAX_NESTING)) return 'These arguments are nested too deep'
  return tool === undefined ? undefined : checkArguments(tool, args)
}
