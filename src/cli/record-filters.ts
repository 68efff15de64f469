/**
 * Which exchanges a command is about, as flags: the same words as the API's parameters. Neighbours: `log.ts`, `export.ts`
 * and whoever walks over the past.
 */
import { FILTERS } from '../api/filters.ts'
import { readParams } from '../api/params.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { ExchangeQuery } from '../store/query.ts'

export const FILTER_OPTIONS = {
  since: { type: 'string' },
  until: { type: 'string' },
  model: { type: 'string' },
  route: { type: 'string' },
  upstream: { type: 'string' },
  key: { type: 'string' },
  client: { type: 'string' },
  wire: { type: 'string' },
  conversation: { type: 'string' },
  status: { type: 'string' },
  outcome: { type: 'string' },
  tool: { type: 'string' },
  verdict: { type: 'string' },
  policy: { type: 'string' },
  shadow: { type: 'boolean' },
  text: { type: 'string' },
} as const

export const FILTER_HELP = `  --since TIME, --until TIME   30m, 12h or 7d ago, or a date such as 2026-11-15T10:00
  --model NAME        as it was asked for, sent, or answered; * stands for any characters
  --route, --upstream, --key, --client, --tool, --policy NAME   alike
  --wire WIRE         which wire the client spoke
  --conversation ID   of one agent session
  --status N|error    the status; error: everything that is not a whole answer
  --outcome WORD      done, refused, upstream-error, broken or client-left
  --verdict WORD      where some policy said so: deny, rewrite, replace, ask, halt, …
  --shadow            look at verdicts of policies in shadow instead
  --text WORDS        that stand in the last turn or in the answer`

type Typed = Readonly<Partial<Record<keyof typeof FILTER_OPTIONS, string | boolean>>>

/** What was typed → what is asked, or a sentence that says what is allowed. */
export function readFilters({ shadow, ...typed }: Typed, now = Date.now()): ExchangeQuery {
  const said = new URLSearchParams()
  for (const name of Object.keys(FILTER_OPTIONS)) {
    const value = Reflect.get(typed, name) as string | undefined
    if (value !== undefined) said.set(name, value)
  }
  if (shadow === true) said.set('isShadow', 'true')
  const read = readParams(FILTERS, said.toString(), now)
  if (read instanceof Error)
    throw new SluiceError('wrong-use', read.message.replace(/^"(\w+)"/, '--$1'))
  return read as ExchangeQuery
}

/** How many are wanted. */
export function readLimit(typed: string | undefined, otherwise: number): number {
  if (typed === undefined) return otherwise
  if (/^\d{1,9}$/.test(typed) && Number(typed) > 0) return Number(typed)
  throw new SluiceError('wrong-use', `--limit takes a number from 1 on: got "${typed}"`)
}
