/**
 * `sluice halt` and `sluice resume`: the kill switch of a running gateway. Neighbours: `api-client.ts` asks it.
 */
import type { HaltState } from '../approvals/halt.ts'
import { readArguments } from './arguments.ts'
import { API_HELP, API_OPTIONS, askOrEnd, connect } from './api-client.ts'
import type { Command } from './command.ts'
import { visible } from './output.ts'
import { whoAmI } from './who.ts'

export const halt: Command = {
  help: `sluice halt [--reason TEXT] [--status]

Stops every tool call at the gateway, of all clients, until "sluice resume".
Text goes on; a call becomes a text that says that it was halted, and why.

  --reason TEXT   why, for the models and the people behind them
  --status        only say how the switch stands; exit 1 when it is on
${API_HELP}
`,
  run: (argv, { out }) => turn(argv, true, out),
}

export const resume: Command = {
  help: `sluice resume

Lets tool calls through again after "sluice halt".

${API_HELP}
`,
  run: (argv, { out }) => turn(argv, false, out),
}

async function turn(
  argv: readonly string[],
  halted: boolean,
  out: Parameters<Command['run']>[1]['out'],
): Promise<number> {
  const { values, file } = readArguments(argv, {
    ...API_OPTIONS,
    reason: { type: 'string' },
    status: { type: 'boolean' },
  })
  const { url, config, by, json, status } = values
  const reason = values.reason ?? file
  const api = connect({ url, config })
  const order = { halted, by: whoAmI(by), ...(reason === undefined ? undefined : { reason }) }
  const state = await askOrEnd(status === true ? api.halt() : api.setHalt(order))
  if (json === true) await out.line(JSON.stringify(state))
  else await out.line(out.style(state.halted ? 'red' : 'green', toLine(state)))
  return status === true && state.halted ? 1 : 0
}

function toLine({ halted, by, reason }: HaltState): string {
  const who = by === undefined ? '' : ` by ${visible(by)}`
  const why = reason === undefined ? '' : `: ${visible(reason)}`
  return halted
    ? `All tool calls are halted${who}${why}. "sluice resume" lets them through again.`
    : `Tool calls are let through${by === undefined ? '' : ` (resumed${who})`}.`
}
