/**
 * What a client asked the demo for, the same for all wires. Neighbours: `read-messages.ts`,
 * `read-chat.ts` and `read-responses.ts` make it from a body, `scripts.ts` answers it. Knows no wire's JSON.
 */
import { isObject, toList, type JsonObject } from '../../base/json.ts'
import type { WireName } from '../../event/event.ts'
import type { DemoTool } from './tools.ts'

/** One thing in the history. `said` stands for whatever the model said that is no call. */
export type Turn = Readonly<
  | { type: 'user'; text: string }
  | { type: 'said' }
  | { type: 'call' }
  | { type: 'result'; text: string; isError: boolean }
>

export type ToolChoice = Readonly<
  { type: 'auto' } | { type: 'none' } | { type: 'required' } | { type: 'named'; name: string }
>

/** What a body says, as far as the scripts care. */
export interface ReadBody {
  readonly model: string
  readonly isStream: boolean
  /** Chat: whether a usage chunk was asked for. */
  readonly includeUsage: boolean
  /** Responses: whether reasoning is to come sealed as well. */
  readonly wantsSeal: boolean
  readonly turns: readonly Turn[]
  readonly system: string
  readonly tools: readonly DemoTool[]
  readonly toolChoice: ToolChoice
  readonly isParallel: boolean
  /** The form that the answer must have: a JSON schema, or `{}` for any JSON object. */
  readonly format: JsonObject | undefined
  /** The body's own fields that are input to the model: what usage is counted from. */
  readonly input: readonly unknown[]
}

/** What is wrong with a body, as a sentence for its sender. */
export interface Problem {
  readonly problem: string
}

export interface Asked extends ReadBody {
  readonly wire: WireName
  /** The last words of the user. Empty when the request has none. */
  readonly prompt: string
  /** The tool results that the request ends with. */
  readonly results: readonly Extract<Turn, { type: 'result' }>[]
  /** How many calls were made since the prompt. */
  readonly callCount: number
  readonly inputTokens: number
}

export function toAsked(wire: WireName, body: ReadBody): Asked {
  // A message that only holds what an agent wrapped into tags, or tool results, is no prompt.
  const turns = body.turns.filter((turn) => turn.type !== 'user' || turn.text !== '')
  const promptAt = turns.findLastIndex((turn) => turn.type === 'user')
  const prompt = turns[promptAt]
  return {
    ...body,
    wire,
    prompt: prompt?.type === 'user' ? prompt.text : '',
    results: lastResults(turns),
    callCount: turns.slice(promptAt + 1).filter((turn) => turn.type === 'call').length,
    inputTokens: toTokens(countChars(body.input)),
  }
}

/** Some clients put each result behind its call, so calls are walked over. */
function lastResults(turns: readonly Turn[]): Asked['results'] {
  if (turns.at(-1)?.type !== 'result') return []
  const from = turns.findLastIndex((turn) => turn.type === 'user' || turn.type === 'said')
  return turns.slice(from + 1).filter((turn) => turn.type === 'result')
}

/** The rule of all counts here: four characters are a token. */
export const toTokens = (chars: number): number => Math.ceil(chars / 4)

/** The characters of all texts and names. With a list and not by recursion: a body may be nested deep. */
function countChars(input: readonly unknown[]): number {
  const left = [...input]
  let chars = 0
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string') chars += value.length
    else if (Array.isArray(value)) for (const item of toList(value)) left.push(item)
    else if (isObject(value)) {
      chars += Object.keys(value).join('').length
      left.push(Object.values(value))
    } else chars += 1
  }
  return chars
}
