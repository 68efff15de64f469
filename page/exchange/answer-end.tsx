/** How an answer ended: whole, cut off or broken, what it used and what it cost. Neighbours: `answer-tab.tsx`. */
import type { ReactElement, ReactNode } from 'react'
import { showHidden } from '../blocks/plain.ts'
import { toCost } from '../core/format.ts'
import { Icon } from '../kit/icons.tsx'
import type { AnswerEnding } from './answer-reader.ts'
import { toFinishWords, toTokens } from './answer-words.ts'

interface AnswerEndProps {
  readonly ending: Pick<AnswerEnding, 'finishReason' | 'usage'>
  readonly toldReason: AnswerEnding['finishReason']
  readonly fault: AnswerEnding['fault']
  readonly cost: number | undefined
  readonly isEstimated: boolean
}

const CUT_SHORT = new Set(['length', 'context-full', 'refusal', 'content-filter', 'pause'])

export function AnswerEnd(props: AnswerEndProps): ReactElement {
  const { ending, toldReason, fault, cost, isEstimated } = props
  const { finishReason, usage } = ending
  const isCut = finishReason !== undefined && CUT_SHORT.has(finishReason)
  return (
    <footer className="flex flex-col gap-1 px-1 pb-2 text-xs text-muted">
      {fault === undefined ? null : <Fault fault={fault} />}
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 tabular">
        {finishReason === undefined ? null : (
          <span className={isCut ? 'font-medium text-warn' : ''}>
            {toFinishWords(finishReason)} <span className="text-faint">({finishReason})</span>
            {toldReason === undefined || toldReason === finishReason
              ? ''
              : `; the agent was told ${toldReason}`}
          </span>
        )}
        {usage === undefined ? null : (
          <span
            title={isEstimated ? 'The upstream did not say: counted by the gateway' : undefined}
          >
            {isEstimated ? 'about ' : ''}
            {toTokens(usage)} tokens
          </span>
        )}
        {cost === undefined ? null : <span>{toCost(cost)}</span>}
      </p>
    </footer>
  )
}

const FAULTS: Readonly<Record<string, string>> = {
  cut: 'The upstream stopped in the middle of its answer',
  'bad-stream': 'The upstream sent something that its own format does not allow',
  timeout: 'The upstream took longer than the limits of the config allow',
  overloaded: 'The upstream is overloaded',
  'rate-limit': 'The upstream wants fewer requests: wait, or add another upstream to the route',
  authentication: 'The upstream does not accept the credentials: check its key in the config',
  billing: 'The upstream wants to be paid: look into the account',
  'context-too-long': 'The conversation is too long for the model: the agent must compact it',
}

function Fault({ fault }: { readonly fault: NonNullable<AnswerEnding['fault']> }): ReactElement {
  const says = FAULTS[fault.kind] ?? 'The answer ended with an error'
  return (
    <Remark tone="bad">
      <b className="font-semibold">{says}</b>
      {fault.message === '' ? '' : `: ${showHidden(fault.message)}`}
    </Remark>
  )
}

/** A sentence that must be seen. */
export function Remark({
  tone = 'plain',
  children,
}: {
  readonly tone?: 'plain' | 'bad' | 'warn'
  readonly children: ReactNode
}): ReactElement {
  const looks = {
    plain: 'bg-raised text-muted',
    warn: 'bg-warn-soft text-warn',
    bad: 'bg-bad-soft text-bad',
  }
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'note'}
      className={`flex items-start gap-2 rounded-md px-2.5 py-1.5 text-xs ${looks[tone]}`}
    >
      <span className="mt-0.5">
        <Icon name={tone === 'plain' ? 'info' : 'warn'} size={13} />
      </span>
      <p className="verbatim min-w-0">{children}</p>
    </div>
  )
}
