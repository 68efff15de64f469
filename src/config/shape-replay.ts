/**
 * The keys of an upstream that answers from recordings. Neighbours: `shape-upstream.ts` has the others, `upstreams.ts`
 * builds settings from them.
 */
import type { Field } from './field.ts'
import { age, decimal } from './number.ts'
import { choice, isText, mapField, text } from './text.ts'
import { isOneVariable } from './variables.ts'

const DAY = 24 * 3_600_000

const faster = decimal({ min: 0.01, max: 10_000 })
const named = mapField(choice(['original', 'instant'], 'speed'), (word) =>
  word === 'original' ? 1 : 0,
)

/** How many times faster; 0: at once. */
const speed: Field<number> = {
  schema: { anyOf: [named.schema, faster.schema] },
  read: (spot, reading) =>
    (isText(spot) && !isOneVariable(spot.node.value) ? named : faster).read(spot, reading),
}

export const replay = {
  from: {
    says: 'Where recordings are: a file or a folder, relative to this file, or store for the records of this gateway',
    field: text({ takes: 'a path, or store', maxLength: 4096 }),
  },
  conversation: {
    says: 'Of the records, this conversation alone, as "sluice log" names it',
    field: text({ takes: 'the id of a conversation', maxLength: 256 }),
  },
  since: {
    says: 'Of the records, those that are not older, such as 12h or 7d',
    field: age({ min: 1, max: 100 * 365 * DAY }),
  },
  match: {
    says: 'request is the answer to the same request, order the next one, auto by request and where nothing fits in order (default auto)',
    field: choice(['auto', 'request', 'order'], 'way to match'),
  },
  speed: {
    says: 'original is with the pauses of then, instant without, 10 is ten times faster (default original)',
    field: speed,
  },
  answers: {
    says: 'delivered is what the client got then, upstream what came before policies (default delivered)',
    field: choice(['delivered', 'upstream'], 'kind of answer'),
  },
} as const
