/**
 * What was asked to what is answered: the table of scripts by model name, and the one that answers by the
 * words of the prompt. Neighbours: `asked.ts` comes in, a `plan.ts` goes out, `calls.ts` plans tool calls.
 * `docs/reference/demo.md` is this file in words.
 */
import type { Asked } from './asked.ts'
import { planCalls, planDangerous, planLoop, planSpelled } from './calls.ts'
import { sayText, type AnswerPlan, type FaultPlan, type Plan } from './plan.ts'
import { fillSchema } from './schema-filler.ts'
import {
  BROKEN,
  CUT_OFF,
  GREETING,
  longText,
  PLAIN,
  REFUSAL,
  resultText,
  SLOW,
  THINKING,
  TITLE,
} from './texts.ts'
import { asksForDoing, shellOf } from './tool-choice.ts'
import { readWords, type Words } from './words.ts'

type Script = (asked: Asked, words: Words) => Plan

const SLOWLY = { first: 2000, pace: 1000 } as const
const DEFAULT_STEPS = 3
const MANY = 20

/** The scripts, by the name of the model that asks for them. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  'demo-text': (asked) => say(asked, PLAIN),
  'demo-thinking': (asked) => ({ ...say(asked, PLAIN), thinking: THINKING }),
  'demo-tool': (asked, words) => planCalls(asked, words, 1) ?? say(asked, PLAIN),
  'demo-tools': (asked, words) => planCalls(asked, words, DEFAULT_STEPS) ?? say(asked, PLAIN),
  'demo-many': (asked, words) => planCalls(asked, words, MANY) ?? say(asked, PLAIN),
  'demo-dangerous': (asked, words) => planDangerous(asked, words) ?? say(asked, PLAIN),
  'demo-loop': (asked, words) =>
    planLoop(asked, words, words.steps ?? DEFAULT_STEPS) ?? say(asked, PLAIN),
  'demo-refusal': () => ({ ...sayNothing, refusal: REFUSAL }),
  'demo-length': () => ({ ...sayText(CUT_OFF), finish: 'length' }),
  'demo-error': () => fault('overloaded'),
  'demo-rate-limit': () => fault('rate-limit'),
  'demo-context': () => fault('context-too-long'),
  'demo-auth': () => fault('authentication'),
  'demo-break': () => ({ ...sayText(BROKEN), ending: 'error' }),
  'demo-cut': () => ({ ...sayText(BROKEN), ending: 'cut' }),
  'demo-eof': () => ({ ...sayText(BROKEN), ending: 'eof' }),
  'demo-slow': () => ({ ...sayText(SLOW), timing: SLOWLY }),
  'demo-long': () => sayText(longText()),
}

/** Words of a prompt that stand for a script, the first that occurs wins. Any script's own name does too. */
const WORDS: readonly (readonly [word: string, script: string])[] = [
  ['dangerous', 'demo-dangerous'],
  ['refuse', 'demo-refusal'],
  ['refusal', 'demo-refusal'],
  ['error', 'demo-error'],
  ['overloaded', 'demo-error'],
  ['rate-limit', 'demo-rate-limit'],
  ['mid-stream', 'demo-break'],
  ['truncated', 'demo-length'],
  ['long', 'demo-long'],
  ['loop', 'demo-loop'],
  ['parallel', 'demo-tools'],
  ['tools', 'demo-tools'],
  ['tool', 'demo-tool'],
]

/** Scripts that call a tool even where the client declared none. */
const EXPLICIT: readonly string[] = ['demo-dangerous', 'demo-tools', 'demo-tool']

export function choosePlan(asked: Asked): Plan {
  const words = readWords(asked.prompt)
  const script = SCRIPTS[scriptOf(asked.model)]
  return script === undefined ? planByPrompt(asked, words) : script(asked, words)
}

/** Gateways put a provider before a model's name, and Claude Code a size of the context behind it. */
function scriptOf(model: string): string {
  const name = model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/\[\w{1,10}\]$/, '')
    .toLowerCase()
  return Object.hasOwn(SCRIPTS, name) ? name : ''
}

function planByPrompt(asked: Asked, words: Words): Plan {
  if (isSideRequest(asked)) return say(asked, TITLE)
  const plan = planByWords(asked, words)
  if (plan.type === 'fault') return plan
  return {
    ...plan,
    ...(saysAny(words, 'think', 'thinking', 'reasoning', 'demo-thinking')
      ? { thinking: THINKING }
      : {}),
    ...(saysAny(words, 'slow', 'slowly', 'demo-slow') ? { timing: SLOWLY } : {}),
  }
}

const saysAny = (words: Words, ...list: readonly string[]): boolean =>
  list.some((word) => words.has(word))

/** Agents ask for a title on the side, with the user's prompt inside: its words are not for that request. */
const isSideRequest = ({ tools, format, system }: Asked): boolean =>
  tools.length === 0 && (format !== undefined || /\btitle\b/i.test(system))

function planByWords(asked: Asked, words: Words): Plan {
  const spelled = planSpelled(asked, words)
  if (spelled !== undefined) return spelled
  if (words.steps !== undefined && asked.tools.length > 0)
    return planLoop(asked, words, words.steps) ?? say(asked, PLAIN)
  if (words.commands.length > 0 && shellOf(asked.tools) !== undefined)
    return planCalls(asked, words, words.commands.length) ?? say(asked, PLAIN)
  const name = scriptByWord(asked, words)
  const script = name === undefined ? undefined : SCRIPTS[name]
  if (script !== undefined) return script(asked, words)
  const { type } = asked.toolChoice
  const isWanted = type === 'required' || type === 'named' || asksForDoing(words)
  const calls = isWanted && asked.tools.length > 0 ? planCalls(asked, words, 1) : undefined
  return calls ?? say(asked, GREETING)
}

function scriptByWord({ tools, results }: Asked, words: Words): string | undefined {
  const own = Object.keys(SCRIPTS).map((name) => [name, name] as const)
  const found = [...own, ...WORDS].find(
    ([word, name]) => words.has(word) && name !== 'demo-thinking' && name !== 'demo-slow',
  )?.[1]
  if (found === undefined) return undefined
  const isCalling = found === 'demo-loop' || found === 'demo-many' || EXPLICIT.includes(found)
  // What the tools said is answered, whatever the prompt said before.
  if (results.length > 0 && !isCalling) return undefined
  return isCalling && tools.length === 0 && !EXPLICIT.includes(found) ? undefined : found
}

const sayNothing: AnswerPlan = { type: 'answer', calls: [], finish: 'stop', ending: 'finish' }

const fault = (kind: FaultPlan['kind']): FaultPlan => ({ type: 'fault', kind })

/** That text, or what the tools said if the request ends with that, or JSON if the client wants JSON. */
function say(asked: Asked, text: string): AnswerPlan {
  const said = asked.results.length > 0 ? resultText(asked.results) : text
  if (asked.format === undefined) return sayText(said)
  const isAny = Object.keys(asked.format).length === 0
  const value = isAny ? { answer: said } : fillSchema(asked.format, toTitle, TITLE)
  return sayText(JSON.stringify(value))
}

const toTitle = (name: string): string | undefined => (name === 'title' ? TITLE : undefined)
