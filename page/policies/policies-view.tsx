/**
 * Policies: what is active where, what it decided, and the way to change it. Neighbours: `policy-table.tsx` lists them,
 * `policy-detail.tsx` is one of them (`#/policies/NAME/TAB`), `new-policy.tsx` writes one (`#/policies?new=TEMPLATE`).
 */
import type { ReactElement } from 'react'
import type { PoliciesAnswer } from '../../src/api/types.ts'
import { Name } from '../blocks/verbatim.tsx'
import { haltState } from '../core/feed.ts'
import { go, toHref, usePlace, usePlaceQuery } from '../core/route.ts'
import { isTyping, useShortcuts } from '../core/shortcuts.ts'
import { useStore } from '../core/store.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Choice } from '../kit/choice.tsx'
import { classes } from '../kit/classes.ts'
import { Failed, Loading } from '../kit/states.tsx'
import { Toolbar } from '../kit/toolbar.tsx'
import { usePolicies, useSummary } from './data.ts'
import { NewPolicy } from './new-policy.tsx'
import { NoPolicies } from './no-policies.tsx'
import { PolicyDetail } from './policy-detail.tsx'
import { PolicyTable } from './policy-table.tsx'
import { isInShadow } from './policy-words.ts'
import { readSpan, SPANS } from './spans.ts'
import { toFallenWords } from './state-badges.tsx'

export function PoliciesView(): ReactElement {
  const { parts, query } = usePlace()
  const [, setQuery] = usePlaceQuery()
  const span = readSpan(query['span'])
  const { data, error, refetch } = usePolicies()
  // Asked for at once, and not only when the list is there.
  const summary = useSummary(span)
  const [name, tab] = parts
  const isNew = query['new'] !== undefined
  const step = (by: number): void => {
    const names = data?.policies.map((one) => one.name) ?? []
    const next = names[Math.max(0, Math.min(names.length - 1, names.indexOf(name ?? '') + by))]
    if (next !== undefined)
      go(
        toHref('policies', [next, ...(tab === undefined ? [] : [tab])], { span: query['span'] }),
        true,
      )
  }
  useShortcuts([
    { keys: 'j', says: 'Next policy', run: () => step(1) },
    { keys: 'k', says: 'Policy before', run: () => step(-1) },
    { keys: 'n', says: 'New policy', run: writeNew },
    ...(name === undefined
      ? []
      : [
          {
            keys: 'Escape',
            says: 'All policies',
            run: ({ target }: KeyboardEvent) =>
              isTyping(target) ? undefined : go(toHref('policies', [], { span: query['span'] })),
          },
        ]),
  ])
  return (
    <>
      <Toolbar
        title="Policies"
        end={
          <>
            <Choice
              label="Figures of"
              options={SPANS.map(({ id, label, says }) => ({
                id,
                label,
                title: `Figures of the ${says}`,
              }))}
              selected={span.id}
              onSelect={(id) => setQuery({ span: id })}
            />
            <Button icon="plus" onClick={writeNew}>
              New policy
            </Button>
          </>
        }
      >
        <Switch />
      </Toolbar>
      {data === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <div className="flex min-h-0 flex-1">
          {name === undefined && !isNew ? (
            <List answer={data} summary={summary} spanSays={span.says} query={query} />
          ) : (
            <>
              <ShortList answer={data} selected={name} tab={tab} query={query} />
              {isNew ? (
                <NewPolicy key={query['new']} template={query['new']} />
              ) : (
                <PolicyDetail key={name} name={name ?? ''} tab={tab} answer={data} span={span} />
              )}
            </>
          )}
        </div>
      )}
    </>
  )
}

const writeNew = (): void => go(toHref('policies', [], { new: 'deny' }))

function Switch(): ReactElement {
  const { halted } = useStore(haltState)
  return (
    <a
      href={toHref('approvals')}
      title="The kill switch is with the approvals"
      className="flex max-sm:hidden"
    >
      <Badge tone={halted ? 'bad' : 'plain'}>
        {halted ? 'Kill switch on: no tool call leaves' : 'Kill switch off'}
      </Badge>
    </a>
  )
}

interface ListProps {
  readonly answer: PoliciesAnswer
  readonly query: Readonly<Record<string, string>>
}

function List({
  answer,
  summary,
  spanSays,
  query,
}: ListProps & {
  readonly summary: ReturnType<typeof useSummary>
  readonly spanSays: string
}): ReactElement {
  const { policies, fallen, versions = [] } = answer
  const isHere = (name: string): boolean => policies.some((one) => one.name === name)
  const gone = [...new Set(versions.map(({ policy }) => policy).filter((name) => !isHere(name)))]
  return (
    <div className="min-w-0 flex-1 overflow-auto">
      {summary.error === null ? null : <Failed error={summary.error} />}
      {fallen.map((one) => (
        <p
          key={one.policy}
          role="status"
          className="flex flex-wrap gap-x-2 border-b border-line bg-warn-soft px-3 py-1.5 text-xs text-warn"
        >
          <Name text={one.policy} className="font-semibold" />
          {toFallenWords(one)}.
          <a href={toHref('policies', [one.policy, 'versions'])} className="underline">
            Versions
          </a>
        </p>
      ))}
      {policies.length === 0 ? (
        <NoPolicies />
      ) : (
        <PolicyTable answer={answer} summary={summary.data} spanSays={spanSays} query={query} />
      )}
      {gone.length === 0 ? null : (
        <p className="flex flex-wrap gap-x-2 px-3 py-2 text-xs text-faint">
          No longer installed:
          {gone.slice(0, MAX_GONE).map((name) => (
            <a
              key={name}
              href={toHref('policies', [name, 'versions'])}
              className="flex max-w-60 text-muted underline hover:text-ink"
            >
              <Name text={name} />
            </a>
          ))}
        </p>
      )}
    </div>
  )
}

const MAX_GONE = 20

/** Beside one that is opened. */
function ShortList({
  answer,
  selected,
  tab,
  query,
}: ListProps & {
  readonly selected: string | undefined
  readonly tab: string | undefined
}): ReactElement {
  return (
    <nav
      aria-label="Policies"
      className="w-56 shrink-0 overflow-y-auto border-r border-line bg-surface max-lg:hidden"
    >
      <ol>
        {answer.policies.map((policy, at) => (
          <li key={`${at} ${policy.name}`}>
            <a
              href={toHref('policies', [policy.name, ...(tab === undefined ? [] : [tab])], {
                span: query['span'],
              })}
              aria-current={policy.name === selected ? 'page' : undefined}
              className={classes(
                'flex h-[30px] items-center gap-2 border-b border-line px-3 text-xs',
                policy.name === selected ? 'bg-selected' : 'hover:bg-hover',
              )}
            >
              <Name text={policy.name} className="flex-1 font-medium" />
              <span className={isInShadow(policy) ? 'text-faint' : 'text-ok'}>
                {isInShadow(policy) ? 'shadow' : 'acts'}
              </span>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
