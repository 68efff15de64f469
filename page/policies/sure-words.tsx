/** What happens to which version, said before it does. Neighbours: the dialogs of `mode-buttons.tsx` and the editors. */
import type { ReactElement, ReactNode } from 'react'
import { showName } from '../blocks/plain.ts'
import { toVersion } from './policy-words.ts'

/** A version by name, short, with all of it for the pointer. */
export const Version = ({ of }: { readonly of: string | undefined }): ReactElement => (
  <code className="font-mono text-xs" title={of === undefined ? undefined : showName(of)}>
    {toVersion(of)}
  </code>
)

export const Everywhere = (): ReactElement => (
  <p className="text-muted">
    It holds on every gateway of this store, within a second. Exchanges under way end as they began.
  </p>
)

/** What each way to act means, in full. */
export const ModeWords = ({ isShadow }: { readonly isShadow: boolean }): ReactNode =>
  isShadow
    ? 'Nothing waits for it, nothing is denied or changed, and what it would have done is recorded.'
    : 'What it denies does not run, and what it asks about waits for a person.'
