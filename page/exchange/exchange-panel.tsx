/**
 * One exchange beside a list, or as a view of its own: what policies did first, then its head and tabs. Neighbours:
 * `answer-source.ts` finds it wherever it is, live or recorded; `answer-tab.tsx`, `compare.tsx`, and the tabs on the request,
 * the raw bytes and the details show it.
 */
import { Suspense, useCallback, useMemo, useRef, useState, type ReactElement } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { lazily } from '../core/lazily.ts'
import { go, toHref } from '../core/route.ts'
import { isTyping, useShortcuts } from '../core/shortcuts.ts'
import { Button } from '../kit/button.tsx'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { Tabs, type Tab } from '../kit/tabs.tsx'
import { isChanged } from './answer-model.ts'
import { fromLive, fromRecord, type AnswerShown } from './answer-shown.ts'
import { useAnswer, type AnswerSource } from './answer-source.ts'
import { AnswerTab } from './answer-tab.tsx'
import { Compare } from './compare.tsx'
import { ExchangeHead } from './exchange-panel-head.tsx'
import { chooseBlock, foldBlock, stepBlock } from './exchange-panel-keys.ts'
import { Verdicts } from './verdicts.tsx'

const RequestTab = lazily(async () => ({ default: (await import('./request-tab.tsx')).RequestTab }))
const RawTab = lazily(async () => ({ default: (await import('./raw-tab.tsx')).RawTab }))
const DetailsTab = lazily(async () => ({ default: (await import('./details-tab.tsx')).DetailsTab }))

export const EXCHANGE_TABS = ['answer', 'compare', 'request', 'raw', 'details'] as const
export type ExchangeTab = (typeof EXCHANGE_TABS)[number]

interface ExchangePanelProps {
  /** Of the record, or a request id. */
  readonly id: string
  /** Beside a list: how to close it. */
  readonly onClose?: () => void
  /** Where the tab is kept elsewhere, such as in the address. */
  readonly tab?: ExchangeTab
  readonly onTab?: (tab: ExchangeTab) => void
}

/** Another exchange begins anew: nothing of the one before stays open. */
export const ExchangePanel = (props: ExchangePanelProps): ReactElement => (
  <OnePanel key={props.id} {...props} />
)

function OnePanel({ id, onClose, tab, onTab }: ExchangePanelProps): ReactElement {
  const source = useAnswer(id)
  const [ownTab, setOwnTab] = useState<ExchangeTab>('answer')
  useShortcuts([
    {
      keys: 'Escape',
      says: 'Close the exchange',
      run: ({ target }) => {
        if (onClose !== undefined) onClose()
        else if (!isTyping(target)) go(toHref('live'))
      },
    },
  ])
  return (
    <section
      aria-label="Exchange"
      className="@container flex h-full min-h-0 min-w-0 flex-1 flex-col bg-surface"
    >
      {source.state === 'recorded' || source.state === 'live' ? (
        <Inside source={source} onClose={onClose} tab={tab ?? ownTab} onTab={onTab ?? setOwnTab} />
      ) : (
        <NotHere id={id} source={source} onClose={onClose} />
      )}
    </section>
  )
}

type Present = Extract<AnswerSource, { state: 'recorded' | 'live' }>

