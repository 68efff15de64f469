/**
 * `use: limit` in `sluice.yaml`. Neighbours: `stock/limit.ts` is the policy, `stock.ts` has the list.
 */
import { limit, type CallLimit } from '../stock/limit.ts'
import { DAYS, isTimezone, toSpan } from '../stock/limit/hours.ts'
import { listOf, oneOrMany } from './collections.ts'
import { size, whole } from './number.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { defined, isWhole, toolNames, toValues } from './policy-fields.ts'
import { noteMissing, section, type Section, type Shape } from './section.ts'
import { choice, text } from './text.ts'

const MAX_CALLS = 100_000
const count = (max = MAX_CALLS) => whole({ min: 0, max })

const hours = {
  between: {
    says: 'Hours such as "08:00-18:00", or a list; they may go over midnight (default: all day)',
    field: oneOrMany(
      text({
        takes: 'hours such as "08:00-18:00"',
        maxLength: 20,
        check: (value) =>
          toSpan(value) === undefined
            ? 'these are no hours: write them like "08:00-18:00"'
            : undefined,
      }),
      { min: 1, max: 20, takes: 'hours such as "08:00-18:00", or a list' },
    ),
  },
  days: {
    says: 'Days of the week (default: every day)',
    field: oneOrMany(choice(DAYS, 'day'), { min: 1, max: 7, takes: 'a day, or a list' }),
  },
  timezone: {
    says: 'Where these hours are, such as Europe/Berlin (default UTC)',
    field: text({
      takes: 'a time zone such as Europe/Berlin',
      maxLength: 64,
      check: (value) =>
        isTimezone(value) ? undefined : 'there is no such time zone: write one like Europe/Berlin',
    }),
  },
} satisfies Shape

const calls = {
  tools: {
    says: 'The tools that are counted, together; * stands for any characters (default: all)',
    field: toolNames,
  },
  perAnswer: { says: 'Calls in one answer', field: count() },
  perConversation: { says: 'Calls in one conversation', field: count() },
  perMinute: { says: 'Calls in one minute of a conversation', field: count(10_000) },
  files: {
    says: 'Different files that are read, written or deleted in one conversation',
    field: count(),
  },
  filesWritten: {
    says: 'Different files that are written or deleted in one conversation',
    field: count(),
  },
  hours: { says: 'When calls are allowed at all', field: section(hours) },
  action: {
    says: 'What happens to a call that is too many (default deny)',
    field: choice(['deny', 'ask', 'halt'], 'action'),
  },
  reason: {
    says: 'What the model is told, in the place of our own sentence',
    field: text({ takes: 'a sentence', maxLength: 2000 }),
  },
} satisfies Shape

const LIMITS = [
  'perAnswer',
  'perConversation',
  'perMinute',
  'files',
  'filesWritten',
  'hours',
] as const

const shape = {
  calls: {
    says: 'Limits on tool calls; each counts for itself, and the strictest decides',
    field: listOf(section(calls), { min: 1, max: 100, takes: 'a list of limits' }),
  },
  output: {
    says: 'The longest answer, in characters, thinking and arguments included: it ends there',
    field: size({ min: 1, max: 1024 ** 3 }),
  },
  tokens: {
    says: 'All tokens of one conversation, input and output, as the upstreams count them',
    field: whole({ min: 1, max: 1_000_000_000_000 }),
  },
  outputTokens: {
    says: 'Tokens of output of one conversation',
    field: whole({ min: 1, max: 1_000_000_000_000 }),
  },
} satisfies Shape

export const limitEntry: PolicyEntry<typeof shape> = {
  says: 'Limits how much is called, written, spent and touched',
  shape,
  make(own, reading) {
    const { values, spots, spot } = own
    if (Object.keys(shape).every((key) => spots[key as keyof typeof shape] === undefined))
      noteMissing(
        spot,
        'a limit',
        `say how much is allowed, by ${Object.keys(shape).join(', ')}`,
        reading,
      )
    for (const { spot: at, value } of values.calls ?? [])
      if (LIMITS.every((key) => value.spots[key] === undefined))
        noteMissing(at, 'a limit', `say how many, by ${LIMITS.join(', ')}`, reading)
    const isRight =
      isWhole(own) &&
      (values.calls ?? []).every(
        ({ value }) =>
          isWhole(value) && (value.values.hours === undefined || isWhole(value.values.hours)),
      )
    if (reading.notes.hasMistakes || !isRight) return undefined
    const { output, tokens, outputTokens } = values
    return limit(
      defined({
        output,
        tokens,
        outputTokens,
        calls: values.calls?.map(({ value }) => toCallLimit(value)),
      }),
    )
  },
}

function toCallLimit({ values }: Section<typeof calls>): CallLimit {
  const { tools, hours: open, ...rest } = values
  return defined({
    ...rest,
    tools: toValues(tools),
    hours:
      open === undefined
        ? undefined
        : defined({
            between: toValues(open.values.between),
            days: toValues(open.values.days),
            timezone: open.values.timezone,
          }),
  })
}
