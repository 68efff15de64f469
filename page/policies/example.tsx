/**
 * One case: what the model wanted, what was said of it, and the way to its exchange. Neighbours: results show what happened,
 * trials what would.
 */
import type { ReactElement, ReactNode } from 'react'
import { TextDiff } from '../blocks/text-diff.tsx'
import { ToolArguments } from '../blocks/tool-arguments.tsx'
import { Verbatim } from '../blocks/verbatim.tsx'
import { toTime, toWholeTime } from '../core/format.ts'
import { toHref } from '../core/route.ts'

interface ExampleProps {
  readonly exchangeId: string
  readonly at?: number | undefined
  /** Behind the time: a rule, a person. */
  readonly about?: ReactNode
  readonly tool: string
  /** As the model said it; missing where nobody kept it. */
  readonly original: string | undefined
  /** In other words or with other arguments: shown as a difference. */
  readonly rewritten?: string | undefined
  readonly children?: ReactNode
}

/** Longer ones are cut by the gateway, and cannot be read as what they are. */
const CUT_AT = 2000
const LINES = 8

export function Example({
  exchangeId,
  at,
  about,
  tool,
  original,
  rewritten,
  children,
}: ExampleProps): ReactElement {
  return (
    <li className="flex min-w-0 flex-col gap-1 py-1.5">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 text-xs text-faint">
        <a
          href={toHref('exchange', [exchangeId])}
          className="font-medium text-accent hover:underline"
        >
          Open the exchange
        </a>
        {at === undefined ? null : <time title={toWholeTime(at)}>{toTime(at)}</time>}
        {about}
      </div>
      {original === undefined ? null : rewritten !== undefined && rewritten !== original ? (
        <TextDiff before={original} after={rewritten} isBare label="What would be changed" />
      ) : original.startsWith('{') && original.length < CUT_AT ? (
        <ToolArguments name={tool} content={original} />
      ) : (
        <Verbatim text={original} isMono lines={LINES} />
      )}
      {children}
    </li>
  )
}

/** What was said, with who said it before it. */
export const Said = ({
  label,
  text,
}: {
  readonly label: string
  readonly text: string
}): ReactElement => (
  <div className="flex min-w-0 gap-2 text-xs">
    <span className="w-16 shrink-0 text-faint">{label}</span>
    <Verbatim text={text} lines={LINES} />
  </div>
)
