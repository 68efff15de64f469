/** What the gateway changed on the way: the difference as JSON, and what a translation could not carry. */
import type { ReactElement } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { TextDiff } from '../blocks/text-diff.tsx'
import { toWireName } from '../core/format.ts'
import { Failed, Loading } from '../kit/states.tsx'
import { Losses } from './details-losses.tsx'
import { useRequestChanges } from './request-read.ts'

export function RequestChanged({ answer }: { readonly answer: ExchangeAnswer }): ReactElement {
  const { exchange } = answer
  const { data, error, refetch } = useRequestChanges(exchange)
  const isTranslated =
    exchange.upstreamWire !== undefined && exchange.upstreamWire !== exchange.wire
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-auto px-3 py-2">
      <p className="text-xs text-muted">
        {isTranslated
          ? `Translated from ${toWireName(exchange.wire)} to ${toWireName(exchange.upstreamWire)}.`
          : 'The same format, with something changed in it: the name of the model, or what a policy wrote.'}
      </p>
      {exchange.losses.length === 0 ? null : <Losses losses={exchange.losses} />}
      {error !== null ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="Comparing" />
      ) : (
        <TextDiff
          label="What was changed in the request"
          before={data.before}
          after={data.after}
          isSplit
          isBare
        />
      )}
    </div>
  )
}
