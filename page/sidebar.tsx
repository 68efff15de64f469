/** The ways between the views, and how things are. On narrow windows it is a row of pictures at the bottom. */
import { useEffect, type ReactElement } from 'react'
import { connection, isKillSwitchShown, openExchanges, pendingTickets } from './core/feed.ts'
import { isDark, theme } from './core/preferences.ts'
import { toHref, type ViewName } from './core/route.ts'
import { useStore } from './core/store.ts'
import { dropToken } from './core/token.ts'
import { IconButton } from './kit/button.tsx'
import { classes } from './kit/classes.ts'
import { Icon, type IconName } from './kit/icons.tsx'

const WAYS: readonly {
  readonly view: Exclude<ViewName, 'exchange'>
  readonly label: string
  readonly icon: IconName
}[] = [
  { view: 'live', label: 'Live', icon: 'live' },
  { view: 'conversations', label: 'Conversations', icon: 'conversations' },
  { view: 'approvals', label: 'Approvals', icon: 'approvals' },
  { view: 'policies', label: 'Policies', icon: 'policies' },
  { view: 'overview', label: 'Overview', icon: 'overview' },
  { view: 'settings', label: 'Settings', icon: 'settings' },
]

export function Sidebar({
  view,
  onHelp,
}: {
  readonly view: ViewName
  readonly onHelp: () => void
}): ReactElement {
  const waiting = useStore(pendingTickets).length
  const open = useStore(openExchanges).size
  const shown = view === 'exchange' ? 'live' : view
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Sluice` : 'Sluice'
  }, [waiting])
  return (
    <nav
      aria-label="Views"
      className="flex shrink-0 items-center border-line bg-surface max-sm:justify-around max-sm:border-t sm:w-12 sm:flex-col sm:items-stretch sm:border-r lg:w-44"
    >
      <a
        href={toHref('live')}
        className="flex h-11 items-center gap-2 px-3 font-semibold max-sm:hidden sm:max-lg:justify-center sm:max-lg:px-0"
      >
        <img src="./favicon.svg" alt="" width={20} height={20} />
        <span className="max-lg:sr-only">Sluice</span>
      </a>
      <ul className="flex gap-0.5 p-1.5 sm:flex-col">
        {WAYS.map((way) => (
          <li key={way.view}>
            <a
              href={toHref(way.view)}
              title={way.label}
              aria-current={shown === way.view ? 'page' : undefined}
              className={classes(
                'relative flex h-8 items-center gap-2.5 rounded-md px-2 text-sm max-lg:justify-center',
                shown === way.view
                  ? 'bg-selected font-medium text-ink'
                  : 'text-muted hover:bg-hover hover:text-ink',
              )}
            >
              <Icon name={way.icon} />
              <span className="max-lg:sr-only">{way.label}</span>
              {way.view === 'live' && open > 0 ? (
                <Mark tone="accent" says={`${open} open`} count={open} />
              ) : null}
              {way.view === 'approvals' && waiting > 0 ? (
                <Mark tone="hold" says={`${waiting} waiting`} count={waiting} />
              ) : null}
            </a>
          </li>
        ))}
      </ul>
      <div className="flex gap-0.5 p-1.5 sm:mt-auto sm:flex-col">
        <State />
        <div className="flex gap-0.5 sm:max-lg:flex-col sm:max-lg:items-center">
          <IconButton
            icon="halt"
            label="Kill switch (g h)"
            onClick={() => isKillSwitchShown.set(true)}
            className="max-sm:hidden"
          />
          <IconButton icon="info" label="Keys (?)" onClick={onHelp} className="max-sm:hidden" />
          <ThemeButton />
          <IconButton icon="leave" label="Log out" onClick={dropToken} />
        </div>
      </div>
    </nav>
  )
}

function Mark({
  tone,
  says,
  count,
}: {
  readonly tone: 'accent' | 'hold'
  readonly says: string
  readonly count: number
}): ReactElement {
  return (
    <span
      aria-label={says}
      className={classes(
        'tabular ml-auto min-w-[18px] rounded-full px-1 text-center text-2xs font-semibold max-lg:absolute max-lg:-top-0.5 max-lg:-right-0.5',
        tone === 'hold' ? 'bg-hold-soft text-hold' : 'bg-accent-soft text-accent',
      )}
    >
      {count > 99 ? '99+' : count}
    </span>
  )
}

function State(): ReactElement {
  const { state } = useStore(connection)
  const says = state === 'open' ? 'Connected' : state === 'lost' ? 'No connection' : 'Connecting'
  return (
    <span
      title={says}
      className="flex h-7 items-center gap-2 px-2 text-xs text-faint max-lg:justify-center max-sm:hidden"
    >
      <span
        className={classes(
          'size-2 rounded-full',
          state === 'open' ? 'bg-ok' : state === 'lost' ? 'breathe bg-bad' : 'breathe bg-warn',
        )}
      />
      <span className="max-lg:sr-only">{says}</span>
    </span>
  )
}

function ThemeButton(): ReactElement {
  const dark = useStore(isDark)
  return (
    <IconButton
      icon={dark ? 'sun' : 'moon'}
      label={dark ? 'Light colours' : 'Dark colours'}
      onClick={() => theme.set(dark ? 'light' : 'dark')}
    />
  )
}
