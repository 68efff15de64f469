/**
 * What policies decided on one answer → a row for each block: as a person reads it, and as JSON. Neighbours:
 * `policy-test.ts` prints them. Content of others is made visible, and cut.
 */
import { contentOf } from '../event/block-content.ts'
import { createAssembler } from '../block/assemble.ts'
import type { StreamBlock } from '../event/block.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import type { VerdictRecord } from '../policy/policy.ts'
import type { TestResult, TestVerdict } from '../testkit/result.ts'
import { visible, type Output } from './output.ts'

/** What one policy said of one block; without a policy: nobody held it. */
export interface Row {
  readonly index: number
  readonly type: string
  readonly name: string | undefined
  readonly content: string
  readonly policy: string | undefined
  /** `-`: nobody was asked. `changed`: a filter has left something else of it. */
  readonly verdict: TestVerdict | '-' | 'changed'
  readonly reason: string | undefined
  readonly tags: readonly string[]
  readonly tookMs: number | undefined
  readonly isShadow: boolean
  /** What the client gets of it, where that is something else. */
  readonly delivered: string | undefined
}

export interface Report {
  readonly name: string
  readonly wire: WireName | undefined
  readonly rows: readonly Row[]
  readonly finish: string | undefined
  /** How the answer broke off, if it did. */
  readonly error: string | undefined
  /** What the client would get that is not legal on its wire: a bug of ours, or of a filter. */
  readonly illegal: readonly string[]
  readonly tookMs: number
}

export function toReport(
  of: {
    readonly name: string
    readonly wire: WireName | undefined
    readonly events: readonly StreamEvent[]
  },
  result: TestResult,
  asked: ReadonlyMap<string, string>,
): Report {
  const rows = [
    ...result.verdicts.filter(({ block }) => block === undefined).map(toRequestRow),
    ...blocksOf(of.events).flatMap((block) => toRows(block, result, asked)),
  ]
  const wires = result.isUntouched || result.isRefused ? [] : [of.wire ?? 'anthropic-messages']
  const illegal = result
    .findings()
    .filter(({ wire, severity }) => wires.includes(wire) && severity === 'error')
    .map(({ rule, message }) => `${rule}: ${message}`)
  return {
    name: of.name,
    wire: of.wire,
    rows,
    finish: result.finish,
    error: result.error?.message,
    illegal,
    tookMs: result.tookMs,
  }
}

function blocksOf(events: readonly StreamEvent[]): readonly StreamBlock[] {
  const assembler = createAssembler()
  for (const event of events) assembler.apply(event)
  return assembler.state.blocks
}

const toRequestRow = (record: VerdictRecord): Row => ({
  ...toSaid(record),
  index: -1,
  type: 'request',
  name: undefined,
  content: '',
})

const toSaid = (record: VerdictRecord) => ({
  policy: record.policy,
  verdict: record.type,
  reason: record.reason,
  tags: record.tags,
  tookMs: record.tookMs,
  isShadow: record.isShadow,
  delivered: record.delivered,
})

function toRows(
  block: StreamBlock,
  result: TestResult,
  asked: ReadonlyMap<string, string>,
): readonly Row[] {
  const base = {
    index: block.index,
    type: block.type,
    name: nameOf(block),
    content: contentOf(block),
  }
  const said = result.verdicts.filter(
    (record) => record.block?.id === block.id && record.block.index === block.index,
  )
  if (said.length > 0) return said.map((record) => ({ ...base, ...withQuestion(record, asked) }))
  return [{ ...base, ...unheld(block, result) }]
}

const nameOf = (block: StreamBlock): string | undefined =>
  block.type === 'tool-call' || block.type === 'server-tool' ? block.name : undefined

/** A question that nobody answered is a question, and not the denial that comes of it. */
function withQuestion(record: VerdictRecord, asked: ReadonlyMap<string, string>) {
  const said = toSaid(record)
  const question = asked.get(`${record.policy}\n${record.block?.id ?? ''}`)
  return question === undefined || record.type === 'error'
    ? said
    : { ...said, verdict: 'ask' as const, reason: question }
}

const NOT_HELD = '-' as const
const CHANGED = 'changed' as const

/** A filter has no verdicts: what it did shows in what is left. What was held when an answer broke off is not sent. */
function unheld(block: StreamBlock, { isUntouched, state, error }: TestResult) {
  const nothing = { policy: undefined, reason: undefined, tags: [], tookMs: undefined }
  const left = state.blocks.find(
    (one) => one.type === block.type && (one.info === block.info || one.id === block.id),
  )
  const delivered = left === undefined ? '' : contentOf(left)
  const isSame = isUntouched || delivered === contentOf(block)
  return {
    ...nothing,
    isShadow: false,
    verdict: isSame || (left === undefined && error !== undefined) ? NOT_HELD : CHANGED,
    delivered: isSame ? undefined : delivered,
  }
}

const COLOURS: Readonly<Record<Row['verdict'], Parameters<Output['style']>[0]>> = {
  pass: 'green',
  '-': 'dim',
  changed: 'cyan',
  change: 'cyan',
  rewrite: 'cyan',
  replace: 'cyan',
  ask: 'yellow',
  deny: 'red',
  halt: 'red',
  error: ['bold', 'red'],
}

/** `isMany`: there are several policies, and each says whose word it is. */
export function* toLines(report: Report, out: Output, isMany: boolean): Generator<string> {
  const wire = report.wire === undefined ? '' : out.style('dim', `  ${report.wire}`)
  yield `${out.style('bold', visible(report.name))}${wire}`
  for (const row of report.rows) yield toLine(row, out, isMany)
  if (report.error !== undefined)
    yield `     ${out.style('red', 'broken')}  ${preview(report.error, 80)}`
  for (const wrong of report.illegal) yield `     ${out.style('red', 'illegal')}  ${visible(wrong)}`
}

function toLine(row: Row, out: Output, isMany: boolean): string {
  const { verdict, tookMs, policy, reason } = row
  const time = tookMs === undefined ? '' : `${tookMs.toFixed(tookMs < 10 ? 2 : 0)} ms`
  const about = [row.name === undefined ? '' : visible(row.name), preview(row.content, 48)]
  const said = reason === undefined ? [] : [preview(reason, 120)]
  const whose = policy === undefined || (reason === undefined && !isMany) ? [] : [visible(policy)]
  const why = [...whose, ...said].join(': ')
  const marks = [
    ...(row.isShadow ? ['in shadow'] : []),
    ...row.tags.map((tag) => `#${visible(tag)}`),
  ]
  const isLeft = row.policy === undefined && row.delivered !== undefined
  const left = isLeft ? `→ ${preview(row.delivered ?? '', 48) || 'nothing'}` : ''
  return [
    row.index < 0 ? '   ' : String(row.index).padStart(3),
    out.style('cyan', row.type.padEnd(11)),
    out.style(COLOURS[verdict], verdict.padEnd(7)),
    out.style('dim', time.padStart(9)),
    about.filter((text) => text !== '').join(' '),
    left,
    why,
    out.style('dim', marks.join(' ')),
  ]
    .filter((text, at) => at < 4 || text !== '')
    .join('  ')
    .trimEnd()
}

function preview(text: string, max: number): string {
  const line = text
    .slice(0, max * 2)
    .replace(/\s+/g, ' ')
    .trim()
  return visible(line.length > max ? `${line.slice(0, max - 1)}…` : line)
}
