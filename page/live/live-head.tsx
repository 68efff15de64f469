/** The head of the list: filter, quick filters, follow, pause, columns, samples. In a narrow window it has two lines. */
import type { ReactElement, Ref } from 'react'
import { ColumnsMenu } from './columns-menu.tsx'
import { DemoMenu } from './demo-menu.tsx'
import { createSeen } from './filter-complete.ts'
import { FilterField } from './filter-field.tsx'
import type { Filter } from './filter.ts'
import { liveList } from './live-list.ts'
import { QuickFilters } from './quick-filters.tsx'
import { Toggle } from './toggle.tsx'

interface LiveHeadProps {
  readonly filter: Filter
  onFilter(filter: Filter): void
  readonly isPaused: boolean
  onPause(): void
  readonly isFollowing: boolean
  onFollow(): void
  readonly isDemo: boolean
  readonly field: Ref<HTMLInputElement>
}

const seen = createSeen(() => liveList.get().rows)

export function LiveHead(props: LiveHeadProps): ReactElement {
  const { filter, onFilter, isPaused, isFollowing } = props
  return (
    <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line bg-surface px-3 py-1.5">
      <h1 className="mr-1 text-sm font-semibold max-sm:sr-only">Live</h1>
      <div className="flex min-w-0 flex-1 max-sm:basis-full">
        <FilterField filter={filter} onChange={onFilter} seen={seen} ref={props.field} />
      </div>
      <QuickFilters filter={filter} onChange={onFilter} />
      <div className="ml-auto flex items-center gap-0.5">
        <Toggle
          isOn={isFollowing}
          icon="live"
          title="Keep the newest in sight (f)"
          onClick={props.onFollow}
        >
          <span className="max-xl:sr-only">Follow</span>
        </Toggle>
        <Toggle
          isOn={isPaused}
          tone="warn"
          icon={isPaused ? 'play' : 'pause'}
          title={isPaused ? 'Let new ones in again (.)' : 'Hold new ones back (.)'}
          onClick={props.onPause}
        >
          <span className="max-xl:sr-only">{isPaused ? 'Resume' : 'Pause'}</span>
        </Toggle>
        <ColumnsMenu />
        {props.isDemo ? <DemoMenu /> : null}
      </div>
    </header>
  )
}
