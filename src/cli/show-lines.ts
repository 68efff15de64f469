/**
 * A record that was read → lines for people: head, request, answer, verdicts, and what left other than it came.
 * Neighbours: `show.ts`. What others wrote cannot move the cursor.
 */
import { totalInput } from '../event/usage.ts'
import type { AnswerView, BlockView } from '../replay/read-answer.ts'
import type { RecordView } from '../replay/read-record.ts'
import type { Part } from '../request/part.ts'
import type { ModelRequest } from '../request/request.ts'
import type { StoredVerdict } from '../store/record.ts'
import { preview } from './block-lines.ts'
import { toBytes, toDollars, toDuration, toMoment } from './log-lines.ts'
import { visible, type Output } from './output.ts'

export interface ShowOptions {
  readonly out: Output
  /** All of every text. */
  readonly isFull: boolean
}

/** How many turns, blocks and verdicts are shown where not everything is. */
const SHOWN = 40

export function toShowLines(view: RecordView, options: ShowOptions): readonly string[] {
  const { out } = options
  const title = (text: string): string => `\n${out.style('bold', text)}`
  const { request, upstream, delivered, isSame, verdicts, notes } = view
  return [
    ...headLines(view, out),
    ...notes.map((note) => out.style('yellow', note)),
    ...(request === undefined ? [] : [title('Request'), ...requestLines(request, options)]),
    ...(upstream === undefined
      ? []
      : [title(isSame ? 'Answer' : 'Answer as it came'), ...answerLines(upstream, options)]),
    ...(isSame || delivered === undefined
      ? []
      : [title('Answer as it left'), ...deliveredLines(view, delivered, options)]),
    ...(verdicts.length === 0 ? [] : [title('Verdicts'), ...verdictLines(verdicts, options)]),
  ]
}

function headLines({ record }: RecordView, out: Output): readonly string[] {
  const row = (name: string, value: string | undefined): readonly string[] =>
    value === undefined || value === ''
      ? []
      : [`${out.style('dim', name.padEnd(13))}${visible(value)}`]
  const isFine = record.outcome === 'done' && record.status < 400
  const wires =
    record.upstreamWire === undefined || record.upstreamWire === record.wire
      ? record.wire
      : `${record.wire} → ${record.upstreamWire}`
  const models = [record.model, record.upstreamModel, record.answerModel].filter(
    (model, i, all) => model !== undefined && all.indexOf(model) === i,
  )
  return [
    `${out.style('bold', record.id)}  ${toMoment(record.startedAt)}  ${out.style(isFine ? 'green' : 'red', `${record.status} ${record.outcome}`)}`,
    ...row('endpoint', `${record.method} ${record.endpoint}${record.query}`),
    ...row('wire', wires),
    ...row('model', models.join(' → ')),
    ...row('route', [record.route, record.upstream].filter((one) => one !== undefined).join(' → ')),
    ...row('client', [record.client, record.key && `key ${record.key}`].filter(Boolean).join(', ')),
    ...row('conversation', record.conversation),
    ...row('request id', record.requestId),
    ...row('time', toTime(record)),
    ...row('tokens', toTokens(record)),
    ...row('bytes', `${toBytes(record.bytesIn)} in, ${toBytes(record.bytesOut)} out`),
    ...row('tools', record.tools.map(({ name, count }) => `${name}×${count}`).join(', ')),
    ...row('attempts', record.attempts.length > 1 ? toAttempts(record) : undefined),
    ...row('losses', record.losses.map(({ what }) => what).join(', ')),
    ...row('error', record.fault && `${record.fault.kind}: ${record.fault.message}`),
  ]
}

type Row = RecordView['record']

function toTime({ durationMs, firstByteMs }: Row): string {
  const first = firstByteMs === undefined ? '' : `, first byte after ${toDuration(firstByteMs)}`
  return `${toDuration(durationMs)}${first}`
}

