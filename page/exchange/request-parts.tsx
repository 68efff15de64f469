/** A request by its parts: settings, system prompt, tools, turns, headers. Each can be folded. */
import { useState, type ReactElement, type ReactNode } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { JsonTree } from '../blocks/json-tree.tsx'
import { Part } from '../blocks/part-view.tsx'
import { showName } from '../blocks/plain.ts'
import type { PartView, RequestView } from '../blocks/request-view.ts'
import { Turns } from '../blocks/turns.tsx'
import { plural, toCount } from '../core/format.ts'
import { Icon } from '../kit/icons.tsx'
import { Pairs } from './details-pairs.tsx'
import type { RequestSide } from './request-read.ts'
import { RequestTools } from './request-tools.tsx'

interface RequestPartsProps {
  readonly answer: ExchangeAnswer
  readonly side: RequestSide
  readonly view: RequestView
}

export function RequestParts({ answer, side, view }: RequestPartsProps): ReactElement {
  const { requestHeaders, method, endpoint, query } = answer.exchange
  const headers = Object.entries(requestHeaders)
  return (
    <div className="min-h-0 flex-1 overflow-auto pb-4">
      {view.fault === undefined ? null : (
        <p role="alert" className="m-3 rounded-md bg-warn-soft px-3 py-2 text-xs text-warn">
          This could not be read as a request: {showName(view.fault)}. Its fields are below as they
          are.
        </p>
      )}
      <Section title="Settings">
        <Settings view={view} />
      </Section>
      {view.system.length === 0 ? null : (
        <Section title="System prompt" hint={`${toCount(lengthOf(view.system))} characters`}>
          <div className="flex flex-col gap-2">
            {view.system.map((part, at) => (
              <Part key={at} part={part} />
            ))}
          </div>
        </Section>
      )}
      {view.tools.length === 0 ? null : (
        <Section title="Tools" hint={String(view.tools.length)}>
          <RequestTools tools={view.tools} />
        </Section>
      )}
      {view.fault !== undefined && view.turns.length === 0 ? null : (
        <Section title="Turns" hint={String(view.turns.length)}>
          <Turns turns={view.turns} last={30} />
        </Section>
      )}
      {side === 'sent' ? null : (
        <Section title="Headers" hint={plural(headers.length, 'header')} isFolded>
          <p className="pb-1 font-mono text-xs break-all">
            {method} {showName(endpoint)}
            {showName(query)}
          </p>
          <Pairs pairs={headers} isMono />
          <p className="pt-1 text-2xs text-faint">Credentials are never recorded.</p>
        </Section>
      )}
    </div>
  )
}

/** With its name as a button that folds it. */
function Section({
  title,
  hint,
  isFolded = false,
  children,
}: {
  readonly title: string
  readonly hint?: string
  readonly isFolded?: boolean
  readonly children: ReactNode
}): ReactElement {
  const [isOpen, setOpen] = useState(!isFolded)
  return (
    <section aria-label={title} className="border-b border-line last:border-b-0">
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex h-8 w-full items-center gap-1.5 px-3 text-xs font-semibold hover:bg-hover"
        >
          <span className="text-faint">
            <Icon name={isOpen ? 'down' : 'right'} size={12} />
          </span>
          {title}
          {hint === undefined ? null : (
            <span className="tabular font-normal text-faint">{hint}</span>
          )}
        </button>
      </h3>
      {isOpen ? <div className="min-w-0 px-3 pb-3 pl-[30px]">{children}</div> : null}
    </section>
  )
}

/** What fits on a line stands in the list, the rest below it. */
const SHORT = 60

function Settings({ view }: { readonly view: RequestView }): ReactElement {
  const all: readonly (readonly [string, unknown])[] = [
    ['model', view.model ?? 'none'],
    ['stream', view.isStream],
    ...Object.entries(view.settings),
  ]
  const short = all.filter(([, value]) => toShort(value) !== undefined)
  const long = all.filter(([, value]) => toShort(value) === undefined)
  return (
    <div className="flex flex-col gap-2">
      <Pairs pairs={short.map(([name, value]) => [name, toShort(value) ?? ''])} isMono />
      {long.length === 0 ? null : <JsonTree value={Object.fromEntries(long)} depth={1} />}
    </div>
  )
}

function toShort(value: unknown): string | undefined {
  // Long texts are not written out just to find that they are long.
  if (typeof value === 'string' && value.length > SHORT) return undefined
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 4) return undefined
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length <= SHORT ? text : undefined
}

const lengthOf = (parts: readonly PartView[]): number =>
  parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0)
