/**
 * Plans that call tools: one or several, a dangerous one, the next of a loop, or those that the prompt
 * spells out. Each gives `undefined` when there is nothing to call, so that a text is said instead; that is
 * so whenever the request ends with tool results, and so every agent's loop comes to an end.
 * Neighbours: `scripts.ts` asks, `tool-choice.ts` and `tool-arguments.ts` fill in.
 */
import { parseObject, toText } from '../../base/json.ts'
import type { Asked } from './asked.ts'
import type { AnswerPlan, PlannedCall } from './plan.ts'
import { DANGEROUS, ONE_CALL, SEVERAL_CALLS, stepText } from './texts.ts'
import { DANGEROUS_COMMAND, toArguments, toMatter } from './tool-arguments.ts'
import { findTool, pickTool, shellOf } from './tool-choice.ts'
import { SHELL_TOOL, WEATHER_TOOL, type DemoTool } from './tools.ts'
import type { Words } from './words.ts'

/** So many calls of the tool that fits best. */
export function planCalls(asked: Asked, words: Words, count: number): AnswerPlan | undefined {
  if (asked.results.length > 0) return undefined
  const tool = toolOf(asked, words)
  const spelled = words.commands.length > 1 && count > 1 ? words.commands.length : count
  const calls = Array.from({ length: spelled }, (_, place) => ({
    tool,
    text: toArguments(tool, toMatter(words, place)),
  }))
  return call(asked, spelled > 1 ? SEVERAL_CALLS : ONE_CALL, calls)
}

/** A call that a policy should stop. */
export function planDangerous(asked: Asked, words: Words): AnswerPlan | undefined {
  if (asked.results.length > 0) return undefined
  const tool = shellOf(asked.tools) ?? pickTool(asked.tools, words, asked.toolChoice) ?? SHELL_TOOL
  const command = words.commands[0] ?? DANGEROUS_COMMAND
  // A tool that has no place for a command gets it as whatever text it takes.
  const matter = { ...toMatter(words, 0), command, text: command }
  return call(asked, DANGEROUS, [{ tool, text: toArguments(tool, matter) }])
}

/** The next call of a loop, until so many were made. */
export function planLoop(asked: Asked, words: Words, steps: number): AnswerPlan | undefined {
  const { callCount, prompt, results } = asked
  // A request that continues a stored one does not show how far the loop is: it ends here.
  const isBlind = prompt === '' && results.length > 0
  if (isBlind || callCount >= steps) return undefined
  const tool = toolOf(asked, words)
  const text = toArguments(tool, toMatter(words, callCount))
  return call(asked, stepText(callCount + 1, steps), [{ tool, text }])
}

/** The calls that the prompt spells out, word for word. */
export function planSpelled(asked: Asked, words: Words): AnswerPlan | undefined {
  if (asked.results.length > 0 || words.calls.length === 0) return undefined
  const calls = words.calls.flatMap(({ name, text }): PlannedCall[] => {
    const declared = findTool(asked.tools, name)
    if (declared === undefined && asked.tools.length > 0) return []
    const tool: DemoTool = declared ?? { name, kind: 'function', schema: {} }
    const args = parseObject(text)
    if (tool.kind === 'custom') return [{ tool, text: toText(args?.['input']) ?? text }]
    return args === undefined || isDeep(text) ? [] : [{ tool, text }]
  })
  return calls.length === 0
    ? undefined
    : call(asked, calls.length > 1 ? SEVERAL_CALLS : ONE_CALL, calls)
}

function call(asked: Asked, text: string, calls: readonly PlannedCall[]): AnswerPlan | undefined {
  if (asked.toolChoice.type === 'none') return undefined
  return {
    type: 'answer',
    text,
    calls: asked.isParallel ? calls : calls.slice(0, 1),
    finish: 'tool-calls',
    ending: 'finish',
  }
}

const toolOf = ({ tools, toolChoice }: Asked, words: Words): DemoTool =>
  pickTool(tools, words, toolChoice) ?? WEATHER_TOOL

const MAX_OPEN = 100

/** Whether JSON is nested deeper than it can be written again. Counts braces in texts too, which is strict enough. */
function isDeep(text: string): boolean {
  let open = 0
  for (const char of text) {
    if (char === '{' || char === '[') open += 1
    else if (char === '}' || char === ']') open -= 1
    if (open > MAX_OPEN) return true
  }
  return false
}
