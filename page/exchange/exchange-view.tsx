/** One exchange as a view of its own: `#/exchange/ID/TAB`, an address that can be sent to somebody. */
import type { ReactElement } from 'react'
import { go, toHref, usePlace } from '../core/route.ts'
import { Empty } from '../kit/states.tsx'
import { Toolbar } from '../kit/toolbar.tsx'
import { EXCHANGE_TABS, ExchangePanel, type ExchangeTab } from './exchange-panel.tsx'

export function ExchangeView(): ReactElement {
  const { parts } = usePlace()
  const [id, tab] = parts
  if (id === undefined)
    return (
      <>
        <Toolbar title="Exchange" />
        <Empty icon="live" title="No exchange is chosen">
          <p>Choose one in the list of all exchanges.</p>
          <a href={toHref('live')} className="text-accent underline underline-offset-2">
            Go to Live
          </a>
        </Empty>
      </>
    )
  return (
    <ExchangePanel
      id={id}
      tab={isTab(tab) ? tab : 'answer'}
      onTab={(next) => go(toHref('exchange', next === 'answer' ? [id] : [id, next]), true)}
    />
  )
}

const isTab = (text: string | undefined): text is ExchangeTab =>
  (EXCHANGE_TABS as readonly (string | undefined)[]).includes(text)
