/**
 * What a client's tool gave back: output items to tool results. Neighbours: `request-items.ts` finds the
 * call that an output answers. Each built-in tool has a form of its own; in words they all look alike.
 */
import { isObject, toList, toText, type JsonObject } from '../../base/json.ts'
import type { ToolDialect } from '../../event/block.ts'
import type { ToolResultPart } from '../../request/part.ts'
import { readContent } from './request-parts.ts'
import type { Notes } from './request-notes.ts'

/**
 * This wire has no flag for a tool that failed, so its text begins so. Read back as a flag, and the words stay:
 * nobody can tell whether we put them there or the tool itself.
 */
export const ERROR_PREFIX = 'Error: '

const OUTPUTS: Readonly<Record<string, ToolDialect>> = {
  function_call_output: 'function',
  custom_tool_call_output: 'custom',
  local_shell_call_output: 'local-shell',
  shell_call_output: 'shell',
  apply_patch_call_output: 'apply-patch',
  computer_call_output: 'computer',
}

/** The dialect of the call that an item of that type answers, if it is such an item. */
export const outputDialect = (type: string): ToolDialect | undefined =>
  Object.hasOwn(OUTPUTS, type) ? OUTPUTS[type] : undefined

type Said = Pick<ToolResultPart, 'parts' | 'isError'>

export function readOutput(item: JsonObject, path: string, notes: Notes): Said {
  const { output } = item
  switch (item['type']) {
    case 'shell_call_output':
      return readShell(output)
    case 'apply_patch_call_output':
      return { parts: toTextParts(toText(output) ?? ''), isError: item['status'] === 'failed' }
    case 'computer_call_output':
      return readParts(isObject(output) ? [output] : output, path, notes)
    default:
      return readParts(output, path, notes)
  }
}

function readParts(output: unknown, path: string, notes: Notes): Said {
  // Some clients hand over what the tool returned as it is.
  const content = isObject(output) ? JSON.stringify(output) : output
  const parts: ToolResultPart['parts'][number][] = []
  for (const part of readContent(content === '' ? [] : content, `${path}.output`, notes)) {
    if (part.type === 'refusal') parts.push({ type: 'text', text: part.text })
    else if (part.type === 'audio')
      notes.fail(`${path}.output`, 'Cannot take audio from a tool: send its words')
    else parts.push(part)
  }
  const [first] = parts
  return { parts, isError: first?.type === 'text' && first.text.startsWith(ERROR_PREFIX) }
}

/** One entry for each command that was run. */
function readShell(output: unknown): Said {
  if (typeof output === 'string') return { parts: toTextParts(output), isError: false }
  const runs = toList(output).filter((run) => isObject(run))
  const texts = runs.map((run) =>
    [toText(run['stdout']), toText(run['stderr']), outcomeOf(run['outcome'])]
      .filter((text) => text !== undefined)
      .join('\n'),
  )
  return { parts: toTextParts(texts.join('\n\n')), isError: false }
}

function outcomeOf(outcome: unknown): string | undefined {
  if (!isObject(outcome)) return undefined
  if (outcome['type'] === 'timeout') return 'The command timed out'
  const code = outcome['exit_code']
  return typeof code === 'number' ? `Exit code: ${code}` : undefined
}

const toTextParts = (text: string): ToolResultPart['parts'] =>
  text === '' ? [] : [{ type: 'text', text }]
