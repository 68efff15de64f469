/**
 * Texts that somebody has begun and not saved: they stay when the view is left and when the page is closed. Neighbours:
 * the editor writes them, list and tabs tell of them. Kept in this browser only.
 */
import { createKept } from '../core/preferences.ts'

export interface Draft {
  readonly yaml: string
  /** The version that it began with: saving is refused where another holds by then. */
  readonly over?: string
}

type Drafts = Readonly<Record<string, Draft>>

export const drafts = createKept<Drafts>('policy-drafts', {}, isDrafts)

/** Under which a draft is kept: one for each policy, and one for each kind of new one. */
export const ofPolicy = (name: string): string => `policy ${name}`
export const ofNew = (template: string): string => `new ${template}`

export function setDraft(key: string, draft: Draft | undefined): void {
  const { [key]: _before, ...others } = drafts.get()
  drafts.set(draft === undefined ? others : { ...others, [key]: draft })
}

function isDrafts(value: unknown): value is Drafts {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every(
      (one: unknown) =>
        typeof one === 'object' && one !== null && 'yaml' in one && typeof one.yaml === 'string',
    )
  )
}
