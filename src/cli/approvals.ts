/**
 * `sluice approvals`: calls that wait for a person, and the person's word on them. Neighbours: `api-client.ts` asks
 * the gateway, `approvals-watch.ts` listens to it, `approvals-lines.ts` writes for people.
 */
import { parseObject } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { ApiError } from '../api/call.ts'
import type { ApiClient } from '../api/client.ts'
import type { ApprovalAnswer, DecisionOrder } from '../api/types.ts'
import { API_HELP, API_OPTIONS, ask, askOrEnd, connect, toErrorBody } from './api-client.ts'
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
    const api = connect({ url, config })
    const json = values.json === true
    if (word === 'watch') return await watchApprovals(api, { out, err, json, by: values.by })
    if (word === 'list') return await list(api, out, { json, all: values.all === true })
    if (ticket === undefined)
      throw new SluiceError('wrong-use', `Say which: sluice approvals ${word} TICKET`)
    if (word === 'show') return await show(await ask(api.approval(ticket)), { out, err, json })
    const { reason, remember } = values
    const order = {
      decision: word,
      by: whoAmI(values.by),
      ...(reason === undefined ? undefined : { reason }),
      ...(remember === undefined ? undefined : { remember }),
      ...(word === 'edit' ? { args: await readArgs(api, ticket, values.args) } : undefined),
      // What was typed is checked by the gateway, whose sentence is shown.
    } as DecisionOrder
    return await tell(await ask(api.decide(ticket, order)), { out, err, json })
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
  api: ApiClient,
  ticket: string,
  typed: string | undefined,
): Promise<object | string> {
  if (typed === undefined)
    throw new SluiceError('wrong-use', 'Say what it is made with instead: --args \'{"…": "…"}\'')
  const found = await ask(api.approval(ticket))
  const isFreeText = !(found instanceof ApiError) && found.approval.call.isFreeText
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
  api: ApiClient,
  out: Output,
  { json, all }: { readonly json: boolean; readonly all: boolean },
): Promise<number> {
  const answer = await askOrEnd(api.approvals(all ? {} : { status: 'pending' }))
  if (json) await out.line(JSON.stringify(answer))
  else {
    const found = answer.approvals
    if (found.length === 0) await out.line('Nothing waits for you.')
    for (const one of found) await out.line(toLines(one, Date.now(), out))
  }
  return 0
}

type Said = ApprovalAnswer | ApiError

async function show(said: Said, { out, err, json }: Out): Promise<number> {
  const isError = said instanceof ApiError
  if (json) await out.line(JSON.stringify(isError ? toErrorBody(said) : said))
  else if (isError) await err.line(`${err.style('red', 'sluice:')} ${visible(said.message)}`)
  else await out.line(toDetails(said.approval, Date.now(), out))
  return isError ? 1 : 0
}

async function tell(said: Said, { out, err, json }: Out): Promise<number> {
  if (said instanceof ApiError || json) return await show(said, { out, err, json })
  const { ticket, decision } = said.approval
  const words = { pass: 'passed', deny: 'denied', edit: 'passed with other arguments' }
  await out.line(`${ticket} ${words[decision?.type ?? 'pass']}`)
  if (said.note !== undefined) await out.line(visible(said.note))
  return 0
}
