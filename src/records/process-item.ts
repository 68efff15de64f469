/**
 * What the gateway recorded → what is written of it: tools found, secrets masked, content left out, as the settings say.
 * Neighbours: `worker.ts` calls it for every item, `replay/` reads the bytes, `writer.ts` writes what comes out. Never
 * throws: what cannot be read is written without what could not be found in it.
 */
import type { BodyKind, ExchangeRow, Piece, ToolUse, WriteItem } from '../store/record.ts'
import type { RecordSettings } from '../store/settings.ts'
import type { TextDue } from '../store/store.ts'
import type { VerdictRecord } from '../policy/policy.ts'
import { withDropped, withoutReasons } from './dropped.ts'
import { createHeldPieces } from './held-pieces.ts'
import type { FinishedExchange } from './outbox.ts'
import { withPassed } from './passed.ts'

/** As the outbox got it. */
export type RecordedItem =
  | { readonly type: 'piece'; readonly exchangeId: string; readonly piece: Piece }
  | { readonly type: 'exchange'; readonly exchange: FinishedExchange }
  | {
      readonly type: 'verdicts'
      readonly exchangeId: string
      readonly at: number
      readonly verdicts: readonly VerdictRecord[]
    }

/** What reads bytes: `replay/` in the thread. */
export interface ContentReader {
  /** The tools that an answer calls. */
  tools(row: ExchangeRow, answer: readonly Uint8Array[]): readonly ToolUse[]
  /** The same exchange with what is secret masked; bodies that it cannot read are left out and named as dropped. */
  redact(exchange: FinishedExchange): Promise<FinishedExchange>
  redactVerdicts(verdicts: readonly VerdictRecord[]): Promise<readonly VerdictRecord[]>
  /** What an exchange is to be found by: the words of the last turn and of the answer. */
  text(
    due: Pick<TextDue, 'wire' | 'upstreamWire'>,
    bodies: Partial<Readonly<Record<BodyKind, Uint8Array>>>,
  ): string
}

export interface ProcessorOptions {
  readonly settings: RecordSettings
  readonly content: Promise<ContentReader>
  /** The bytes of a body that came before, in order. */
  earlier(exchangeId: string, kind: BodyKind): Promise<readonly Uint8Array[]>
}

export interface Processor {
  /** Adds what is to be written of them to `out`, in the order in which they came. */
  process(items: readonly RecordedItem[], out: WriteItem[]): Promise<void>
}

export function createProcessor(options: ProcessorOptions): Processor {
  const { settings, earlier } = options
  // What is to be masked must be seen whole, and not a byte of it may reach the disk before that.
  const held = settings.mode === 'redacted' ? createHeldPieces() : undefined
  const hasText = settings.hasSearch && settings.secret === undefined

  async function toolsOf(
    { row, pieces, tools }: FinishedExchange,
    content: ContentReader,
  ): Promise<readonly ToolUse[]> {
    if (tools !== undefined) return tools
    const answer = pieces.filter(({ kind }) => kind === 'upstream')
    // All of a long one may have gone ahead: then nothing is left that says so.
    const isBegun = answer[0] === undefined ? hasAnswer(row) : answer[0].seq > 0
    const before = isBegun ? await earlier(row.id, 'upstream') : []
    const bytes = [...before, ...answer.map((piece) => piece.bytes)]
    return bytes.length === 0 ? [] : content.tools(row, bytes)
  }

  async function passedOf(given: FinishedExchange): Promise<FinishedExchange> {
    if ((given.passed ?? 0) === 0) return given
    return withPassed(given, await earlier(given.row.id, 'upstream').catch(() => []))
  }

  async function processExchange(
    given: FinishedExchange,
    content: ContentReader,
  ): Promise<WriteItem> {
    const { id, record } = given.row
    if (record === 'metadata') return toItem(withoutWords(given), given.tools ?? [], false)
    const whole = held === undefined ? await passedOf(given) : held.take(id, given)
    const tools = await toolsOf(whole, content).catch(() => [])
    const kept = record === 'redacted' ? await redact(whole, content) : whole
    return toItem(kept, tools, hasText)
  }

  function processPiece(exchangeId: string, piece: Piece): WriteItem | undefined {
    if (settings.mode === 'metadata') return undefined
    if (held === undefined) return { type: 'piece', exchangeId, piece }
    held.hold(exchangeId, piece)
    return undefined
  }

  async function processVerdicts(
    verdicts: readonly VerdictRecord[],
    content: ContentReader,
  ): Promise<readonly VerdictRecord[]> {
    if (settings.mode === 'bytes') return verdicts
    const bare = verdicts.map(withoutReasons)
    if (settings.mode === 'metadata') return bare
    try {
      return await content.redactVerdicts(verdicts)
    } catch {
      return bare
    }
  }

  return {
    async process(items, out) {
      const content = await options.content
      for (const item of items) {
        if (item.type === 'piece') {
          const one = processPiece(item.exchangeId, item.piece)
          if (one !== undefined) out.push(one)
        } else if (item.type === 'verdicts')
          out.push({ ...item, verdicts: await processVerdicts(item.verdicts, content) })
        else out.push(await processExchange(item.exchange, content))
      }
    },
  }
}

const hasAnswer = ({ upstreamStatus, dropped }: ExchangeRow): boolean =>
  upstreamStatus !== undefined && !dropped.includes('upstream')

const toItem = (
  { row, pieces, verdicts, without, ahead }: FinishedExchange,
  tools: readonly ToolUse[],
  isTextDue: boolean,
): WriteItem => ({
  type: 'exchange',
  row,
  pieces,
  verdicts,
  tools,
  without,
  text: undefined,
  isTextDue,
  hasAhead: ahead === undefined || Object.keys(ahead).length > 0,
})

/** What cannot be masked is not kept. */
async function redact(
  exchange: FinishedExchange,
  content: ContentReader,
): Promise<FinishedExchange> {
  try {
    return await content.redact(exchange)
  } catch {
    return withoutWords(exchange)
  }
}

/** Nothing in it that a client, an upstream or a judge has said. */
function withoutWords(exchange: FinishedExchange): FinishedExchange {
  const { row, pieces } = exchange
  const kinds = pieces.map(({ kind }) => kind)
  return {
    ...exchange,
    pieces: [],
    verdicts: exchange.verdicts.map(withoutReasons),
    row: {
      ...withDropped(row, kinds),
      fault: row.fault && { ...row.fault, message: '' },
      attempts: row.attempts.map((one) => ({
        ...one,
        fault: one.fault && { kind: one.fault.kind, message: '' },
      })),
      requestHeaders: {},
      upstreamHeaders: {},
      query: '',
    },
  }
}
