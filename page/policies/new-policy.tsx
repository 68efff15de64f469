/**
 * A new policy, from a template: written, tried, and added behind all others. Neighbours: `templates.ts`; each template has
 * a draft of its own, so that looking at another loses nothing.
 */
import { useState, type ReactElement } from 'react'
import type { CheckedPolicy } from '../../src/api/types-policies.ts'
import { showName } from '../blocks/plain.ts'
import { api } from '../core/api.ts'
import { go, toHref, usePlaceQuery } from '../core/route.ts'
import { useStore } from '../core/store.ts'
import { Select } from '../kit/field.tsx'
import { drafts, ofNew, setDraft } from './drafts.ts'
import { Back } from './policy-detail.tsx'
import { SaveBar } from './save-bar.tsx'
import { Version } from './sure-words.tsx'
import { findTemplate, TEMPLATES } from './templates.ts'
import { TextDesk } from './text-desk.tsx'

export function NewPolicy({ template }: { readonly template: string | undefined }): ReactElement {
  const [query, setQuery] = usePlaceQuery()
  const { id, says, yaml } = findTemplate(template)
  const key = ofNew(id)
  const draft = useStore(drafts)[key]
  const [becomes, setBecomes] = useState<CheckedPolicy>()
  const text = draft?.yaml ?? yaml
  const name = becomes?.name ?? ''
  return (
    <section aria-label="New policy" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-surface px-3 py-2">
        <Back query={query['span']} />
        <h2 className="text-base font-semibold">New policy</h2>
        <Select
          label="Template"
          isBare
          className="w-auto! text-xs!"
          options={TEMPLATES.map(({ id: value, label }) => ({ value, label }))}
          value={id}
          onChange={(event) => setQuery({ new: event.target.value })}
        />
        <p className="min-w-0 text-xs text-faint">{says}</p>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <TextDesk
          at={key}
          value={text}
          onChange={(next) => setDraft(key, next === yaml ? undefined : { yaml: next })}
          onChecked={setBecomes}
          onDiscard={draft === undefined ? undefined : () => setDraft(key, undefined)}
        >
          <SaveBar
            title={`Add: ${showName(name)}`}
            isDisabled={becomes === undefined}
            says={
              <>
                {showName(name)} ({becomes?.use}, version <Version of={becomes?.version} />) is
                added behind all other policies
              </>
            }
            notes={() => (
              <p className="text-muted">
                It is kept in the store and not in the config file: copy it there to keep it for
                good.
              </p>
            )}
            run={(order) => api.addPolicy({ yaml: text, ...order })}
            onDone={() => {
              setDraft(key, undefined)
              go(toHref('policies', [name]))
            }}
          />
        </TextDesk>
      </div>
    </section>
  )
}
