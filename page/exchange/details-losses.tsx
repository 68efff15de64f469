/** What a translation could not carry. */
import type { ReactElement } from 'react'
import type { Loss } from '../../src/index.ts'
import { showName } from '../blocks/plain.ts'
import { Badge } from '../kit/badge.tsx'

const SAYS: Readonly<Record<Loss['kind'], string>> = {
  dropped: 'It is gone: the other format has no place for it',
  approximated: 'It is there in another form',
}

export function Losses({ losses }: { readonly losses: readonly Loss[] }): ReactElement {
  return (
    <ul aria-label="Losses of the translation" className="flex flex-col">
      {losses.map(({ kind, what, count }) => (
        <li
          key={`${kind} ${what}`}
          className="flex min-h-7 flex-wrap items-center gap-x-2 border-b border-line py-0.5 text-xs last:border-b-0"
        >
          <Badge tone={kind === 'dropped' ? 'bad' : 'warn'}>{kind}</Badge>
          <span className="font-mono break-all">{showName(what)}</span>
          {count > 1 ? <span className="tabular text-faint">{count} times</span> : null}
          <span className="text-faint">{SAYS[kind]}</span>
        </li>
      ))}
    </ul>
  )
}
