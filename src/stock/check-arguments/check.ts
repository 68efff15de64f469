/**
 * The arguments of a call against the schema that its client declared -> what is wrong, in a sentence. Neighbours:
 * `validate.ts` does the looking; the engine asks for arguments that a policy rewrote, approvals for those that a
 * person did, `check-arguments.ts` for those of a model.
 */
import { isObject, type JsonObject } from '../../base/json.ts'
import { isNestedDeeper, MAX_NESTING } from '../../base/nesting.ts'
import type { Tool } from '../../request/tool.ts'
import { createPatterns } from './patterns.ts'
import { toSentence, typeOf, type Problem } from './problem.ts'
import { validate } from './validate.ts'

export type CallArguments = Readonly<Record<string, unknown>> | string

export interface ArgumentCheck {
  /** What is wrong with the arguments, in a sentence; `undefined` when nothing is. */
  check(tool: Tool, args: CallArguments): string | undefined
  /** Each thing that is wrong with an object. */
  problems(schema: JsonObject | undefined, args: JsonObject): readonly Problem[]
}

/** Keeps the patterns that it compiled; nothing of any call. */
export function createArgumentCheck(): ArgumentCheck {
  const patterns = createPatterns()

  function problems(schema: JsonObject | undefined, args: JsonObject): readonly Problem[] {
    if (isNestedDeeper(args, MAX_NESTING))
      return [{ path: [], kind: 'unchecked', message: () => 'nested too deep', schema: {} }]
    return schema === undefined ? [] : validate(schema, args, patterns)
  }

  return {
    problems,
    check(tool, args) {
      if (tool.type === 'custom') {
        if (typeof args !== 'string') return `expected text, got ${typeOf(args)}`
        return args.trim() === '' ? 'the text is empty' : undefined
      }
      if (!isObject(args)) return `expected object, got ${typeOf(args)}`
      const found = problems(schemaOf(tool), args)
      return found.length === 0 ? undefined : toSentences(found)
    },
  }
}

/** The client's own schema. Those of vendors' tools are ours, for models that do not know the tool. */
export const schemaOf = (tool: Tool): JsonObject | undefined =>
  tool.type === 'function' ? tool.schema : undefined

const MAX_TOLD = 5
const MAX_CHARS = 1000

/** The first few, in one line. */
export function toSentences(problems: readonly Problem[]): string {
  const told = [...new Set(problems.slice(0, MAX_TOLD).map(toSentence))].join('; ')
  const more = problems.length - MAX_TOLD
  const text = more > 0 ? `${told}; and ${more} more` : told
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text
}

const shared = createArgumentCheck()

/** What is wrong with the arguments for that tool, in a sentence for a model; `undefined` when nothing is. */
export const checkArguments = (tool: Tool, args: CallArguments): string | undefined =>
  shared.check(tool, args)
