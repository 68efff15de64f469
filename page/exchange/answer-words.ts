/**
 * How an exchange went and what was decided, in words for people. Neighbours: the head, the verdicts and the answer show
 * them. Knows no component. What models and clients wrote is made visible before it gets here a place in a sentence.
 */
import type { FinishReason } from '../../src/event/finish.ts'
import type { Usage } from '../../src/event/usage.ts'
import type { Outcome } from '../../src/store/record.ts'
import { firstLine, showName } from '../blocks/plain.ts'
import { toCount } from '../core/format.ts'
import type { Tone } from '../kit/badge.tsx'
import type { AnyVerdict } from './answer-model.ts'

interface Word {
  readonly says: string
  readonly tone: Tone
}

const OUTCOMES: Readonly<Record<Outcome, Word>> = {
  done: { says: 'Done', tone: 'ok' },
  refused: { says: 'Refused by the gateway', tone: 'bad' },
  'upstream-error': { says: 'Upstream error', tone: 'bad' },
  broken: { says: 'Broke off', tone: 'bad' },
  'client-left': { says: 'Client left', tone: 'warn' },
}

export function toOutcomeWord(of: { readonly outcome: Outcome; readonly status: number }): Word {
  const word = OUTCOMES[of.outcome]
  return { says: `${of.status} ${word.says}`, tone: word.tone }
}

const FINISHES: Readonly<Record<FinishReason, string>> = {
  stop: 'The model was done',
  'stop-sequence': 'A stop sequence was met',
  'tool-calls': 'The client is to run tools',
  length: 'The token limit cut it off',
  'context-full': 'The context window was full',
  refusal: 'The model declined',
  'content-filter': 'A filter held content back',
  pause: 'A tool loop of the provider paused',
  compaction: 'The provider wrote a summary of the conversation',
  other: 'It ended for a reason of the provider’s own',
}

export const toFinishWords = (reason: FinishReason): string => FINISHES[reason]

const VERDICTS: Readonly<Record<AnyVerdict['type'], readonly [done: string, would: string]>> = {
  pass: ['Passed', 'Would have passed'],
  deny: ['Denied', 'Would have denied'],
  halt: ['Ended the answer', 'Would have ended the answer'],
  replace: ['Replaced', 'Would have replaced'],
  rewrite: ['Changed the arguments of', 'Would have changed the arguments of'],
  ask: ['Asked a person about', 'Would have asked a person about'],
  change: ['Changed', 'Would have changed'],
  error: ['Policy failed on', 'Policy failed in shadow on'],
}

export const toVerdictWord = ({ type, isShadow }: AnyVerdict): string =>
  VERDICTS[type][isShadow ? 1 : 0]

/** What it was about: `the text`, `Bash`. */
export function toSubject({ block }: AnyVerdict): string {
  if (block === undefined) return 'the exchange'
  if (block.name !== undefined && block.name !== '') return showName(block.name)
  return block.type === 'tool-call' ? 'a tool call' : `the ${block.type}`
}

/** The rule that decided, where the policy has rules. */
export function toRule({ details }: AnyVerdict): string | undefined {
  const { rule } = details
  return typeof rule === 'string' ? showName(rule) : undefined
}

/** Figures and names that a policy noted, without what is said elsewhere. */
export const toDetails = ({ details }: AnyVerdict): readonly string[] =>
  Object.entries(details)
    .filter(([name]) => name !== 'rule')
    .map(([name, value]) => `${showName(name)} ${showName(String(value))}`)

/** What says most of a call, in the order in which it is looked for. */
const TELLING = [
  'command',
  'cmd',
  'script',
  'file_path',
  'path',
  'url',
  'query',
  'pattern',
  'input',
]

/** The arguments of a call, or a text, in one line. */
export function toOneLine(content: string, max = 120): string {
  const args = content.length < 200_000 ? parse(content) : undefined
  const telling = TELLING.map((name) => toTold(args?.[name])).find((told) => told !== undefined)
  return firstLine(telling ?? content, max)
}

function toTold(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value
  const isList = Array.isArray(value) && value.length > 0
  return isList && value.every((one) => typeof one === 'string') ? value.join(' ') : undefined
}

function parse(content: string): Readonly<Record<string, unknown>> | undefined {
  if (!content.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(content) as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}

/** What left in the place of a block: a text, arguments, or of `replace` the list of what was put there. */
export function toDeliveredText({ type, delivered }: AnyVerdict): string | undefined {
  if (delivered === undefined) return undefined
  if (type !== 'replace') return delivered
  try {
    const blocks = JSON.parse(delivered) as readonly Readonly<Record<string, unknown>>[]
    if (!Array.isArray(blocks)) return delivered
    if (blocks.length === 0) return ''
    return blocks.map(toSaid).join('\n')
  } catch {
    return delivered
  }
}

function toSaid(block: Readonly<Record<string, unknown>>): string {
  if (typeof block['text'] === 'string') return block['text']
  const { name, args } = block
  return `${String(name)} ${typeof args === 'string' ? args : JSON.stringify(args)}`
}

/** `1204 in · 12.4k cached · 310 out`. */
export function toTokens(usage: Usage | undefined): string {
  if (usage === undefined) return '–'
  const parts = [`${toCount(usage.inputTokens ?? 0)} in`]
  if ((usage.cacheReadTokens ?? 0) > 0) parts.push(`${toCount(usage.cacheReadTokens)} cached`)
  if ((usage.cacheWriteTokens ?? 0) > 0)
    parts.push(`${toCount(usage.cacheWriteTokens)} written to the cache`)
  const thought = usage.reasoningTokens ?? 0
  const hint = thought > 0 ? ` (${toCount(thought)} thinking)` : ''
  parts.push(`${toCount(usage.outputTokens ?? 0)} out${hint}`)
  return parts.join(' · ')
}
