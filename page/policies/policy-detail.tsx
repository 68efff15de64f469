/**
 * One policy: how it stands and what can be done about it, then what it decided, its text, its versions. Neighbours: the
 * tabs. One that is not installed any more has its versions only.
 */
import type { ReactElement } from 'react'
import type { PoliciesAnswer, PolicyView } from '../../src/api/types.ts'
import { Name } from '../blocks/verbatim.tsx'
import { toDuration } from '../core/format.ts'
import { go, toHref, usePlaceQuery } from '../core/route.ts'
import { useStore } from '../core/store.ts'
import { Icon } from '../kit/icons.tsx'
import { Tabs } from '../kit/tabs.tsx'
import { useVersions } from './data.ts'
import { drafts, ofPolicy } from './drafts.ts'
import { EditorTab } from './editor-tab.tsx'
import { BackButton, isOfConfig, ModeButton } from './mode-buttons.tsx'
import { toHolds, toVersion } from './policy-words.ts'
import { ResultsTab } from './results-tab.tsx'
import type { Span } from './spans.ts'
import { StateBadges } from './state-badges.tsx'
import { VersionsTab } from './versions-tab.tsx'

interface DetailProps {
  readonly name: string
  readonly tab: string | undefined
  readonly answer: PoliciesAnswer
  readonly span: Span
}

export function PolicyDetail({ name, tab, answer, span }: DetailProps): ReactElement {
  const [query, setQuery] = usePlaceQuery()
  const isDrafted = useStore(drafts)[ofPolicy(name)] !== undefined
  const policy = answer.policies.find((one) => one.name === name)
  const selected =
    policy === undefined || tab === 'versions' ? 'versions' : tab === 'editor' ? tab : 'results'
  return (
    <section aria-label={`Policy ${name}`} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 bg-surface px-3 pt-2">
        <Back query={query['span']} />
        <h2 className="flex min-w-0 text-base font-semibold">
          <Name text={name} />
        </h2>
        {policy === undefined ? (
          <span className="text-xs text-muted">is not installed</span>
        ) : (
          <>
            <StateBadges policy={policy} fallen={answer.fallen} />
            <span className="ml-auto flex flex-wrap gap-1.5">
              <EditedBack policy={policy} />
              <ModeButton policy={policy} />
            </span>
            <Facts policy={policy} answer={answer} />
          </>
        )}
      </header>
      <div className="shrink-0 bg-surface pt-1">
        <Tabs
          label="About the policy"
          tabs={[
            ...(policy === undefined
              ? []
              : ([
                  { id: 'results', label: 'Results' },
                  { id: 'editor', label: 'Editor', mark: isDrafted ? 'unsaved' : undefined },
                ] as const)),
            { id: 'versions', label: 'Versions' },
          ]}
          selected={selected}
          onSelect={(id) => go(toHref('policies', [name, id], query), true)}
        />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {policy === undefined || selected === 'versions' ? (
          <VersionsTab name={name} policy={policy} />
        ) : selected === 'editor' ? (
          <EditorTab policy={policy} />
        ) : (
          <ResultsTab policy={policy} span={span} onSpan={(id) => setQuery({ span: id })} />
        )}
      </div>
    </section>
  )
}

/** From an edit to what the config says, or to nothing. */
function EditedBack({
  policy: { name, version, edit },
}: {
  readonly policy: PolicyView
}): ReactElement | null {
  const { data } = useVersions(name)
  if (edit === undefined || data === undefined) return null
  return (
    <BackButton
      name={name}
      from={version}
      to={edit.isNew ? undefined : data.versions.find(isOfConfig)}
      onDone={() => (edit.isNew ? go(toHref('policies')) : undefined)}
    />
  )
}

/** To the list, where there is no room for it beside this. */
export const Back = ({ query }: { readonly query: string | undefined }): ReactElement => (
  <a
    href={toHref('policies', [], { span: query })}
    aria-label="All policies"
    title="All policies"
    className="-ml-1 inline-flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
  >
    <Icon name="left" />
  </a>
)

function Facts({
  policy: { name, use, version, holds, appliesTo, onError, timeoutMs },
  answer,
}: {
  readonly policy: PolicyView
  readonly answer: PoliciesAnswer
}): ReactElement {
  const place = answer.policies.findIndex((one) => one.name === name) + 1
  const facts: readonly (readonly [string, string])[] = [
    ['Uses', use ?? 'the program’s own'],
    ['Version', toVersion(version)],
    ['Asked', `${place} of ${answer.policies.length}`],
    ['Waits for it', toHolds(holds)],
    ['Applies to', appliesTo ?? 'everything'],
    ['On error', onError],
    ['Time limit', toDuration(timeoutMs)],
  ]
  return (
    <dl className="flex w-full min-w-0 flex-wrap gap-x-4 text-xs">
      {facts.map(([label, value]) => (
        <div key={label} className="flex min-w-0 gap-1.5">
          <dt className="shrink-0 text-faint">{label}</dt>
          <dd className="flex min-w-0">
            <Name text={value} className="text-muted" />
          </dd>
        </div>
      ))}
    </dl>
  )
}
