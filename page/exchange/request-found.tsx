/** Where the words that were looked for stand in a request. */
import type { ReactElement } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { showHidden, showName } from '../blocks/plain.ts'
import { plural } from '../core/format.ts'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { MAX_MATCHES } from './request-find.ts'
import { useFound, type RequestSide } from './request-read.ts'

export function RequestFound({
  exchange,
  side,
  text,
}: {
  readonly exchange: ExchangeAnswer['exchange']
  readonly side: RequestSide
  readonly text: string
}): ReactElement {
  const { data, error, refetch } = useFound(exchange, side, text)
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading what="Looking" />
  if (data.length === 0)
    return (
      <Empty icon="search" title="Not found">
        Nothing in this request reads “{showName(text)}”. Try fewer words.
      </Empty>
    )
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <p role="status" className="px-3 py-1.5 text-2xs text-faint">
        {data.length === MAX_MATCHES
          ? `The first ${MAX_MATCHES} places`
          : plural(data.length, 'place')}
      </p>
      <ol aria-label="Found" className="border-t border-line">
        {data.map(({ path, before, found, after }, at) => (
          <li key={at} className="border-b border-line px-3 py-1.5">
            <p className="truncate font-mono text-2xs text-faint" title={path}>
              {showName(path)}
            </p>
            <p className="verbatim text-xs">
              {showHidden(before)}
              <mark className="rounded-xs bg-warn-soft font-medium text-ink underline">
                {showHidden(found)}
              </mark>
              {showHidden(after)}
            </p>
          </li>
        ))}
      </ol>
    </div>
  )
}
