/**
 * `sluice tail ID`: one exchange until it is over, its text as it streams. Neighbours: `tail.ts`. Between blocks of text
 * stand lines of ours; text keeps its line breaks and nothing else that could move a cursor.
 */
import { ApiError } from '../api/call.ts'
import type { ApiClient } from '../api/client.ts'
import type { LiveEvent } from '../api/types.ts'
import type { StreamBlock } from '../event/block.ts'
import type { ExchangeSummary } from '../store/query.ts'
import { isWireName } from '../wire/wires.ts'
import { toSluiceError } from './api-client.ts'
import { blockJson } from './block-lines.ts'
import type { Streams } from './command.ts'
import { visible } from './output.ts'
import { toBegun, toBlock, toFinished, toVerdict } from './tail-lines.ts'
import { createAnswerReader, type AnswerReader, type Growth } from './tail-reader.ts'

/** Exit 1 where there is no such exchange, or it is over. */
export async function tailOne(
  api: ApiClient,
  id: string,
  options: Streams & { readonly json: boolean },
): Promise<number> {
  const { out, err } = options
  const view = createView(options)
  try {
    for await (const event of api.live(id)) {
      await view(event)
      if (out.isGone) return 0
    }
    return 0
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status !== 404 && error.status !== 409) throw toSluiceError(error)
    const words = error.status === 409 ? `It is over: sluice show ${visible(id)}` : error.message
    await err.line(`${err.style('red', 'sluice:')} ${words}`)
    return 1
  }
}

function createView({
  out,
  json,
}: Streams & { readonly json: boolean }): (event: LiveEvent) => Promise<void> {
  let reader: AnswerReader | undefined
  let finished: ExchangeSummary | undefined
  /** The block whose text is being written. */
  let writing: StreamBlock | undefined
  let isAtLineStart = true
  let id = ''

  async function line(event: object, text: () => string): Promise<void> {
    if (json) return await out.line(JSON.stringify(event))
    if (!isAtLineStart) await out.line()
    isAtLineStart = true
    writing = undefined
    await out.line(text())
  }

  async function more(block: StreamBlock, text: string): Promise<void> {
    if (json) return await out.line(JSON.stringify({ event: 'more', type: block.type, text }))
    if (writing !== block) {
      if (!isAtLineStart) await out.line()
      writing = block
    }
    const shown = toShown(text)
    await out.write(block.type === 'thinking' ? out.style('dim', shown) : shown)
    if (shown !== '') isAtLineStart = shown.endsWith('\n')
  }

  async function grow(growth: readonly Growth[]): Promise<void> {
    for (const one of growth) {
      if (one.type === 'more') await more(one.block, one.text)
      // Its text stands there already.
      else if (json || writing !== one.block)
        await line({ event: 'block', id, block: blockJson(one.block) }, () =>
          toBlock(id, one.block, out),
        )
    }
  }

  return async (event) => {
    switch (event.type) {
      case 'exchange': {
        const { exchange } = event
        id = exchange.id
        reader = createAnswerReader(isWireName(exchange.wire) ? exchange.wire : undefined)
        return await line({ event: 'begun', exchange }, () => toBegun(exchange, out))
      }
      case 'piece':
        if (event.kind === 'upstream') await grow(reader?.push(event.bytes) ?? [])
        return
      case 'verdict':
        return await line({ event: 'verdict', id, verdict: event.verdict }, () =>
          toVerdict(id, event.verdict, out),
        )
      case 'finished':
        // Bytes of another gateway may come behind its last word.
        finished = event.exchange
        return
      case 'end': {
        await grow(reader?.end() ?? [])
        reader = undefined
        const exchange = finished
        if (exchange !== undefined)
          await line({ event: 'finished', exchange }, () => toFinished(exchange, out))
      }
    }
  }
}

/** Line breaks stay; a carriage return alone could write over what stands there. */
const toShown = (text: string): string => text.split('\n').map(visible).join('\n')
