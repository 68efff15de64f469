/**
 * The conversation around a call that waits: what the client asked, and what this answer said before the call. The exchange
 * is open, so that its bytes come live; of one that is over they come from the records. Neighbours: `blocks/request-view.ts`
 * and `exchange/answer-reader.ts` read the bytes, `around.tsx` shows them.
 */
import { useEffect, useState } from 'react'
import type { BlockView } from '../../src/api/types.ts'
import type { WireName } from '../../src/event/event.ts'
import { readRequestView, type RequestView } from '../blocks/request-view.ts'
import { api, ApiError, toSentence } from '../core/api.ts'
import { createAnswerReader, type AnswerReader } from '../exchange/answer-reader.ts'
import { isWire, sniffWire } from './sniff-wire.ts'

export interface Around {
  readonly state: 'reading' | 'read' | 'missing'
  readonly request?: RequestView | undefined
  readonly blocks: readonly BlockView[]
  /** Why it is missing. */
  readonly why?: string
}

const NOTHING: Around = { state: 'reading', blocks: [] }

export function useAround(exchangeId: string): Around {
  const [around, setAround] = useState<Around & { readonly of: string }>({ ...NOTHING, of: '' })
  useEffect(() => {
    const leave = new AbortController()
    const tell = (next: Around): void => {
      if (!leave.signal.aborted) setAround({ ...next, of: exchangeId })
    }
    void follow(exchangeId, leave.signal, tell)
    return () => leave.abort()
  }, [exchangeId])
  return around.of === exchangeId ? around : NOTHING
}

type Tell = (around: Around) => void

async function follow(id: string, signal: AbortSignal, tell: Tell): Promise<void> {
  try {
    await followLive(id, signal, tell)
  } catch (error) {
    if (signal.aborted) return
    const isOver = error instanceof ApiError && (error.status === 409 || error.status === 404)
    if (!isOver) return tell({ ...NOTHING, state: 'missing', why: toSentence(error) })
    await readRecorded(id).then(tell, () => tell({ ...NOTHING, state: 'missing', why: NOT_KEPT }))
  }
}

const NOT_KEPT = 'What was said around this call is not kept here.'

/** Once per frame at most: an answer comes in many small pieces. */
async function followLive(id: string, signal: AbortSignal, tell: Tell): Promise<void> {
  let wire: WireName = 'anthropic-messages'
  let request: RequestView | undefined
  let reader: AnswerReader | undefined
  const parts: Uint8Array[] = []
  let frame = 0
  const later = (): void => {
    frame ||= requestAnimationFrame(() => {
      frame = 0
      if (parts.length > 0) request ??= readRequestView(wire, decode(parts))
      tell({ state: 'read', request, blocks: reader?.blocks() ?? [] })
    })
  }
  signal.addEventListener('abort', () => cancelAnimationFrame(frame))
  for await (const event of api.live(id, signal)) {
    if (event.type === 'exchange' && isWire(event.exchange.wire)) wire = event.exchange.wire
    if (event.type !== 'piece') continue
    if (event.kind === 'request') parts.push(event.bytes)
    if (event.kind === 'upstream') {
      reader ??= createAnswerReader(sniffWire(event.bytes) ?? wire)
      reader.push(event.bytes, event.at)
    }
    later()
  }
}

async function readRecorded(id: string): Promise<Around> {
  const [{ exchange }, body, answer] = await Promise.all([
    api.exchange(id),
    api.body(id, 'request').then((response) => response.text()),
    api.blocks(id),
  ])
  const request = isWire(exchange.wire) ? readRequestView(exchange.wire, body) : undefined
  return { state: 'read', request, blocks: answer.upstream?.blocks ?? [] }
}

function decode(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder()
  return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode()
}
