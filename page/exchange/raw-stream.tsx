/** A stream as its frames: what is shown of them, the list, and the frame that is looked at. */
import { useState, type ReactElement, type ReactNode } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { plural, toDuration, toSize, toWireName } from '../core/format.ts'
import { useShortcuts } from '../core/shortcuts.ts'
import { showName } from '../blocks/plain.ts'
import { Badge } from '../kit/badge.tsx'
import { IconButton } from '../kit/button.tsx'
import { Select, TextField } from '../kit/field.tsx'
import { Empty } from '../kit/states.tsx'
import {
  useFiltered,
  useRawAnswer,
  useSides,
  wireOf,
  type RawAnswer,
  type Side,
} from './raw-data.ts'
import { FrameDetail, Findings } from './raw-detail.tsx'
import type { FrameFilter } from './raw-filter.ts'
import type { RawFrame, RawFrames } from './raw-frames.ts'
import { FrameList } from './raw-list.tsx'
import { heldFor } from './raw-sides.ts'

interface RawStreamProps {
  readonly exchange: ExchangeAnswer['exchange']
  readonly side: Side
  readonly raw: Extract<RawAnswer, { type: 'stream' }>
  readonly sides: ReactNode
}

const ALL: FrameFilter = { text: '', name: '', only: 'all' }

export function RawStream({ exchange, side, raw, sides }: RawStreamProps): ReactElement {
  const [filter, setFilter] = useState(ALL)
  const [selected, setSelected] = useState(-1)
  const pairs = useSides(exchange)?.[side]
  const places = useFiltered(exchange, { side, raw, pairs }, filter)
  const came = useCame(exchange, side)
  const wire = wireOf(exchange, side)
  const frame = raw.frames[selected]
  const toRemark = (step: 1 | -1): void => {
    const next = nextOf(raw.remarked, selected, step)
    if (next === undefined) return
    setFilter((now) => (now.only === 'remarks' ? now : ALL))
    setSelected(next)
  }
  useShortcuts([
    { keys: ']', says: 'Next remark of lint', run: () => toRemark(1) },
    { keys: '[', says: 'Remark of lint before', run: () => toRemark(-1) },
  ])
  return (
    <div className="flex h-full min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
        {sides}
        <Filters raw={raw} hasPairs={pairs !== undefined} filter={filter} onChange={setFilter} />
        <Remarks raw={raw} onStep={toRemark} />
        <span className="tabular ml-auto text-2xs text-faint">
          {places === undefined ? '' : `${places.length} of `}
          {plural(raw.frames.length, 'frame')} · {toSize(raw.bytes)} · {toWireName(wire)}
        </span>
      </div>
      {raw.others.length === 0 ? null : <Findings wire={wire} findings={raw.others} />}
      {(places?.length ?? raw.frames.length) === 0 ? (
        <Empty title={raw.frames.length === 0 ? 'No frame came' : 'No frame fits'}>
          {raw.frames.length === 0
            ? 'The stream ended before its first frame.'
            : 'Take a filter away.'}
        </Empty>
      ) : (
        <FrameList
          label="Frames"
          frames={raw.frames}
          places={places}
          pairs={pairs}
          aloneSays={side === 'upstream' ? 'did not leave' : 'did not come'}
          came={came}
          selected={selected}
          onSelect={setSelected}
        />
      )}
      {frame === undefined ? null : (
        <FrameDetail
          key={selected}
          wire={wire}
          raw={frame}
          number={selected + 1}
          says={toSides({ side, frame, pair: pairs?.[selected], came })}
          onClose={() => setSelected(-1)}
        />
      )}
    </div>
  )
}

/** Frames as they came, for those that are looked at as they left. */
function useCame(
  exchange: RawStreamProps['exchange'],
  side: Side,
): readonly RawFrame[] | undefined {
  const { data } = useRawAnswer(exchange, 'upstream')
  return side === 'delivered' && data?.type === 'stream' ? data.frames : undefined
}

function Filters({
  raw,
  hasPairs,
  filter,
  onChange,
}: {
  readonly raw: RawFrames
  readonly hasPairs: boolean
  readonly filter: FrameFilter
  onChange(filter: FrameFilter): void
}): ReactElement {
  return (
    <>
      <TextField
        label="Find in frames"
        isBare
        type="search"
        placeholder="Find in frames"
        className="max-w-52 min-w-28"
        value={filter.text}
        onChange={({ target }) => onChange({ ...filter, text: target.value })}
      />
      <Select
        label="Event"
        isBare
        className="max-w-48"
        value={filter.name}
        onChange={({ target }) => onChange({ ...filter, name: target.value })}
        options={[
          { value: '', label: 'All events' },
          ...raw.names
            .slice(0, 100)
            .map(([name, count]) => ({ value: name, label: `${showName(name)} (${count})` })),
        ]}
      />
      <Select
        label="Only"
        isBare
        className="max-w-40"
        value={filter.only}
        onChange={({ target }) =>
          onChange({ ...filter, only: target.value as FrameFilter['only'] })
        }
        options={[
          { value: 'all', label: 'All frames' },
          { value: 'remarks', label: 'With remarks' },
          ...(hasPairs ? [{ value: 'changed', label: 'Only on this side' }] : []),
        ]}
      />
    </>
  )
}

function Remarks({
  raw: { errors, warnings },
  onStep,
}: {
  readonly raw: RawFrames
  onStep(step: 1 | -1): void
}): ReactElement {
  if (errors + warnings === 0)
    return (
      <Badge tone="ok" title="Every frame is as the wire's grammar has it">
        lint: no remarks
      </Badge>
    )
  return (
    <span className="flex items-center gap-1">
      {errors === 0 ? null : <Badge tone="bad">{plural(errors, 'error')}</Badge>}
      {warnings === 0 ? null : <Badge tone="warn">{plural(warnings, 'warning')}</Badge>}
      <IconButton icon="left" label="Remark before" onClick={() => onStep(-1)} />
      <IconButton icon="right" label="Next remark" onClick={() => onStep(1)} />
    </span>
  )
}

function nextOf(places: readonly number[], from: number, step: 1 | -1): number | undefined {
  return step === 1
    ? (places.find((place) => place > from) ?? places[0])
    : (places.findLast((place) => place < from) ?? places.at(-1))
}

function toSides(of: {
  readonly side: Side
  readonly frame: RawFrame
  readonly pair: number | undefined
  readonly came: readonly RawFrame[] | undefined
}): string | undefined {
  const { side, frame, pair, came } = of
  if (pair === undefined) return undefined
  if (pair === -1)
    return side === 'upstream'
      ? 'It came and did not leave like this: a policy or the gateway changed it or kept it back.'
      : 'It did not come like this: a policy or the gateway wrote it.'
  const held = heldFor(came?.[pair], frame)
  const there = side === 'upstream' ? 'It left as frame' : 'It came as frame'
  return `${there} ${pair + 1}${held === undefined ? '' : `, and was held for ${toDuration(held / 1000)}`}.`
}
