/**
 * The two ways to save a text, and the question before it: first in shadow is the way that hurts nobody. Neighbours: both
 * editors.
 */
import { useState, type ReactElement, type ReactNode } from 'react'
import type { EditOrder } from '../../src/api/types-policies.ts'
import { Button } from '../kit/button.tsx'
import { SureDialog } from './sure-dialog.tsx'
import { Everywhere, ModeWords } from './sure-words.tsx'

type Mode = EditOrder['mode']

interface SaveBarProps {
  readonly title: string
  readonly isDisabled: boolean
  /** What happens, up to how it acts. */
  readonly says: ReactNode
  /** What to think of besides. */
  notes(mode: Mode): ReactNode
  run(order: Omit<EditOrder, 'yaml'>): Promise<unknown>
  onDone(): void
}

const LABELS: Readonly<Record<Mode, string>> = { acts: 'Save and act', shadow: 'Save in shadow' }

export function SaveBar({
  title,
  isDisabled,
  says,
  notes,
  run,
  onDone,
}: SaveBarProps): ReactElement {
  const [mode, setMode] = useState<Mode>()
  const button = (of: Mode, look: 'plain' | 'primary'): ReactElement => (
    <Button look={look} disabled={isDisabled} onClick={() => setMode(of)}>
      {LABELS[of]} …
    </Button>
  )
  return (
    <>
      {button('acts', 'plain')}
      {button('shadow', 'primary')}
      {mode === undefined ? null : (
        <SureDialog
          title={title}
          does={LABELS[mode]}
          hasNote
          run={(said) => run({ mode, ...said })}
          onClose={() => setMode(undefined)}
          onDone={onDone}
        >
          <p>
            {says}
            {mode === 'shadow' ? ', in shadow' : ', and acts'}.{' '}
            <ModeWords isShadow={mode === 'shadow'} />
          </p>
          {notes(mode)}
          <Everywhere />
        </SureDialog>
      )}
    </>
  )
}
