/**
 * `use: scan-results` in `sluice.yaml`. Neighbours: `stock/scan-results` is the policy, `stock.ts` has the list.
 */
import { KINDS, type Kind } from '../stock/scan-results/finding.ts'
import { scanResults, type ScanAction } from '../stock/scan-results/scan-results.ts'
import { listOf } from './collections.ts'
import type { Field } from './field.ts'
import { whole } from './number.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { defined, isWhole, pattern, toolNames, toValues } from './policy-fields.ts'
import { noteMissing, section, type Shape } from './section.ts'
import { choice, flag, text } from './text.ts'

const threshold = whole({ min: 1, max: 100 })
const actionOrOff = choice(['tag', 'redact', 'refuse', 'off'], 'action')

interface KindProperty {
  readonly says: string
  readonly field: Field<ScanAction | 'off'>
}

const kinds = Object.fromEntries(
  Object.entries(KINDS).map(([kind, says]) => [
    kind,
    { says: `What happens where a result ${says}`, field: actionOrOff },
  ]),
) as Readonly<Record<Kind, KindProperty>>

const forTools = {
  tools: {
    says: 'The name of a tool, or a list; * stands for any characters',
    field: toolNames,
    isRequired: true,
  },
  action: { says: 'What happens to their results (default: as of the policy)', field: actionOrOff },
  threshold: { says: 'From which score on (default: as of the policy)', field: threshold },
} satisfies Shape

const ownPattern = {
  name: {
    says: 'What it finds, for the record',
    field: text({ takes: 'a name', maxLength: 64 }),
    isRequired: true,
  },
  pattern: { says: 'RE2', field: pattern, isRequired: true },
  ignoreCase: {
    says: 'Whether upper and lower case are the same (default false)',
    field: flag,
  },
  score: {
    says: 'How much it weighs (default 3, which is enough by itself)',
    field: whole({ min: 1, max: 10 }),
  },
} satisfies Shape

const shape = {
  action: {
    says: 'tag warns the model, redact cuts the passage out, refuse refuses the request (default tag)',
    field: choice(['tag', 'redact', 'refuse'], 'action'),
  },
  threshold: {
    says: 'The score from which on something happens: a clear sign counts 3, a weak one 1 (default 3)',
    field: threshold,
  },
  kinds: {
    says: 'Another action for some kinds of finding, or off (default: hidden and secret are redacted)',
    field: section(kinds),
  },
  for: {
    says: 'Other settings for some tools; the first that takes a tool counts',
    field: listOf(section(forTools), { min: 1, max: 100, takes: 'a list of tools with settings' }),
  },
  patterns: {
    says: 'Patterns of your own',
    field: listOf(section(ownPattern), { min: 1, max: 100, takes: 'a list of patterns' }),
  },
} satisfies Shape

export const scanResultsEntry: PolicyEntry<typeof shape> = {
  says: 'Looks at tool results before the model sees them: prompt injection, hidden text, credentials',
  shape,
  make(own, reading) {
    const { values } = own
    const others = values.for ?? []
    for (const { spot, value } of others)
      if (value.spots.action === undefined && value.spots.threshold === undefined)
        noteMissing(spot, 'a setting', 'give it action or threshold, or remove it', reading)
    const isRight =
      isWhole(own) &&
      (values.kinds === undefined || isWhole(values.kinds)) &&
      others.every(({ value }) => isWhole(value)) &&
      (values.patterns ?? []).every(({ value }) => isWhole(value))
    if (reading.notes.hasMistakes || !isRight) return undefined
    return scanResults(
      defined({
        action: values.action,
        threshold: values.threshold,
        kinds: values.kinds === undefined ? undefined : defined(values.kinds.values),
        for: values.for?.map(({ value }) => ({
          tools: toValues(value.values.tools) ?? [],
          ...defined({ action: value.values.action, threshold: value.values.threshold }),
        })),
        patterns: values.patterns?.map(({ value: { values: one } }) => ({
          name: one.name ?? '',
          pattern: one.pattern ?? '',
          ...defined({ ignoreCase: one.ignoreCase, score: one.score }),
        })),
      }),
    )
  },
}
