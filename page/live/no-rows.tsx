/** Nothing in the list: what to do next. */
import type { ReactElement } from 'react'
import { toHref } from '../core/route.ts'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy.tsx'
import { Empty } from '../kit/states.tsx'
import { Samples } from './demo-menu.tsx'
import { isEmptyFilter, type Filter } from './filter.ts'

interface NoRowsProps {
  readonly filter: Filter
  readonly isDemo: boolean
  onClear(): void
}

export function NoRows({ filter, isDemo, onClear }: NoRowsProps): ReactElement {
  if (!isEmptyFilter(filter)) return <NothingFits filter={filter} onClear={onClear} />
  return (
    <div className="min-h-0 flex-1 overflow-y-auto bg-surface">
      <div className="mx-auto flex max-w-4xl flex-col gap-6 px-6 py-10">
        <Connect />
        {isDemo ? (
          <section aria-labelledby="try-it" className="border-t border-line pt-5">
            <h2 id="try-it" className="text-sm font-semibold">
              Or try the demo
            </h2>
            <p className="mb-2 text-xs text-muted">
              Each sends a request to this gateway, as an agent would. Its answer shows up here.
            </p>
            <div className="-mx-2">
              <Samples />
            </div>
          </section>
        ) : null}
      </div>
    </div>
  )
}

function Connect(): ReactElement {
  return (
    <section aria-labelledby="connect">
      <h2 id="connect" className="text-base font-semibold">
        No exchanges yet
      </h2>
      <p className="mt-1 text-sm text-muted">
        Point a client at this gateway, and what it does shows up here as it happens.
      </p>
      <dl className="mt-3 grid gap-2">
        <Way title="Claude Code" command={`ANTHROPIC_BASE_URL=${location.origin} claude`} />
        <Way title="OpenAI SDKs" command={`export OPENAI_BASE_URL=${location.origin}/v1`} />
      </dl>
      <p className="mt-3 text-xs">
        <a href={toHref('settings', ['connect'])} className="text-accent underline">
          All clients, step by step
        </a>
      </p>
    </section>
  )
}

function Way({
  title,
  command,
}: {
  readonly title: string
  readonly command: string
}): ReactElement {
  return (
    <div className="flex min-w-0 items-center gap-3">
      <dt className="w-24 shrink-0 text-xs text-muted">{title}</dt>
      <dd className="flex min-w-0 flex-1 items-center gap-1 rounded-md bg-raised py-0.5 pr-1 pl-2.5">
        <code className="min-w-0 flex-1 truncate font-mono text-xs" title={command}>
          {command}
        </code>
        <CopyButton text={command} label={`Copy for ${title}`} isSmall />
      </dd>
    </div>
  )
}

function NothingFits({ filter, onClear }: Pick<NoRowsProps, 'filter' | 'onClear'>): ReactElement {
  const [title, says] =
    filter.is === 'waiting'
      ? ['Nobody waits', 'Calls that ask for a person show up here.']
      : filter.is === 'open'
        ? ['Nothing is open', 'Exchanges show up here while they go on.']
        : ['Nothing fits this filter', 'New exchanges that fit show up here by themselves.']
  return (
    <div className="min-h-0 flex-1 overflow-y-auto bg-surface">
      <Empty icon="filter" title={title}>
        <p>{says}</p>
        <Button onClick={onClear}>Clear the filter</Button>
      </Empty>
    </div>
  )
}
