/**
 * `sluice policy shadow`: what policies in shadow would have done, by the verdicts that are kept of them. Neighbours:
 * `replay/compare-shadow.ts` counts; `policy-mode.ts` turns one on.
 */
import { summarizeShadow, type ShadowSummary } from '../replay/compare-shadow.ts'
import { readArguments } from './arguments.ts'
import { columns, preview } from './backtest-lines.ts'
import { readQuery } from './backtest-words.ts'
import type { Streams } from './command.ts'
import { openStore, STORE_HELP, STORE_OPTIONS } from './open-store.ts'
import { visible, type Output } from './output.ts'

export const SHADOW_HELP = `sluice policy shadow [NAME] [--since 7d] [--where KEY=VALUE]… [--json]

Says what policies in shadow would have done, by rule and by tool, from the verdicts
that were recorded while they watched.

${STORE_HELP}
`

const SINCE = '7d'

export async function shadowCommand(argv: readonly string[], streams: Streams): Promise<number> {
  const { values, file: name } = readArguments(argv, {
    ...STORE_OPTIONS,
    since: { type: 'string' },
    until: { type: 'string' },
    where: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  })
  const { since = SINCE, until, where = [] } = values
  const query = readQuery({ since, until, where }, Date.now())
  const opened = await openStore(values.config, { store: values.store })
  try {
    const found = await summarizeShadow(
      opened.reader,
      name === undefined ? query : { ...query, policy: name },
    )
    if (values.json === true) await streams.out.line(JSON.stringify({ policies: found }))
    else for (const line of toLines(found, name, streams.out)) await streams.out.line(line)
    return 0
  } finally {
    await opened.close()
  }
}

function* toLines(
  found: readonly ShadowSummary[],
  name: string | undefined,
  out: Output,
): Generator<string> {
  if (found.length === 0)
    yield name === undefined
      ? 'No policy in shadow has judged anything in this time: put one there with shadow: true'
      : `"${visible(name)}" has judged nothing in shadow in this time: "sluice policy list" says what is there`
  for (const { policy, version, judged, would, rows, isCut } of found) {
    const said = Object.entries(would).map(([type, count]) => `${type} ${count}`)
    const words =
      said.length === 0 ? 'would have changed nothing' : `would have: ${said.join(', ')}`
    yield `${out.style('bold', visible(policy))} ${out.style('dim', visible(version ?? ''))}  judged ${judged}, ${words}`
    yield* columns(
      rows.map(({ type, count, rule, tool }) => [
        `  ${type}`,
        String(count),
        preview(rule, 60),
        preview(tool, 30),
      ]),
    )
    for (const { tool, examples } of rows) yield* toExample(tool, examples, out)
    if (isCut) yield `  ${out.style('dim', 'rules are counted for the newest only')}`
  }
}

function* toExample(
  tool: string,
  [first]: ShadowSummary['rows'][number]['examples'],
  out: Output,
): Generator<string> {
  if (first === undefined) return
  const { exchangeId, reason, original = '' } = first
  yield `  ${out.style('dim', visible(exchangeId))} ${visible(tool)} ${preview(original, 80)}`
  if (reason !== undefined) yield `    ${preview(reason, 110)}`
}
