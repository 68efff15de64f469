/** How often policies acted, and the way from one to the next. */
import type { ReactElement } from 'react'
import { plural } from '../core/format.ts'
import { IconButton } from '../kit/button.tsx'
import type { TurnItem } from './conversation-data.ts'
import { countActed } from './steps.ts'

export function StepButtons({
  items,
  onStep,
}: {
  readonly items: readonly TurnItem[]
  readonly onStep: (by: 1 | -1) => void
}): ReactElement | null {
  const count = items.reduce((sum, { summary }) => sum + countActed(summary?.verdicts), 0)
  if (count === 0) return null
  return (
    <span className="flex items-center text-xs text-muted">
      <span className="tabular max-md:sr-only">{plural(count, 'policy action')}</span>
      <IconButton icon="left" label="Previous policy action (p)" onClick={() => onStep(-1)} />
      <IconButton icon="right" label="Next policy action (n)" onClick={() => onStep(1)} />
    </span>
  )
}