function toTokens({ usage, isUsageEstimated, cost }: Row): string | undefined {
  if (usage === undefined) return undefined
  const about = isUsageEstimated ? 'about ' : ''
  const money = cost === undefined ? '' : `, ${toDollars(cost)}`
  return `${about}${totalInput(usage) ?? 0} in, ${usage.outputTokens ?? 0} out${money}`
}

const toAttempts = ({ attempts }: Row): string =>
  attempts
    .map(({ upstream, status, fault }) => `${upstream} ${status ?? fault?.kind ?? ''}`.trim())
    .join(', then ')

function requestLines(request: ModelRequest, options: ShowOptions): readonly string[] {
  const { out } = options
  const { system, turns, tools, maxTokens } = request
  const chars = system.reduce((sum, { text }) => sum + text.length, 0)
  const facts = [
    number(turns.length, 'turn'),
    ...(chars > 0 ? [`system ${count(chars)}`] : []),
    ...(tools.length > 0 ? [number(tools.length, 'tool')] : []),
    ...(maxTokens === undefined ? [] : [`at most ${maxTokens} tokens`]),
  ]
  const shown = options.isFull ? turns : turns.slice(-LAST_TURNS)
  const left = turns.length - shown.length
  return [
    out.style('dim', facts.join(', ')),
    ...(left > 0 ? [out.style('dim', `… ${left} earlier turns`)] : []),
    ...shown.flatMap(({ role, parts }) => parts.map((part) => partLine(role, part, options))),
  ]
}

const LAST_TURNS = 3

function partLine(role: string, part: Part, { out, isFull }: ShowOptions): string {
  const { what, text } = sayPart(part)
  const said = isFull ? indent(text) : preview(text)
  return [
    out.style(role === 'user' ? 'green' : 'magenta', role.padEnd(9)),
    out.style('cyan', what.padEnd(11)),
    count(text.length).padStart(13),
    said,
  ].join('  ')
}

function sayPart(part: Part): { readonly what: string; readonly text: string } {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'thinking':
      return { what: part.type, text: part.text }
    case 'tool-call':
      return { what: part.type, text: `${part.name} ${part.arguments}` }
    case 'tool-result': {
      const text = part.parts.map((one) => sayPart(one).text).join('\n')
      return { what: part.isError ? 'tool-error' : part.type, text }
    }
    case 'image':
    case 'audio':
      return { what: part.type, text: '' }
    case 'document':
      return { what: part.type, text: part.source.type === 'text' ? part.source.text : '' }
    case 'opaque':
      return { what: 'other', text: part.text ?? part.what }
  }
}

function answerLines(answer: AnswerView, options: ShowOptions): readonly string[] {
  const { out } = options
  const shown = options.isFull ? answer.blocks : answer.blocks.slice(0, SHOWN)
  const left = answer.blocks.length - shown.length
  return [
    ...shown.map((view) => blockLine(view, options)),
    ...(left > 0 ? [out.style('dim', `… and ${left} more blocks`)] : []),
    ...endLines(answer, out),
  ]
}

function endLines({ finishReason, fault, findings }: AnswerView, out: Output): readonly string[] {
  const errors = findings.filter(({ severity }) => severity === 'error')
  return [
    ...(finishReason === undefined ? [] : [`${out.style('dim', 'finish')}  ${finishReason}`]),
    ...(fault === undefined ? [] : [`${out.style('red', 'error ')}  ${preview(fault.message)}`]),
    ...errors
      .slice(0, SHOWN)
      .map(({ frame, rule, message }) =>
        out.style('yellow', `lint    frame ${frame}  ${rule}  ${visible(message)}`),
      ),
  ]
}

