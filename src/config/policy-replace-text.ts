/**
 * `use: replace-text` in `sluice.yaml`. Neighbours: `stock/replace-text.ts` is the policy, `stock.ts` has the list.
 */
import { replaceText } from '../stock/replace-text.ts'
import { listOf, oneOrMany } from './collections.ts'
import { whole } from './number.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { defined, isWhole, pattern, toValues } from './policy-fields.ts'
import { noteMissing, section, type Shape } from './section.ts'
import { choice, flag, text } from './text.ts'

const replacement = {
  words: {
    says: 'A word or a list, as they are written',
    field: oneOrMany(text({ takes: 'a word', maxLength: 200 }), {
      min: 1,
      max: 500,
      takes: 'a word, or a list',
    }),
  },
  patterns: {
    says: 'An RE2 pattern or a list',
    field: oneOrMany(pattern, { min: 1, max: 50, takes: 'a pattern, or a list' }),
  },
  with: {
    says: 'What stands in their place; "" takes them out',
    field: text({ takes: 'text', maxLength: 2000, isEmptyAllowed: true }),
    isRequired: true,
  },
  ignoreCase: {
    says: 'Whether upper and lower case are the same (default: as of the policy)',
    field: flag,
  },
  isPart: {
    says: 'Whether a word may be a part of another one (default false)',
    field: flag,
  },
} satisfies Shape

const shape = {
  replace: {
    says: 'What becomes what; where two match at the same place, the first counts',
    field: listOf(section(replacement), { min: 1, max: 100, takes: 'a list of replacements' }),
    isRequired: true,
  },
  in: {
    says: 'Where: text is what the model says, arguments are the texts in its tool calls (default text)',
    field: oneOrMany(choice(['text', 'arguments'], 'place'), {
      min: 1,
      max: 2,
      takes: 'text, arguments, or a list',
    }),
  },
  ignoreCase: {
    says: 'Whether upper and lower case are the same (default false)',
    field: flag,
  },
  maxMatch: {
    says: 'The longest match of a pattern, in characters; so much may be held back (default 256)',
    field: whole({ min: 1, max: 4096 }),
  },
} satisfies Shape

export const replaceTextEntry: PolicyEntry<typeof shape> = {
  says: 'Puts other words in the place of words or patterns, while the answer streams',
  shape,
  make(own, reading) {
    const replace = own.values.replace ?? []
    const idle = replace.filter(
      ({ value: { spots } }) => spots.words === undefined && spots.patterns === undefined,
    )
    for (const { spot } of idle)
      noteMissing(spot, 'words', 'say what is to be replaced, by words or by patterns', reading)
    const isRight =
      isWhole(own) && replace.length > 0 && replace.every(({ value }) => isWhole(value))
    if (!isRight || idle.length > 0) return undefined
    const { in: places, ignoreCase, maxMatch } = own.values
    return replaceText({
      replace: replace.map(({ value: { values } }) => ({
        with: values.with ?? '',
        ...defined({
          words: toValues(values.words),
          patterns: toValues(values.patterns),
          ignoreCase: values.ignoreCase,
          isPart: values.isPart,
        }),
      })),
      ...defined({ in: toValues(places), ignoreCase, maxMatch }),
    })
  },
}
