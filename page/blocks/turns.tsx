/** Turns of a conversation, as a person reads them. */
import { memo, useState, type ReactElement } from 'react'
import { classes } from '../kit/classes.ts'
import { Part } from './part-view.tsx'
import type { TurnView } from './request-view.ts'
import { More } from './verbatim.tsx'

interface TurnsProps {
  readonly turns: readonly TurnView[]
  /** Only the last so many; the others can be unfolded. */
  readonly last?: number
}

const STEP = 50
/** Parts of one turn: some have thousands. */
const PARTS = 30

const ROLES: Readonly<Record<TurnView['role'], string>> = {
  user: 'User',
  assistant: 'Assistant',
  system: 'System',
  tool: 'Tools',
}

export function Turns({ turns, last = STEP }: TurnsProps): ReactElement {
  const [count, setCount] = useState(last)
  const from = Math.max(0, turns.length - count)
  if (turns.length === 0) return <p className="text-xs text-faint">No turns.</p>
  return (
    <div className="min-w-0">
      {from > 0 ? (
        <More onClick={() => setCount(count + STEP)}>
          {`Show ${Math.min(STEP, from)} earlier of ${turns.length} turns`}
        </More>
      ) : null}
      <ol className="min-w-0">
        {turns.slice(from).map((turn, at) => (
          <TurnRow key={from + at} turn={turn} />
        ))}
      </ol>
    </div>
  )
}

const TurnRow = memo(function TurnRow({ turn }: { readonly turn: TurnView }): ReactElement {
  const [count, setCount] = useState(PARTS)
  return (
    <li className="flex min-w-0 gap-3 border-t border-line py-2 first:border-t-0 max-sm:flex-col max-sm:gap-0.5">
      <span
        className={classes(
          'w-16 shrink-0 pt-px text-xs font-medium',
          turn.role === 'user' ? 'text-ink' : 'text-muted',
        )}
      >
        {ROLES[turn.role]}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        {turn.parts.slice(0, count).map((part, at) => (
          <Part key={at} part={part} />
        ))}
        {turn.parts.length > count ? (
          <More onClick={() => setCount(count + PARTS)}>
            {`Show ${Math.min(PARTS, turn.parts.length - count)} more of ${turn.parts.length} parts`}
          </More>
        ) : null}
        {turn.parts.length === 0 ? <p className="text-xs text-faint">Nothing.</p> : null}
      </div>
    </li>
  )
})
