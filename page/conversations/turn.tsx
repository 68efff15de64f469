/**
 * One turn of a conversation: which exchange it is, what was said, what the model answered, what came back. Neighbours:
 * `use-turn.ts` brings it, `turn-block.tsx` draws a block. Drawn only while it is near the window.
 */
import { memo, useEffect, useState, type ReactElement, type ReactNode } from 'react'
import { Fold } from '../blocks/fold.tsx'
import { useRemembered } from '../blocks/remembered.ts'
import { Part } from '../blocks/part-view.tsx'
import { firstLine, showHidden } from '../blocks/plain.ts'
import { plural } from '../core/format.ts'
import { classes } from '../kit/classes.ts'
import type { TurnItem } from './conversation-data.ts'
import type { Later } from './turn-data.ts'
import { TurnBlock, VerdictNote } from './turn-block.tsx'
import { TurnHead } from './turn-head.tsx'
import { toSideByEndpoint, type TurnInput } from './turn-input.ts'
import { useReveal } from './use-reveal.ts'
import { useTurn, type TurnShown } from './use-turn.ts'
import { More } from '../blocks/verbatim.tsx'
import { toSentence } from '../core/api.ts'
import { isActing } from '../exchange/answer-model.ts'

interface TurnProps {
  readonly item: TurnItem
  /** Its place among all, from 1. */
  readonly number: number
  /** The exchanges behind it. */
  readonly later: readonly Later[]
  readonly isFirst: boolean
  /** How high turns were when they were last drawn, by their ids. */
  readonly heights: ReadonlyMap<string, number>
}

/** Blocks at a time: some answers have thousands. */
const STEP = 20

export const Turn = memo(function Turn(props: TurnProps): ReactElement {
  const { item, number, later, isFirst, heights } = props
  const shown = useTurn(item, later)
  const [isWhole, setWhole] = useState(false)
  // One that comes back into sight keeps its height while it is drawn again, so that nothing jumps.
  const [held] = useState(() => heights.get(item.id))
  const side = toSideByEndpoint(item.endpoint) ?? shown.input?.side
  const body = (): ReactElement => (
    <Body item={item} shown={shown} isFirst={isFirst} onWhole={setWhole} />
  )
  return (
    <section
      aria-label={`Turn ${number}`}
      className="border-b border-line px-3 py-2.5 sm:px-4"
      data-turn={item.id}
      style={{ minHeight: isWhole ? undefined : held }}
    >
      <TurnHead item={item} number={number} isLive={shown.isLive} side={side} />
      {side === undefined ? (
        body()
      ) : (
        <Fold
          label={`On the side: ${side.toLowerCase()}`}
          hint={toHint(shown)}
          memory={`${item.id} side`}
          className="sm:ml-20"
        >
          {body}
        </Fold>
      )}
    </section>
  )
})

const toHint = ({ rows }: TurnShown): string =>
  firstLine(rows.find(({ block }) => block?.type === 'text')?.block?.content ?? '')

interface BodyProps {
  readonly item: TurnItem
  readonly shown: TurnShown
  readonly isFirst: boolean
  onWhole(isWhole: boolean): void
}

function Body({ item, shown, isFirst, onWhole }: BodyProps): ReactElement {
  const { input, verdicts, isLoading, error, notes } = shown
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {input === undefined ? null : <Input id={item.id} input={input} isFirst={isFirst} />}
      {verdicts.filter(isActing).map((verdict, at) => (
        <Line key={at} label="Policy">
          <VerdictNote verdict={verdict} />
        </Line>
      ))}
      <Line label="Model">
        {isLoading ? <p className="loading text-xs text-faint">Loading …</p> : null}
        {error === null ? null : <p className="text-xs text-bad">{toSentence(error)}</p>}
        <Answer id={item.id} shown={shown} onWhole={onWhole} />
        {item.summary?.fault === undefined ? null : (
          <p className="verbatim text-xs text-bad">{showHidden(item.summary.fault.message)}</p>
        )}
        {notes.map((note) => (
          <p key={note} className="text-xs text-faint">
            {note}
          </p>
        ))}
      </Line>
    </div>
  )
}

/** What was said stands beside who said it. */
function Line({
  label,
  children,
}: {
  readonly label: string
  readonly children: ReactNode
}): ReactElement {
  return (
    <div className="flex min-w-0 gap-3 max-sm:flex-col max-sm:gap-0.5">
      <span
        className={classes(
          'w-17 shrink-0 pt-0.5 text-xs font-medium',
          label === 'User' ? 'text-ink' : 'text-faint',
        )}
      >
        {label}
      </span>
      <div className="flex max-w-[1100px] min-w-0 flex-1 flex-col gap-1.5">{children}</div>
    </div>
  )
}

function Input({
  id,
  input,
  isFirst,
}: {
  readonly id: string
  readonly input: TurnInput
  readonly isFirst: boolean
}): ReactElement | null {
  const { said, results } = input
  const [count, setCount] = useState(STEP)
  if (said.length === 0 && results.length === 0) return null
  return (
    <Line label={said.length === 0 ? 'Tools' : 'User'}>
      {said.slice(0, count).map((part, at) => (
        <Part key={at} part={part} memory={`${id} said ${at}`} />
      ))}
      {said.length > count ? (
        <More onClick={() => setCount(count + STEP)}>{`Show more of ${said.length} parts`}</More>
      ) : null}
      {results.length === 0 ? null : (
        <Fold
          label={plural(results.length, 'result')}
          hint={
            isFirst
              ? undefined
              : results.length === 1
                ? 'shown with its call'
                : 'shown with their calls'
          }
          isOpen={isFirst}
          memory={`${id} results`}
        >
          {() =>
            results
              .slice(0, 50)
              .map((part, at) => <Part key={at} part={part} memory={`${id} result ${at}`} />)
          }
        </Fold>
      )}
    </Line>
  )
}

interface AnswerProps {
  readonly id: string
  readonly shown: TurnShown
  onWhole(isWhole: boolean): void
}

function Answer({ id, shown, onWhole }: AnswerProps): ReactElement {
  const { rows, results, isLive, isLoading } = shown
  const [count, setCount] = useRemembered(`${id} blocks`, STEP)
  const wanted = Math.min(rows.length, count)
  const drawn = useReveal(wanted)
  const isWhole = !isLoading && drawn === wanted
  useEffect(() => onWhole(isWhole), [onWhole, isWhole])
  return (
    <>
      {rows.slice(0, isLive ? count : drawn).map((row, at) => (
        <TurnBlock
          key={row.key}
          row={row}
          result={toResult(row, results)}
          isLive={isLive && at === rows.length - 1 && row.block?.isComplete !== true}
          memory={`${id} ${row.key}`}
        />
      ))}
      {rows.length > count ? (
        <More onClick={() => setCount(count + STEP)}>
          {`Show ${Math.min(STEP, rows.length - count)} more of ${rows.length} blocks`}
        </More>
      ) : null}
      {isLive && rows.length === 0 ? (
        <p className="text-xs text-faint">Waiting for the first words …</p>
      ) : null}
    </>
  )
}

const toResult = (
  { block, instead }: TurnShown['rows'][number],
  results: TurnShown['results'],
): ReturnType<TurnShown['results']['get']> =>
  [block, ...instead].map((one) => results.get(one?.id ?? '')).find((one) => one !== undefined)
