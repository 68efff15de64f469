/** What approvals need while another view is shown: alerts, and the key to the kill switch. Shows nothing by itself. */
import { useEffect, type ReactElement } from 'react'
import { isKillSwitchShown } from '../core/feed.ts'
import { useShortcuts } from '../core/shortcuts.ts'
import { useStore } from '../core/store.ts'
import { startAlerts } from './alerts.ts'
import { KillSwitchDialog } from './kill-switch.tsx'

export function ApprovalWatch(): ReactElement | null {
  const isOpen = useStore(isKillSwitchShown)
  useEffect(startAlerts, [])
  // Two keys, and then a dialog: nothing is stopped by a slip.
  useShortcuts([{ keys: 'g h', says: 'Kill switch', run: () => isKillSwitchShown.set(true) }])
  return isOpen ? <KillSwitchDialog onClose={() => isKillSwitchShown.set(false)} /> : null
}
