/**
 * `sluice approvals`: calls that wait for a person, and the person's word on them. Neighbours: `api-client.ts` asks
 * the gateway, `approvals-watch.ts` listens to it, `approvals-lines.ts` writes for people.
 */
import { parseObject } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { Ticket, TicketSummary } from '../approvals/ticket.ts'
import {
  API_HELP,
  API_OPTIONS,
  callApi,
  findApi,
  messageOf,
  type ApiAnswer,
  type ApiPlace,
} from './api-client.ts'
import { toDetails, toLines } from './approvals-lines.ts'
import { watchApprovals } from './approvals-watch.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { visible, type Output } from './output.ts'
import { whoAmI } from './who.ts'

const WORDS = ['list', 'show', 'pass', 'deny', 'edit', 'watch'] as const
type Word = (typeof WORDS)[number]

const OPTIONS = {
  ...API_OPTIONS,
  all: { type: 'boolean' },
  reason: { type: 'string' },
  args: { type: 'string' },
  remember: { type: 'string' },
} as const

export const approvals: Command = {
  help: `sluice approvals [list]          calls that wait for a person
sluice approvals show TICKET     one of them, with all of its arguments
sluice approvals pass TICKET     let it through
sluice approvals deny TICKET     the client gets a text that says so instead
sluice approvals edit TICKET --args JSON    let it through with other arguments
sluice approvals watch           as they come; on a terminal, decide with a key

  --reason TEXT   why, for the model and the record
  --args JSON     the arguments instead: an object; for free text, the text
  --remember HOW  once, conversation (the same call in the same conversation) or
                  always (the same call of the same client); default as configured
  --all           list also those that are over
${API_HELP}

Exit 0 done, 1 when the ticket is not there or somebody has decided already.
`,
  async run(argv, { out, err }) {
    const { word, rest } = toWord(argv)
    const { values, file: ticket } = readArguments(rest, OPTIONS)
    const { url, config } = values
    const place = findApi({ url, config, env: process.env, cwd: process.cwd() })
    const json = values.json === true
    if (word === 'watch') return await watchApprovals(place, { out, err, json, by: values.by })
    if (word === 'list') return await list(place, out, { json, all: values.all === true })
    if (ticket === undefined)
      throw new SluiceError('wrong-use', `Say which: sluice approvals ${word} TICKET`)
    const path = `/api/approvals/${encodeURIComponent(ticket)}`
    if (word === 'show') return await show(await callApi(place, path), { out, err, json })
    const { reason, remember } = values
    const order = {
      decision: word,
      by: whoAmI(values.by),
      ...(reason === undefined ? undefined : { reason }),
      ...(remember === undefined ? undefined : { remember }),
      ...(word === 'edit' ? { args: await readArgs(place, path, values.args) } : undefined),
    }
    return await tell(await callApi(place, path, order), { out, err, json })
  },
}

function toWord(argv: readonly string[]): { word: Word; rest: readonly string[] } {
  const [typed, ...rest] = argv
  if (typed === undefined || typed.startsWith('-')) return { word: 'list', rest: argv }
  const word = WORDS.find((one) => one === typed)
  if (word !== undefined) return { word, rest }
  const near = nearest(typed, WORDS)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  throw new SluiceError(
    'wrong-use',
    `There is no "sluice approvals ${typed}": there are ${WORDS.join(', ')}${hint}`,
  )
}

/** What a person typed is JSON, or the text of a tool that takes free text. */
async function readArgs(
  place: ApiPlace,
  path: string,
  typed: string | undefined,
): Promise<object | string> {
  if (typed === undefined)
    throw new SluiceError('wrong-use', 'Say what it is made with instead: --args \'{"…": "…"}\'')
  const { body } = await callApi(place, path)
  const isFreeText = (body['approval'] as Ticket | undefined)?.call.isFreeText === true
  const args = isFreeText ? typed : parseObject(typed)
  if (args === undefined)
    throw new SluiceError('wrong-use', '--args is no JSON object: put it in single quotes')
  return args
}

interface Out {
  readonly out: Output
  readonly err: Output
  readonly json: boolean
}

async function list(
  place: ApiPlace,
  out: Output,
  { json, all }: { readonly json: boolean; readonly all: boolean },
): Promise<number> {
  const { body } = await callApi(place, `/api/approvals${all ? '' : '?status=pending'}`)
  if (json) await out.line(JSON.stringify(body))
  else {
    const found = body['approvals'] as readonly TicketSummary[]
    if (found.length === 0) await out.line('Nothing waits for you.')
    for (const one of found) await out.line(toLines(one, Date.now(), out))
  }
  return 0
}

async function show({ status, body }: ApiAnswer, { out, err, json }: Out): Promise<number> {
  if (json) await out.line(JSON.stringify(body))
  else if (status === 200) await out.line(toDetails(body['approval'] as Ticket, Date.now(), out))
  else await err.line(`${err.style('red', 'sluice:')} ${visible(messageOf(body) ?? '')}`)
  return status === 200 ? 0 : 1
}

async function tell({ status, body }: ApiAnswer, { out, err, json }: Out): Promise<number> {
  if (status !== 200) return await show({ status, body }, { out, err, json })
  if (json) {
    await out.line(JSON.stringify(body))
    return 0
  }
  const { ticket, decision } = body['approval'] as Ticket
  const said = { pass: 'passed', deny: 'denied', edit: 'passed with other arguments' }
  await out.line(`${ticket} ${said[decision?.type ?? 'pass']}`)
  if (typeof body['note'] === 'string') await out.line(visible(body['note']))
  return 0
}
