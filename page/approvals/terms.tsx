/** For how long a decision holds, said plainly. */
import type { ReactElement } from 'react'
import type { Remember } from '../../src/approvals/ticket.ts'
import { Select } from '../kit/field.tsx'
import { REMEMBERS } from './words.ts'

interface TermsProps {
  readonly remember: Remember
  onRemember(remember: Remember): void
}

export function Terms({ remember, onRemember }: TermsProps): ReactElement {
  const chosen = REMEMBERS.find(({ value }) => value === remember)
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-faint">
      <span aria-hidden="true">Holds</span>
      <Select
        label="For how long it holds"
        isBare
        className="h-6! w-auto! text-xs!"
        value={remember}
        onChange={(event) =>
          onRemember(REMEMBERS.find(({ value }) => value === event.target.value)?.value ?? 'once')
        }
        options={REMEMBERS.map(({ value, label }) => ({ value, label: label.toLowerCase() }))}
      />
      <span className="min-w-0 flex-1 basis-60">{chosen?.says}</span>
    </div>
  )
}
