/**
 * Plays a recorded answer again as it was: with its own timing, faster, slower or at once. Neighbours: `playback-tape.ts`
 * knows where it is at a moment, `BlockCard` draws. Nothing is sent anywhere.
 */
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactElement } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { BlockCard } from '../blocks/block-card.tsx'
import { toDuration } from '../core/format.ts'
import { IconButton } from '../kit/button.tsx'
import { Choice } from '../kit/choice.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Failed, Loading } from '../kit/states.tsx'
import { hasBody, loadBody, loadTimes } from './raw-body.ts'
import { hasBoth, wireOf, type Side } from './raw-data.ts'
import { usePlayer } from './playback-clock.ts'
import { createTape, type Tape } from './playback-tape.ts'

export function Playback({
  answer,
  onClose,
}: {
  readonly answer: ExchangeAnswer
  onClose(): void
}): ReactElement {
  const { exchange } = answer
  const [side, setSide] = useState<Side>(hasBody(exchange, 'delivered') ? 'delivered' : 'upstream')
  const { data, error, refetch } = useQuery({
    queryKey: ['tape', exchange.id, side],
    queryFn: async () => {
      const [bytes, times] = await Promise.all([
        loadBody(exchange, side),
        loadTimes(exchange, side),
      ])
      return createTape(wireOf(exchange, side), bytes, times)
    },
    structuralSharing: false,
    staleTime: 'static',
    gcTime: 0,
  })
  const sides = !hasBoth(exchange) ? null : (
    <Choice
      label="Side"
      selected={side}
      onSelect={setSide}
      options={[
        { id: 'upstream', label: 'As it came' },
        { id: 'delivered', label: 'As it left' },
      ]}
    />
  )
  return (
    <Dialog title="Playback" isWide onClose={onClose}>
      {error !== null ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <Player key={side} tape={data} sides={sides} />
      )}
    </Dialog>
  )
}

const SPEEDS = [
  { id: '0.5', label: '0.5×' },
  { id: '1', label: '1×' },
  { id: '4', label: '4×' },
  { id: 'all', label: 'At once' },
] as const
type Speed = (typeof SPEEDS)[number]['id']

function Player({
  tape,
  sides,
}: {
  readonly tape: Tape
  readonly sides: ReactElement | null
}): ReactElement {
  const [speed, setSpeed] = useState<Speed>('1')
  const { moment, isPlaying, play, pause, seek } = usePlayer(
    tape.last,
    speed === 'all' ? Number.POSITIVE_INFINITY : Number(speed),
  )
  const blocks = tape.at(moment)
  const isOver = moment >= tape.last
  return (
    <div className="flex min-h-[50vh] flex-col gap-3">
      <div className="sticky -top-4 z-10 -mx-4 -mt-4 flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-surface px-4 py-2">
        <IconButton
          icon={isPlaying ? 'pause' : 'play'}
          label={isPlaying ? 'Pause' : isOver ? 'Play from the start' : 'Play'}
          onClick={isPlaying ? pause : play}
          className="border border-line-strong"
        />
        <input
          type="range"
          aria-label="Position"
          aria-valuetext={toDuration(moment / 1000)}
          className="h-7 min-w-40 flex-1 accent-(--accent)"
          min={0}
          max={Math.max(1, Math.round(tape.last / 1000))}
          value={Math.round(moment / 1000)}
          onChange={({ target }) => seek(Number(target.value) * 1000)}
        />
        <span className="tabular w-32 text-right text-xs text-muted">
          {toDuration(moment / 1000)}{' '}
          <span className="text-faint">of {toDuration(tape.last / 1000)}</span>
        </span>
        <Choice label="Speed" options={SPEEDS} selected={speed} onSelect={setSpeed} />
        {sides}
      </div>
      <div aria-label="Answer" role="region" className="flex flex-col gap-2">
        {blocks.map((block) => (
          <BlockCard
            key={`${block.choice ?? 0}-${block.index}-${block.id}`}
            block={block}
            isLive={!isOver && !block.isComplete}
          />
        ))}
        {blocks.length === 0 ? (
          <p className="py-6 text-center text-sm text-faint">
            {isOver
              ? 'Nothing that can be shown as blocks came'
              : `The first byte came after ${toDuration(tape.first / 1000)}`}
          </p>
        ) : null}
      </div>
    </div>
  )
}
