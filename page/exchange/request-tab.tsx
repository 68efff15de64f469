/**
 * What was asked: as the client sent it, as the upstream got it, and what is different; in parts, as JSON or as text.
 * Neighbours: `request-read.ts` reads it, `request-parts.tsx` shows its parts, `request-found.tsx` what was looked for.
 */
import { useDeferredValue, useState, type ReactElement } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { toSize, toWireName } from '../core/format.ts'
import { Choice } from '../kit/choice.tsx'
import { CopyButton } from '../kit/copy.tsx'
import { TextField } from '../kit/field.tsx'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { hasBody, whyMissing } from './raw-body.ts'
import { RawText } from './raw-text.tsx'
import { RequestChanged } from './request-changed.tsx'
import { RequestFound } from './request-found.tsx'
import { RequestJson } from './request-json.tsx'
import { RequestParts } from './request-parts.tsx'
import { requestWireOf, useRequest, type RequestSide } from './request-read.ts'

type Shown = RequestSide | 'changes'
type Form = 'parts' | 'json' | 'text'

/** One letter is everywhere. */
const MIN_FIND = 2

export function RequestTab({ answer }: { readonly answer: ExchangeAnswer }): ReactElement {
  const { exchange } = answer
  const [shown, setShown] = useState<Shown>('request')
  const [form, setForm] = useState<Form>('parts')
  const [find, setFind] = useState('')
  const side = shown === 'changes' ? 'sent' : shown
  const missing = whyMissing(exchange, 'request')
  if (missing !== undefined) return <Empty title="The request is not here">{missing}</Empty>
  const hasSent = hasBody(exchange, 'sent')
  return (
    <div className="flex h-full min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
        {hasSent ? (
          <Choice label="Which request" options={SIDES} selected={shown} onSelect={setShown} />
        ) : null}
        {shown === 'changes' ? null : (
          <>
            <Choice label="How it is shown" options={FORMS} selected={form} onSelect={setForm} />
            <TextField
              label="Find in the request"
              isBare
              type="search"
              placeholder="Find"
              className="max-w-44 min-w-24"
              value={find}
              onChange={({ target }) => setFind(target.value)}
            />
          </>
        )}
        <span className="tabular ml-auto text-2xs text-faint">
          {shown === 'changes' ? `${factsOf(exchange, 'request')} → ` : ''}
          {factsOf(exchange, side)}
          {hasSent ? '' : ' · sent on as it came'}
        </span>
      </div>
      {shown === 'changes' ? (
        <RequestChanged answer={answer} />
      ) : (
        <OneSide key={shown} answer={answer} side={shown} form={form} find={find.trim()} />
      )}
    </div>
  )
}

const factsOf = (exchange: ExchangeAnswer['exchange'], side: RequestSide): string =>
  `${toSize(exchange.bodies[side])} · ${toWireName(requestWireOf(exchange, side))}`

const SIDES = [
  { id: 'request', label: 'Client sent' },
  { id: 'sent', label: 'Upstream got' },
  { id: 'changes', label: 'Changes' },
] as const

const FORMS = [
  { id: 'parts', label: 'Parts' },
  { id: 'json', label: 'JSON' },
  { id: 'text', label: 'Text' },
] as const

function OneSide({
  answer,
  side,
  form,
  find,
}: {
  readonly answer: ExchangeAnswer
  readonly side: RequestSide
  readonly form: Form
  readonly find: string
}): ReactElement {
  const { exchange } = answer
  const { data, error, refetch } = useRequest(exchange, side)
  const sought = useDeferredValue(find)
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading what="Reading the request" />
  if (sought.length >= MIN_FIND)
    return <RequestFound exchange={exchange} side={side} text={sought} />
  if (form === 'text')
    return (
      <div className="relative flex min-h-0 flex-1 flex-col">
        <span className="absolute top-1 right-3 z-10 rounded-md bg-surface">
          <CopyButton isSmall text={data.text} label="Copy the request" />
        </span>
        <RawText label="The request as text" text={data.text} />
      </div>
    )
  return form === 'json' ? (
    <RequestJson exchange={exchange} side={side} />
  ) : (
    <RequestParts answer={answer} side={side} view={data.view} />
  )
}