function Inside({
  source,
  onClose,
  tab,
  onTab,
}: {
  readonly source: Present
  readonly onClose: (() => void) | undefined
  readonly tab: ExchangeTab
  onTab(tab: ExchangeTab): void
}): ReactElement {
  const place = useRef<HTMLDivElement>(null)
  const shown = useShown(source)
  const hasChanged = shown.live === undefined && isChanged(shown.rows)
  const selected = tab === 'compare' && !hasChanged ? 'answer' : tab
  const choose = useCallback(
    (key: string) => {
      onTab('answer')
      // The tab may have to be drawn first.
      requestAnimationFrame(() => chooseBlock(place.current, key))
    },
    [onTab],
  )
  useShortcuts([
    ...EXCHANGE_TABS.map((one, at) => ({
      keys: String(at + 1),
      says: `Exchange: ${one}`,
      run: () => (one !== 'compare' || hasChanged ? onTab(one) : undefined),
    })),
    { keys: ']', says: 'Next block', run: () => stepBlock(place.current, 1) },
    { keys: '[', says: 'Previous block', run: () => stepBlock(place.current, -1) },
    { keys: 'x', says: 'Fold or unfold the block', run: () => foldBlock(place.current) },
  ])
  const answer = source.state === 'recorded' ? source.answer : undefined
  const open = source.state === 'live' ? source.live.exchange : undefined
  return (
    <>
      <Verdicts
        verdicts={shown.verdicts}
        rows={shown.rows}
        onChoose={choose}
        onCompare={hasChanged ? () => onTab('compare') : undefined}
      />
      <ExchangeHead answer={answer} open={open} onClose={onClose} />
      <Tabs
        label="Parts of the exchange"
        tabs={toTabs(shown, hasChanged)}
        selected={selected}
        onSelect={onTab}
      />
      <div
        ref={place}
        role="tabpanel"
        aria-label={LABELS[selected]}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        <Suspense fallback={<Loading />}>
          <TabContent
            tab={selected}
            shown={shown}
            answer={answer}
            onChoose={choose}
            onRemoved={onClose}
          />
        </Suspense>
        {source.state === 'recorded' && source.blocks.error !== null ? (
          <Failed error={source.blocks.error} onRetry={() => void source.blocks.refetch()} />
        ) : null}
      </div>
    </>
  )
}

function useShown(source: Present): AnswerShown {
  const live = source.state === 'live' ? source.live : undefined
  const answer = source.state === 'recorded' ? source.answer : undefined
  const blocks = source.state === 'recorded' ? source.blocks.data : undefined
  return useMemo(() => {
    if (live !== undefined) return fromLive(live)
    if (answer === undefined) throw new Error('An exchange is live or recorded')
    return fromRecord(answer, blocks)
  }, [live, answer, blocks])
}

const LABELS: Readonly<Record<ExchangeTab, string>> = {
  answer: 'Answer',
  compare: 'Compare',
  request: 'Request',
  raw: 'Raw',
  details: 'Details',
}

const toTabs = ({ rows }: AnswerShown, hasChanged: boolean): readonly Tab<ExchangeTab>[] =>
  EXCHANGE_TABS.filter((id) => id !== 'compare' || hasChanged).map((id) => ({
    id,
    label: LABELS[id],
    ...(id === 'answer' && rows.length > 0 ? { mark: rows.length } : {}),
    ...(id === 'compare' ? { mark: rows.filter(({ change }) => change !== 'same').length } : {}),
  }))

function TabContent({
  tab,
  shown,
  answer,
  onChoose,
  onRemoved,
}: {
  readonly tab: ExchangeTab
  readonly shown: AnswerShown
  readonly answer: ExchangeAnswer | undefined
  onChoose(key: string): void
  readonly onRemoved: (() => void) | undefined
}): ReactElement {
  if (tab === 'answer') return <AnswerTab shown={shown} onChoose={onChoose} />
  if (tab === 'compare') return <Compare shown={shown} />
  if (answer === undefined)
    return (
      <Empty icon="clock" title="Not yet">
        <p>This is here as soon as the exchange is over and recorded.</p>
      </Empty>
    )
  if (tab === 'request') return <RequestTab answer={answer} />
  return tab === 'raw' ? (
    <RawTab answer={answer} />
  ) : (
    <DetailsTab answer={answer} onRemoved={onRemoved} />
  )
}

function NotHere({
  id,
  source,
  onClose,
}: {
  readonly id: string
  readonly source: Exclude<AnswerSource, Present>
  readonly onClose: (() => void) | undefined
}): ReactElement {
  if (source.state === 'loading') return <Loading what="Reading the exchange" />
  if (source.state === 'failed') return <Failed error={source.error} onRetry={source.retry} />
  return (
    <Empty icon="search" title="There is no such exchange">
      <p>
        Nothing is recorded as <code className="font-mono text-xs break-all">{id}</code>. It may
        have been taken away by its age, or belong to another gateway.
      </p>
      {onClose === undefined ? (
        <a href={toHref('live')} className="text-accent underline underline-offset-2">
          Back to all exchanges
        </a>
      ) : (
        <Button onClick={onClose}>Close</Button>
      )}
    </Empty>
  )
}
