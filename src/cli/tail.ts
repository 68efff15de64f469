/**
 * `sluice tail`: what happens at a running gateway, as it happens. Neighbours: `api-client.ts` finds the gateway,
 * `tail-view.ts` writes what all of them do, `tail-one.ts` follows one exchange.
 */
import { matches } from '../base/star-pattern.ts'
import { API_HELP, API_OPTIONS, connect } from './api-client.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { tailOne } from './tail-one.ts'
import { createTailView, type Wanted } from './tail-view.ts'
import { follow } from './watch-api.ts'

const OPTIONS = {
  url: API_OPTIONS.url,
  config: API_OPTIONS.config,
  json: API_OPTIONS.json,
  model: { type: 'string' },
  key: { type: 'string' },
  conversation: { type: 'string' },
} as const

export const tail: Command = {
  help: `sluice tail [--model PATTERN] [--key NAME] [--conversation ID]
sluice tail ID

Shows what happens at a running gateway: exchanges as they begin and end, blocks
as they come from the model, and verdicts. With an ID (of an exchange that goes
on, as the first shows it, or a request id) its text is written as it streams,
and it ends with the exchange.

  --model PATTERN      only these; * stands for any characters
  --key NAME           only of this gateway key; * as well
  --conversation ID    only of this one
${API_HELP.replace(/^ +--by.*\n/m, '').replace('print what the API answers', 'one object a line')}

Goes on when the gateway is restarted. Content is shown where it is recorded
("record: bytes"); else only names and numbers.
`,
  async run(argv, streams) {
    const { values, file: id } = readArguments(argv, OPTIONS)
    const api = connect(values)
    const json = values.json === true
    if (id !== undefined) return await tailOne(api, id, { ...streams, json })
    const { out, err } = streams
    const view = createTailView(out, { json, isWanted: toFilter(values) })
    const stop = new AbortController()
    const options = { out, err, stop, frames: 'all', onGone: view.forget } as const
    await follow(api, options, async (event) => {
      await view.take(event)
      return !out.isGone
    })
    return 0
  },
}

interface Filter {
  readonly model?: string | undefined
  readonly key?: string | undefined
  readonly conversation?: string | undefined
}

/** A conversation is the client's own word: a star in it is a star. */
const toFilter =
  ({ model, key, conversation }: Filter): Wanted =>
  (one) =>
    fits(model, one.model) &&
    fits(key, one.key) &&
    (conversation === undefined || one.conversation === conversation)

/** `*` stands for any characters. */
const fits = (pattern: string | undefined, value: string | undefined): boolean =>
  pattern === undefined || (value !== undefined && matches(pattern, value))
