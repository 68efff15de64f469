/**
 * `use: judge` in `sluice.yaml`. Neighbours: `stock/judge` is the policy and knows what cannot be, which is noted here
 * at its place; `policies.ts` has the list.
 */
import { judge } from '../stock/judge/judge.ts'
import {
  findProblems,
  MAX_PROMPT_CHARS,
  MAX_VOTES,
  type JudgeOptions,
} from '../stock/judge/options.ts'
import { oneOrMany } from './collections.ts'
import { refuse, type Field } from './field.ts'
import { decimal, time, whole } from './number.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { section, type Section, type Shape } from './section.ts'
import { choice, flag, text } from './text.ts'

const HOUR = 3_600_000

const toolNames = oneOrMany(text({ takes: 'the name of a tool', maxLength: 256 }), {
  min: 1,
  max: 200,
  takes: 'the name of a tool, or a list',
})

const cacheSection = section({
  entries: {
    says: 'How many verdicts are kept (default 1000)',
    field: whole({ min: 1, max: 100_000 }),
  },
  ttl: { says: 'For how long (default 10m)', field: time({ min: 1, max: 24 * HOUR }) },
})
type CacheSection = typeof cacheSection extends Field<infer Read> ? Read : never

const cache: Field<CacheSection | boolean> = {
  schema: { anyOf: [flag.schema, cacheSection.schema] },
  read: (spot, reading) => (spot.node.kind === 'map' ? cacheSection : flag).read(spot, reading),
}

const price = section({
  input: {
    says: 'Of a million tokens of input',
    field: decimal({ min: 0, max: 1_000_000 }),
    isRequired: true,
  },
  output: {
    says: 'Of a million tokens of output',
    field: decimal({ min: 0, max: 1_000_000 }),
    isRequired: true,
  },
})

const shape = {
  model: {
    says: 'The model that decides, as a client would ask for it; with several, each has a vote',
    field: oneOrMany(text({ takes: 'the name of a model', maxLength: 256 }), {
      min: 1,
      max: MAX_VOTES,
      takes: 'the name of a model, or a list',
    }),
    isRequired: true,
  },
  upstream: {
    says: 'The upstream that is asked, whatever the routes say; it needs a credential of its own',
    field: text({ takes: 'the name of an upstream', maxLength: 64 }),
  },
  on: {
    says: 'What waits for its verdict: tool-call or text (default tool-call)',
    field: choice(['tool-call', 'text'], 'kind of block'),
  },
  tools: {
    says: 'Only calls of these tools are judged; * stands for any characters (default: all)',
    field: toolNames,
  },
  skip: {
    says: 'Calls of these tools pass unasked, for those that only read; a tool in a set is named set__name',
    field: toolNames,
  },
  rules: {
    says: 'What is allowed and what is not, in words for the judge',
    field: text({ takes: 'rules in words', maxLength: MAX_PROMPT_CHARS }),
  },
  prompt: {
    says: 'What the judge is shown: {{arguments}}, {{tool}}, {{description}}, {{task}}, {{conversation}}, {{system}} or {{text}} are filled in',
    field: text({ takes: 'a prompt', maxLength: MAX_PROMPT_CHARS }),
  },
  turns: {
    says: 'How many turns of the conversation the judge is shown (default 10)',
    field: whole({ min: 0, max: 200 }),
  },
  context: {
    says: 'How many characters of the conversation the judge is shown (default 8000)',
    field: whole({ min: 0, max: 500_000 }),
  },
  maxLength: {
    says: 'Longer arguments or texts are denied unread, in characters (default 50000)',
    field: whole({ min: 100, max: 1_000_000 }),
  },
  denyAt: {
    says: 'Denied from this probability of harm on (default 0.5)',
    field: decimal({ min: 0, max: 1 }),
  },
  askAt: {
    says: 'A person is asked from this probability of harm on (default: never)',
    field: decimal({ min: 0, max: 1 }),
  },
  deadline: {
    says: 'Until when there must be a verdict; less than timeout (default 15s)',
    field: time({ min: 10, max: HOUR }),
  },
  retries: {
    says: 'How often it is asked again after an error that may pass, or an answer that is none (default 2)',
    field: whole({ min: 0, max: 10 }),
  },
  votes: {
    says: 'How often it is asked at once; the majority decides (default: once per model)',
    field: whole({ min: 1, max: MAX_VOTES }),
  },
  maxTokens: {
    says: 'The most that one answer may have, with what the model thinks (default 2048)',
    field: whole({ min: 16, max: 200_000 }),
  },
  temperature: {
    says: "The model's temperature (default 0 with one vote, the model's own with several)",
    field: decimal({ min: 0, max: 2 }),
  },
  cache: {
    says: 'Whether verdicts are kept for the same call in the same context, or how many and for how long (default true)',
    field: cache,
  },
  price: { says: 'What a million tokens cost: each verdict then says its cost', field: price },
  onFailure: {
    says: 'What happens when the judge cannot be asked in time: error (as onError says), deny or ask (default error)',
    field: choice(['error', 'deny', 'ask'], 'way to fail'),
  },
  version: {
    says: 'A name of your own for this version of the rules, for records',
    field: text({ takes: 'a name', maxLength: 64 }),
  },
} as const

export const judgeEntry: PolicyEntry<typeof shape> = {
  says: 'A model decides on each held call or text before it reaches the client',
  shape,
  make(read, reading) {
    const options = toOptions(read)
    if (options === undefined) return undefined
    const problems = findProblems(options)
    for (const { key, message } of problems)
      refuse(read.spots[key as keyof typeof shape] ?? read.spot, reading, message)
    return problems.length > 0 ? undefined : judge(options)
  },
}

/** `undefined`: something is not right, which is noted. */
function toOptions(read: Section<typeof shape>): JudgeOptions | undefined {
  const { cache: kept, price: cost, model, tools, skip, ...rest } = read.values
  const inner = [read, kept, cost].filter((one) => typeof one === 'object')
  if (model === undefined || !inner.every(isWhole)) return undefined
  const { input, output } = cost?.values ?? {}
  if (cost !== undefined && (input === undefined || output === undefined)) return undefined
  return {
    ...rest,
    model: model.map(({ value }) => value),
    tools: tools?.map(({ value }) => value),
    skip: skip?.map(({ value }) => value),
    cache: typeof kept === 'object' ? kept.values : kept === false ? false : undefined,
    price: input === undefined || output === undefined ? undefined : { input, output },
  }
}

/** A key that is there without a value was not right. */
const isWhole = ({ spots, values }: Pick<Section<Shape>, 'spots' | 'values'>): boolean =>
  Object.keys(spots).every((key) => values[key] !== undefined)
