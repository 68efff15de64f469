/** Settings: how to connect, who may, and how the gateway is set up. A tab each; `#/settings/TAB`. */
import { useEffect, useRef, type ReactElement } from 'react'
import { go, toHref, usePlace } from '../core/route.ts'
import { Tabs } from '../kit/tabs.tsx'
import { Toolbar } from '../kit/toolbar.tsx'
import { BrowserTab } from './browser-tab.tsx'
import { ConfigTab } from './config-tab.tsx'
import { ConnectTab } from './connect-tab.tsx'
import { KeysTab } from './keys-tab.tsx'
import { RecordsTab } from './records-tab.tsx'
import { UpstreamsTab } from './upstreams-tab.tsx'

const TABS = [
  { id: 'connect', label: 'Connect', View: ConnectTab },
  { id: 'keys', label: 'Keys', View: KeysTab },
  { id: 'upstreams', label: 'Upstreams', View: UpstreamsTab },
  { id: 'config', label: 'Config', View: ConfigTab },
  { id: 'records', label: 'Records', View: RecordsTab },
  { id: 'browser', label: 'This browser', View: BrowserTab },
] as const

export function SettingsView(): ReactElement {
  const [name] = usePlace().parts
  const { id, label, View } = TABS.find((tab) => tab.id === name) ?? TABS[0]
  const head = useRef<HTMLDivElement>(null)
  // In a narrow window they scroll.
  useEffect(() => {
    head.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [id])
  return (
    <>
      <Toolbar title="Settings" />
      <div ref={head} className="shrink-0 bg-surface">
        <Tabs
          label="Settings"
          tabs={TABS}
          selected={id}
          onSelect={(next) => go(toHref('settings', [next]))}
        />
      </div>
      <div
        role="tabpanel"
        aria-label={label}
        className="flex min-h-0 flex-1 flex-col overflow-y-auto bg-surface"
      >
        <View />
      </div>
    </>
  )
}
