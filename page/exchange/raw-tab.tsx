/**
 * The answer as bytes: the frames of both sides with their times, and the remarks of lint beside the frame that they are
 * about. Neighbours: `raw-data.ts` reads, `raw-list.tsx` and `raw-detail.tsx` show. Knows no block.
 */
import { useState, type ReactElement } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { toSize, toWireName } from '../core/format.ts'
import { Choice } from '../kit/choice.tsx'
import { Empty, Failed } from '../kit/states.tsx'
import { hasBody, whyMissing } from './raw-body.ts'
import { hasBoth, useProgress, useRawAnswer, wireOf, type Side } from './raw-data.ts'
import { RawJson } from './raw-json.tsx'
import { RawStream } from './raw-stream.tsx'

export function RawTab({ answer }: { readonly answer: ExchangeAnswer }): ReactElement {
  const { exchange } = answer
  const [side, setSide] = useState<Side>(
    hasBody(exchange, 'upstream') || !hasBody(exchange, 'delivered') ? 'upstream' : 'delivered',
  )
  const sides = <Sides answer={answer} side={side} isOne={!hasBoth(exchange)} onSelect={setSide} />
  const missing = whyMissing(exchange, side)
  if (missing !== undefined) return <Empty title="There are no bytes to show">{missing}</Empty>
  return <RawSide key={side} answer={answer} side={side} sides={sides} />
}

function RawSide({
  answer,
  side,
  sides,
}: {
  readonly answer: ExchangeAnswer
  readonly side: Side
  readonly sides: ReactElement
}): ReactElement {
  const { exchange } = answer
  const { data, error, refetch } = useRawAnswer(exchange, side)
  const progress = useProgress(exchange, side)
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Reading progress={progress} />
  return data.type === 'json' ? (
    <RawJson bytes={data.bytes} sides={sides} />
  ) : (
    <RawStream exchange={exchange} side={side} raw={data} sides={sides} />
  )
}

function Sides({
  answer: { exchange },
  side,
  isOne,
  onSelect,
}: {
  readonly answer: ExchangeAnswer
  readonly side: Side
  readonly isOne: boolean
  onSelect(side: Side): void
}): ReactElement {
  if (isOne)
    return (
      <span className="text-xs text-muted">
        {side === 'delivered'
          ? 'Made by the gateway'
          : exchange.dropped.includes('delivered')
            ? 'As it came; what left was dropped'
            : 'What left is what came'}
      </span>
    )
  return (
    <Choice
      label="Side"
      selected={side}
      onSelect={onSelect}
      options={(['upstream', 'delivered'] as const).map((id) => ({
        id,
        label: id === 'upstream' ? 'As it came' : 'As it left',
        title: `${toWireName(wireOf(exchange, id))}, ${toSize(exchange.bodies[id])}`,
      }))}
    />
  )
}

function Reading({ progress }: { readonly progress: number }): ReactElement {
  const percent = Math.round(progress * 100)
  return (
    <div role="status" className="loading mx-auto flex w-48 flex-col gap-2 py-10">
      <span className="text-center text-sm text-faint">Reading frames … {percent} %</span>
      <progress className="h-1 w-full accent-(--accent)" aria-label="Read" value={progress} />
    </div>
  )
}
