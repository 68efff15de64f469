/** A request as JSON that can be folded. */
import type { ReactElement } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { JsonTree } from '../blocks/json-tree.tsx'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { useRequestJson, type RequestSide } from './request-read.ts'

export function RequestJson({
  exchange,
  side,
}: {
  readonly exchange: ExchangeAnswer['exchange']
  readonly side: RequestSide
}): ReactElement {
  const { data, error, refetch } = useRequestJson(exchange, side)
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading />
  if (data.value === undefined)
    return <Empty title="This is no JSON">Look at it as text instead.</Empty>
  return (
    <div className="min-h-0 flex-1 overflow-auto px-3 py-2">
      <JsonTree value={data.value} depth={1} />
    </div>
  )
}
