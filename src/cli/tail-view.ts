/**
 * What all exchanges of a gateway do, line by line. Neighbours: `tail.ts` hears it, `tail-reader.ts` decodes what passes,
 * `tail-lines.ts` writes for people.
 */
import type { ApiEvent, LiveBytes } from '../api/types.ts'
import type { OpenExchange } from '../store/feed.ts'
import type { ExchangeSummary } from '../store/query.ts'
import { isWireName } from '../wire/wires.ts'
import { blockJson } from './block-lines.ts'
import type { Output } from './output.ts'
import { toBegun, toBlock, toFinished, toVerdict } from './tail-lines.ts'
import { createAnswerReader, type AnswerReader, type Growth } from './tail-reader.ts'

export interface TailView {
  take(event: ApiEvent): Promise<void>
  /** What went on is lost with its gateway. */
  forget(): void
}

export type Wanted = (exchange: Pick<OpenExchange, 'model' | 'key' | 'conversation'>) => boolean

export interface TailViewOptions {
  readonly json: boolean
  readonly isWanted: Wanted
}

interface Shown {
  readonly reader: AnswerReader
  /** It is over, and the last bytes are waited for. */
  ending?: { readonly exchange: ExchangeSummary; readonly timer: NodeJS.Timeout }
}

/** A gateway has no more at once; one that never ends must not fill the memory here. */
const MAX_SHOWN = 10_000
/** How far the bytes of another gateway come behind its last word. */
const MAX_BEHIND_MS = 500

export function createTailView(out: Output, { json, isWanted }: TailViewOptions): TailView {
  const shown = new Map<string, Shown>()
  const line = (event: object, text: () => string): Promise<void> =>
    out.line(json ? JSON.stringify(event) : text())

  async function begin(exchange: OpenExchange): Promise<void> {
    if (!isWanted(exchange) || shown.has(exchange.id)) return
    const { wire } = exchange
    const reader = createAnswerReader(isWireName(wire) ? wire : undefined)
    if (shown.size < MAX_SHOWN) shown.set(exchange.id, { reader })
    await line({ event: 'begun', exchange }, () => toBegun(exchange, out))
  }

  async function grow(id: string, growth: readonly Growth[]): Promise<void> {
    for (const one of growth)
      if (one.type === 'block')
        await line({ event: 'block', id, block: blockJson(one.block) }, () =>
          toBlock(id, one.block, out),
        )
  }

  async function pass({ id, kind, bytes }: LiveBytes): Promise<void> {
    const one = kind === 'upstream' ? shown.get(id) : undefined
    if (one === undefined) return
    await grow(id, one.reader.push(bytes))
    if (one.ending !== undefined && one.reader.isWhole()) await end(one.ending.exchange)
  }

  async function finish(exchange: ExchangeSummary): Promise<void> {
    const one = shown.get(exchange.id)
    if (one === undefined || one.reader.isWhole()) return await end(exchange)
    one.ending ??= { exchange, timer: setTimeout(() => void end(exchange), MAX_BEHIND_MS) }
  }

  async function end(exchange: ExchangeSummary): Promise<void> {
    const one = shown.get(exchange.id)
    shown.delete(exchange.id)
    clearTimeout(one?.ending?.timer)
    await grow(exchange.id, one?.reader.end() ?? [])
    if (isWanted(exchange))
      await line({ event: 'finished', exchange }, () => toFinished(exchange, out))
  }

  function forget(): void {
    for (const { ending } of shown.values()) clearTimeout(ending?.timer)
    shown.clear()
  }

  return {
    forget,
    async take(event) {
      switch (event.type) {
        case 'state': {
          forget()
          const { open } = event
          await line({ event: 'state', open }, () => out.style('dim', toState(open.length)))
          for (const one of open) await begin(one)
          return
        }
        case 'begun':
          return await begin(event.exchange)
        case 'piece':
          return await pass(event)
        case 'verdict': {
          const { id, verdict } = event
          if (!shown.has(id)) return
          return await line({ event: 'verdict', id, verdict }, () => toVerdict(id, verdict, out))
        }
        case 'finished':
          return await finish(event.exchange)
        case 'gone':
          clearTimeout(shown.get(event.id)?.ending?.timer)
          shown.delete(event.id)
          return
        case 'recorded':
        case 'asked':
        case 'waiting':
        case 'decided':
        case 'expired':
        case 'halt':
      }
    },
  }
}

const toState = (open: number): string =>
  `Watching${open === 0 ? '' : `: ${open} under way`}. Ctrl-C ends it.`
