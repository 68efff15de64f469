/**
 * The frame around the views: who may see them, which one is shown, and what must be seen from everywhere: calls that
 * wait, the kill switch, a lost connection. Neighbours: `core/route.ts` says where we are; each view is loaded when it is
 * first opened.
 */
import {
  Suspense,
  useEffect,
  useState,
  useSyncExternalStore,
  type ComponentType,
  type ReactElement,
} from 'react'
import { ApprovalWatch } from './approvals/approval-watch.tsx'
import { Boundary } from './boundary.tsx'
import { startFeed, stopFeed } from './core/feed.ts'
import { lazily } from './core/lazily.ts'
import { go, toHref, usePlace, type ViewName } from './core/route.ts'
import { useShortcuts } from './core/shortcuts.ts'
import { onToken, readToken } from './core/token.ts'
import { Help } from './help.tsx'
import { Loading } from './kit/states.tsx'
import { Login } from './login.tsx'
import { Banners } from './banners.tsx'
import { Sidebar } from './sidebar.tsx'

const VIEWS: Readonly<Record<ViewName, ComponentType>> = {
  live: lazily(async () => ({ default: (await import('./live/live-view.tsx')).LiveView })),
  exchange: lazily(async () => ({
    default: (await import('./exchange/exchange-view.tsx')).ExchangeView,
  })),
  conversations: lazily(async () => ({
    default: (await import('./conversations/conversations-view.tsx')).ConversationsView,
  })),
  approvals: lazily(async () => ({
    default: (await import('./approvals/approvals-view.tsx')).ApprovalsView,
  })),
  policies: lazily(async () => ({
    default: (await import('./policies/policies-view.tsx')).PoliciesView,
  })),
  overview: lazily(async () => ({
    default: (await import('./overview/overview-view.tsx')).OverviewView,
  })),
  settings: lazily(async () => ({
    default: (await import('./settings/settings-view.tsx')).SettingsView,
  })),
}

export function App(): ReactElement {
  const token = useSyncExternalStore(onToken, readToken)
  return token === undefined ? <Login /> : <Inside key={token} />
}

function Inside(): ReactElement {
  const { view } = usePlace()
  const [isHelping, setHelping] = useState(false)
  useEffect(() => {
    startFeed()
    return stopFeed
  }, [])
  useShortcuts([
    { keys: 'g l', says: 'Live', run: () => go(toHref('live')) },
    { keys: 'g c', says: 'Conversations', run: () => go(toHref('conversations')) },
    { keys: 'g a', says: 'Approvals', run: () => go(toHref('approvals')) },
    { keys: 'g p', says: 'Policies', run: () => go(toHref('policies')) },
    { keys: 'g o', says: 'Overview', run: () => go(toHref('overview')) },
    { keys: 'g s', says: 'Settings', run: () => go(toHref('settings')) },
    { keys: '?', says: 'These keys', run: () => setHelping(true) },
  ])
  const View = VIEWS[view]
  return (
    <div className="flex h-full flex-col-reverse sm:flex-row">
      <Sidebar view={view} onHelp={() => setHelping(true)} />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <Banners />
        <main className="flex min-h-0 min-w-0 flex-1 flex-col" id="view">
          <Boundary key={view}>
            <Suspense fallback={<Loading />}>
              <View />
            </Suspense>
          </Boundary>
        </main>
      </div>
      <ApprovalWatch />
      {isHelping ? <Help onClose={() => setHelping(false)} /> : null}
    </div>
  )
}
