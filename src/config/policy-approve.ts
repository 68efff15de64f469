/**
 * `use: approve` in `sluice.yaml`. Neighbours: `stock/approve.ts` is the policy, `policies.ts` has the list.
 */
import { approve } from '../stock/approve.ts'
import { checkQuestion } from '../stock/approve-question.ts'
import { mapOf, oneOrMany } from './collections.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { text } from './text.ts'

const toolName = text({ takes: 'the name of a tool', maxLength: 256 })
const toolNames = oneOrMany(toolName, { min: 1, max: 200, takes: 'the name of a tool, or a list' })
const patterns = oneOrMany(text({ takes: 'a pattern', maxLength: 2000 }), {
  min: 1,
  max: 200,
  takes: 'a pattern, or a list',
})

const shape = {
  tools: {
    says: 'The tools that a person is asked for; * stands for any characters (default: all)',
    field: toolNames,
  },
  except: {
    says: 'Of these, the ones that nobody is asked for; a tool in a set is named set__name',
    field: toolNames,
  },
  arguments: {
    says: 'Only calls of which one of these arguments fits: a map from argument to pattern, or a list of them, as in command: "git push*"; dots lead into objects',
    field: mapOf(patterns, { min: 1, max: 100, takes: 'a map from argument to pattern' }),
  },
  question: {
    says: 'What the person is asked; {tool}, {model}, {client} and {args.NAME} are filled in',
    field: text({ takes: 'a question', maxLength: 2000, check: checkQuestion }),
  },
  reason: {
    says: 'Why the person is asked, for the ticket and the record',
    field: text({ takes: 'a sentence', maxLength: 2000 }),
  },
} as const

export const approveEntry: PolicyEntry<typeof shape> = {
  says: 'A person decides on tool calls before they reach the client: pass, edit or deny',
  shape,
  make({ values, spots }) {
    // A key that is there without a value was not right, which is noted.
    const isWhole = Object.keys(shape).every(
      (key) =>
        spots[key as keyof typeof shape] === undefined ||
        values[key as keyof typeof shape] !== undefined,
    )
    if (!isWhole) return undefined
    const { tools, except, arguments: wanted, question, reason } = values
    return approve({
      ...(tools === undefined ? undefined : { tools: tools.map(({ value }) => value) }),
      ...(except === undefined ? undefined : { except: except.map(({ value }) => value) }),
      ...(wanted === undefined
        ? undefined
        : {
            arguments: Object.fromEntries(
              wanted.map(({ name, value }) => [name, value.map((one) => one.value)]),
            ),
          }),
      ...(question === undefined ? undefined : { question }),
      ...(reason === undefined ? undefined : { reason }),
    })
  },
}
