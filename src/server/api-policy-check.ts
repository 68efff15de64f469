/**
 * `POST /api/policies/check`: a text that somebody writes → its mistakes, each with its place, and what it comes to.
 * Neighbours: `config/policy-check.ts` reads it, the page underlines by it. Whoever saves an edit is held to the same.
 */
import type { CheckAnswer, CheckedPolicy, PolicyMistake } from '../api/types-policies.ts'
import { toText, type JsonObject } from '../base/json.ts'
import type { Mistaken } from '../config/notes.ts'
import { readEdit } from '../config/policy-edits.ts'
import { MAX_POLICY_TEXT, readPolicies, surroundingsOf } from '../config/policy-check.ts'
import { whereItApplies } from '../config/select-policies.ts'
import type { PolicySettings } from '../config/settings.ts'
import { fail, say, type Reply } from './api-answer.ts'
import { holdsOf } from './api-policies.ts'
import type { PolicyDesk } from './policy-desk.ts'

export function checkPolicyText(desk: PolicyDesk, { yaml, name }: JsonObject): Reply {
  const wrong = wrongText(yaml)
  if (wrong !== undefined) return fail(400, wrong)
  if (name !== undefined && typeof name !== 'string')
    return fail(400, '"name" takes the name of an installed policy')
  return say(toAnswer(toText(yaml) ?? '', name, desk))
}

function toAnswer(yaml: string, name: string | undefined, desk: PolicyDesk): CheckAnswer {
  const settings = desk.settings()
  if (name === undefined) {
    const { policies, mistakes } = readPolicies(yaml, surroundingsOf(settings))
    return { mistakes: toMistakes(yaml, mistakes), policies: policies.map(toChecked) }
  }
  const read = readEdit(yaml, name, settings)
  return read.type === 'wrong'
    ? { mistakes: toMistakes(yaml, read.mistakes), policies: [] }
    : { mistakes: [], policies: [toChecked(read.policy)] }
}

const toChecked = (one: PolicySettings): CheckedPolicy => ({
  name: one.name,
  use: one.use,
  version: one.version,
  holds: holdsOf(one.installed.policy),
  isShadow: one.installed.isShadow,
  appliesTo: whereItApplies(one),
})

/** Why a text is not even looked at. */
export function wrongText(yaml: unknown): string | undefined {
  if (typeof yaml !== 'string') return '"yaml" takes a text: a list of policies, or one entry'
  if (yaml.length > MAX_POLICY_TEXT) return `"yaml" takes up to ${MAX_POLICY_TEXT} characters`
  return /\0|\p{Surrogate}/u.test(yaml) ? '"yaml" holds signs that are no text' : undefined
}

function toMistakes(yaml: string, mistakes: readonly Mistaken[]): readonly PolicyMistake[] {
  const lines = yaml.split('\n')
  return mistakes.map(({ place: { line, column, endColumn }, path, sentence }) => {
    // The lines below it show the place to those who have no text before them.
    const [first = ''] = sentence.split('\n', 1)
    const [, hint] = MEANT.exec(first) ?? []
    const message = first.replace(MEANT, '')
    const where = path === '' || path === 'policies' ? '' : `${path.replace(/^policies/, '')}: `
    return {
      line,
      column,
      endColumn: Math.max(column + 1, endColumn ?? column + lengthAt(lines[line - 1], column)),
      message: `${where.replace(/^\[0\](?:\.|: )?/, '')}${message}`,
      hint,
    }
  })
}

/** The word that was probably meant stands by itself: the page offers it. */
const MEANT = /[:;] did you mean (\S{1,100})\?/

/** Of the word or the quoted text that begins there. */
function lengthAt(line = '', column: number): number {
  const rest = line.slice(column - 1, column + 400)
  const [word = ''] = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[\w$./*-]+)/.exec(rest) ?? []
  return word.length
}

/** For those who have no page before them: the first few in a sentence. */
export function toSentence(yaml: string, mistakes: readonly Mistaken[]): string {
  const found = toMistakes(yaml, mistakes)
  const shown = found
    .slice(0, MAX_SHOWN)
    .map(
      ({ line, column, message, hint }) =>
        `line ${line}, column ${column}: ${message}${hint === undefined ? '' : `; did you mean ${hint}?`}`,
    )
  const more = found.length > MAX_SHOWN ? ` (and ${found.length - MAX_SHOWN} more)` : ''
  return `The policy is not right. ${shown.join('. ')}${more}`
}

const MAX_SHOWN = 5
