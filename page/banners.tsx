/** What must be seen from every view: no connection, and the kill switch. */
import type { ReactElement } from 'react'
import { connection, haltState } from './core/feed.ts'
import { toAgo } from './core/format.ts'
import { useNow } from './core/now.ts'
import { toHref } from './core/route.ts'
import { useStore } from './core/store.ts'
import { Icon } from './kit/icons.tsx'

export function Banners(): ReactElement {
  const at = useStore(connection)
  const halt = useStore(haltState)
  return (
    <>
      {at.state === 'lost' ? <Lost why={at.why} since={at.since} /> : null}
      {halt.halted ? (
        <p
          role="status"
          className="flex items-center gap-2 bg-bad px-3 py-1.5 text-xs font-medium text-on-bad"
        >
          <Icon name="halt" size={14} />
          <span className="min-w-0 flex-1 truncate">
            All tool calls are stopped{halt.by === undefined ? '' : ` by ${halt.by}`}
            {halt.reason === undefined || halt.reason === '' ? '' : `: ${halt.reason}`}
          </span>
          <a href={toHref('approvals')} className="underline">
            Kill switch
          </a>
        </p>
      ) : null}
    </>
  )
}

function Lost({ why, since }: { readonly why: string; readonly since: number }): ReactElement {
  const now = useNow()
  return (
    <p
      role="status"
      className="flex items-center gap-2 bg-warn-soft px-3 py-1.5 text-xs font-medium text-warn"
    >
      <Icon name="warn" size={14} />
      <span className="min-w-0 flex-1 truncate">
        No connection since {toAgo(since, now)}: {/[.?!]$/.test(why) ? why : `${why}.`} What you see
        may be old; trying again.
      </span>
    </p>
  )
}
