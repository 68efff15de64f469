/**
 * What happens at a gateway in lines for a person. What models and clients wrote is shown so that it cannot move the
 * cursor, colour anything or look like words of ours. Neighbours: `tail.ts`.
 */
import type { StreamBlock } from '../event/block.ts'
import { totalInput } from '../event/usage.ts'
import type { FeedEvent, OpenExchange } from '../store/feed.ts'
import type { ExchangeSummary } from '../store/query.ts'
import { contentOf, preview } from './block-lines.ts'
import { visible, type Output } from './output.ts'

type Style = Pick<Output, 'style'>
type Verdict = Extract<FeedEvent, { type: 'verdict' }>['verdict']

export function toBegun(exchange: OpenExchange, out: Style): string {
  const { id, startedAt, model, client, key, endpoint } = exchange
  return join([
    head(id, startedAt, out),
    out.style('cyan', '→'),
    out.style('bold', visible(model ?? '(no model)')),
    ...(client === undefined ? [] : [visible(client)]),
    ...(key === undefined ? [] : [`key ${visible(key)}`]),
    out.style('dim', visible(endpoint)),
  ])
}

export function toBlock(id: string, block: StreamBlock, out: Style): string {
  return join([
    head(id, undefined, out),
    ' ',
    out.style('cyan', block.type),
    ...('name' in block && block.name !== '' ? [out.style('bold', visible(block.name))] : []),
    preview(contentOf(block)),
    ...(block.isComplete ? [] : [out.style('red', '(cut)')]),
  ])
}

export function toVerdict(id: string, verdict: Verdict, out: Style): string {
  const { type, policy, reason, block, by, isShadow } = verdict
  const words = join([
    `${isShadow ? 'would ' : ''}${type}`,
    visible(block?.name ?? block?.type ?? 'request'),
    `by ${visible(by === undefined ? policy : `${policy}, ${by}`)}`,
    ...(reason === undefined ? [] : [preview(reason)]),
  ])
  const colour = isShadow ? 'dim' : (COLOURS[type] ?? 'dim')
  return join([head(id, undefined, out), out.style(colour, '●'), out.style(colour, words)])
}

const COLOURS: Readonly<Record<string, 'red' | 'yellow' | 'dim'>> = {
  deny: 'red',
  halt: 'red',
  error: 'red',
  rewrite: 'yellow',
  replace: 'yellow',
  change: 'yellow',
  ask: 'yellow',
  pass: 'dim',
}

export function toFinished(exchange: ExchangeSummary, out: Style): string {
  const { id, status, outcome, startedAt, durationMs, usage, cost, tools, fault } = exchange
  const isWell = outcome === 'done' && status < 400
  return join([
    head(id, startedAt + durationMs, out),
    out.style(isWell ? 'green' : 'red', '■'),
    out.style(isWell ? 'green' : 'red', isWell ? String(status) : `${status} ${outcome}`),
    toTime(durationMs),
    ...(usage === undefined ? [] : [`${totalInput(usage)} in, ${usage.outputTokens ?? 0} out`]),
    ...(cost === undefined ? [] : [`$${(cost / 1_000_000).toFixed(4)}`]),
    ...(tools.length === 0 ? [] : [toTools(tools)]),
    ...(fault === undefined ? [] : [preview(fault.message)]),
  ])
}

const toTools = (tools: ExchangeSummary['tools']): string =>
  tools.map(({ name, count }) => visible(count === 1 ? name : `${name} ×${count}`)).join(', ')

const toTime = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`

/** The time of day, where something happened then, and which exchange. */
const head = (id: string, at: number | undefined, out: Style): string => {
  const time = at === undefined ? ' '.repeat(8) : new Date(at).toTimeString().slice(0, 8)
  return out.style('dim', `${time}  ${visible(id)}`)
}

const join = (words: readonly string[]): string => words.join('  ')
