/**
 * `use: redact` in `sluice.yaml`. Neighbours: `stock/redact/redact.ts` is the policy, `stock.ts` has the list.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { Policy } from '../policy/policy.ts'
import { DEFAULT_GROUPS, FIND_GROUPS } from '../stock/redact/kinds.ts'
import { checkTemplate } from '../stock/redact/marks.ts'
import { DEFAULT_MAX, MAX_HOLD, readPattern } from '../stock/redact/pattern.ts'
import { redact, type OwnPattern, type RedactOptions } from '../stock/redact/redact.ts'
import { mapOf, mapOr, oneOrMany, type Named } from './collections.ts'
import { refuse, type Reading } from './field.ts'
import { whole } from './number.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { defined, isWhole, toValues } from './policy-fields.ts'
import { section, type Section, type Shape } from './section.ts'
import { choice, flag, text } from './text.ts'

const PATTERN_NAME = '^[a-z0-9][a-z0-9-]{0,39}$'
/** Shorter ones would be found in every other word. */
const MIN_WORD = 3

const source = text({ takes: 'an RE2 pattern', maxLength: 2000 })

const detailed = {
  pattern: { says: 'In the syntax of RE2', field: source, isRequired: true },
  max: {
    says: `The most characters that *, + and {n,} in it may hold back, where only a later one says whether they match (default ${DEFAULT_MAX})`,
    field: whole({ min: 1, max: MAX_HOLD }),
  },
} satisfies Shape

const shape = {
  find: {
    says: `What is looked for: ${FIND_GROUPS.join(', ')} (default ${DEFAULT_GROUPS.join(', ')})`,
    field: oneOrMany(choice(FIND_GROUPS, 'group'), {
      max: FIND_GROUPS.length,
      takes: `${FIND_GROUPS.join(', ')}, or a list`,
    }),
  },
  patterns: {
    says: 'Own patterns by name, which stands in the mark; of one with a group (?P<secret>…) only the group is hidden',
    field: mapOf(mapOr(section(detailed), source), {
      min: 1,
      max: 100,
      takes: 'a map from name to pattern',
      names: PATTERN_NAME,
      checkName: (name) =>
        new RegExp(PATTERN_NAME).test(name)
          ? undefined
          : 'it is no name: it takes up to 40 small letters, digits and dashes',
    }),
  },
  words: {
    says: 'Own words, to the letter: a word or a list; ${NAME} hides the value of a variable',
    field: oneOrMany(
      text({
        takes: 'a word',
        maxLength: 500,
        check: (word) =>
          word.length < MIN_WORD
            ? `it takes ${MIN_WORD} characters at least: shorter ones are part of too many words`
            : undefined,
      }),
      { min: 1, max: 500, takes: 'a word, or a list' },
    ),
  },
  replacement: {
    says: 'What stands in the place of a find, with {kind} and, for pseudonyms, {number} (default "[redacted:{kind}]")',
    field: text({ takes: 'text', maxLength: 200 }),
  },
  pseudonyms: {
    says: 'Whether the same value has the same mark within a conversation, and others have others (default false)',
    field: flag,
  },
  restore: {
    says: 'Whether marks in tool calls become the values again that were hidden in the requests of the same conversation; with pseudonyms (default false)',
    field: flag,
  },
  in: {
    says: 'Where: in requests, before the model sees them, and in answers (default both)',
    field: oneOrMany(choice(['requests', 'answers'], 'place'), {
      min: 1,
      max: 2,
      takes: 'requests, answers, or a list',
    }),
  },
  system: {
    says: 'Whether the system prompt is looked over too (default false)',
    field: flag,
  },
} satisfies Shape

export const redactEntry: PolicyEntry<typeof shape> = {
  says: 'Hides secrets, e-mail addresses, card numbers and own patterns in requests and answers',
  shape,
  make(own, reading) {
    const { find, words, replacement, pseudonyms, restore, in: places, system } = own.values
    const patterns = own.values.patterns?.map((one) => toOwn(one, reading))
    const isNumbered = pseudonyms === true || restore === true
    const wrong = replacement === undefined ? undefined : checkTemplate(replacement, isNumbered)
    if (wrong !== undefined && own.spots.replacement !== undefined)
      refuse(own.spots.replacement, reading, wrong)
    if (!isWhole(own) || wrong !== undefined || patterns?.includes(undefined) === true)
      return undefined
    const options = defined({
      find: toValues(find),
      patterns: patterns?.filter((one) => one !== undefined),
      words: toValues(words),
      replacement,
      pseudonyms,
      restore,
      in: toValues(places),
      system,
    })
    return build(options, own, reading)
  },
}

/** One pattern; `undefined` when it cannot be used, which is noted at its place. */
function toOwn(
  { name, spot, value }: Named<string | Section<typeof detailed>>,
  reading: Reading,
): OwnPattern | undefined {
  const isPlain = typeof value === 'string'
  if (!isPlain && !isWhole(value)) return undefined
  const { pattern, max } = isPlain ? { pattern: value, max: undefined } : value.values
  if (pattern === undefined) return undefined
  const read = readPattern({ kind: name, pattern, max })
  if (read.ok) return { name, pattern, max }
  return refuse(isPlain ? spot : (value.spots.pattern ?? spot), reading, read.message)
}

/** All patterns and words together may come to too much. */
function build(
  options: RedactOptions,
  own: Section<typeof shape>,
  reading: Reading,
): Policy | undefined {
  try {
    return redact(options)
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    return refuse(own.spots.words ?? own.spots.patterns ?? own.spot, reading, error.message)
  }
}