/** As `sluice blocks` prints it, with when it came. */
function blockLine(view: BlockView, { out, isFull }: ShowOptions, mark = ''): string {
  const { block, content, startedAt, endedAt } = view
  const columns = [
    ...(mark === '' ? [] : [mark]),
    String(block.index).padStart(3),
    out.style('dim', toSpan(startedAt, endedAt).padEnd(15)),
    out.style('cyan', block.type.padEnd(11)),
    count(content.length).padStart(13),
    ...('name' in block && block.name !== '' ? [out.style('bold', visible(block.name))] : []),
    isFull ? indent(content) : preview(content),
  ]
  if (block.choice !== undefined) columns.push(out.style('dim', `choice ${block.choice}`))
  if (!block.isComplete) columns.push(out.style('red', '(cut)'))
  return columns.join('  ')
}

function toSpan(from: number | undefined, to: number | undefined): string {
  if (from === undefined || to === undefined) return ''
  return `${toDuration(from / 1000)}–${toDuration(to / 1000)}`
}

const MARKS = { same: ' ', changed: '~', removed: '-', added: '+' } as const
const STYLES = { same: 'dim', changed: 'yellow', removed: 'red', added: 'green' } as const

/** Each block with what became of it; what is gone is told in its place. */
function deliveredLines(
  { upstream, changes }: RecordView,
  delivered: AnswerView,
  options: ShowOptions,
): readonly string[] {
  const { out } = options
  if (upstream === undefined) return answerLines(delivered, options)
  const shown = options.isFull ? changes : changes.slice(0, SHOWN)
  const left = changes.length - shown.length
  const lines = shown.map((change) => {
    const view =
      change.type === 'removed'
        ? upstream.blocks[change.original]
        : delivered.blocks[change.delivered]
    const mark = out.style(STYLES[change.type], MARKS[change.type])
    return view === undefined ? '' : blockLine(view, options, mark)
  })
  const more = left > 0 ? [out.style('dim', `… and ${left} more blocks`)] : []
  return [...lines, ...more, ...endLines(delivered, out)]
}

function verdictLines(verdicts: readonly StoredVerdict[], options: ShowOptions): readonly string[] {
  const { out } = options
  const shown = options.isFull ? verdicts : verdicts.slice(0, SHOWN)
  const left = verdicts.length - shown.length
  return [
    ...shown.flatMap((verdict) => verdictLine(verdict, options)),
    ...(left > 0 ? [out.style('dim', `… and ${left} more verdicts`)] : []),
  ]
}

function verdictLine(verdict: StoredVerdict, { out, isFull }: ShowOptions): readonly string[] {
  const { policy, type, reason, by, block, isShadow, original, delivered } = verdict
  const about = block === undefined ? 'request' : (block.name ?? block.type)
  const style = type === 'pass' ? 'green' : type === 'error' ? 'red' : 'yellow'
  const facts = [
    ...(by === undefined ? [] : [`by ${visible(by)}`]),
    ...(isShadow ? ['in shadow'] : []),
    toDuration(verdict.tookMs),
  ]
  const columns = [
    out.style(isShadow ? 'dim' : style, type.padEnd(8)),
    visible(policy),
    out.style('bold', visible(about)),
    ...(reason === undefined ? [] : [isFull ? indent(reason) : preview(reason)]),
    out.style('dim', `(${facts.join(', ')})`),
  ]
  const isChange = type !== 'pass' && original !== undefined
  const said = (text: string): string => (isFull ? indent(text) : preview(text))
  return [
    columns.join('  '),
    ...(isChange ? [`  ${out.style('red', '-')} ${said(original)}`] : []),
    ...(isChange && delivered !== undefined
      ? [`  ${out.style('green', '+')} ${said(delivered)}`]
      : []),
  ]
}

const number = (of: number, word: string): string => `${of} ${word}${of === 1 ? '' : 's'}`

const count = (chars: number): string => `${chars.toLocaleString('en')} chars`

/** All of it, a line of its own each; it cannot move the cursor. */
const indent = (text: string): string =>
  text.includes('\n')
    ? `\n${text
        .split('\n')
        .map((line) => `      ${visible(line)}`)
        .join('\n')}`
    : visible(text)
