/** Nothing waits and nothing has waited: what an approval is, and how to get one. */
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactElement } from 'react'
import { DEMO_SAMPLES } from '../../src/upstream/demo/samples.ts'
import { api, toSentence } from '../core/api.ts'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy.tsx'
import { Empty } from '../kit/states.tsx'

const EXAMPLE = `policies:
  - use: approve
    tools: [Bash, 'mcp__*']
    arguments: { command: ['git push*', '*sudo *'] }
    question: May {tool} run {args.command}?
approvals:
  deadline: 4m
`

export function NoApprovals(): ReactElement {
  const health = useQuery({ queryKey: ['health'], queryFn: () => api.health() })
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <Empty icon="approvals" title="No call waits for you">
        <p>
          A policy can put a tool call before a person. The agent waits while you pass the call,
          edit its arguments, or deny it with a reason that the model reads.
        </p>
        <figure className="w-full text-left">
          <figcaption className="flex items-center justify-between pb-1 text-xs text-faint">
            In sluice.yaml
            <CopyButton isSmall label="Copy the lines" text={EXAMPLE} />
          </figcaption>
          <pre className="overflow-x-auto rounded-md border border-line bg-surface p-3 font-mono text-xs text-ink">
            {EXAMPLE}
          </pre>
        </figure>
        {health.data?.gateway.isDemo === true ? <TryIt /> : null}
      </Empty>
    </div>
  )
}

const SAMPLE = DEMO_SAMPLES.find(({ id }) => id === 'approval')

/** A client of its own: it waits here in the page until somebody has decided. */
function TryIt(): ReactElement | null {
  const [fault, setFault] = useState<string>()
  const [isWaiting, setWaiting] = useState(false)
  if (SAMPLE === undefined) return null
  const { path, body } = SAMPLE
  async function ask(): Promise<void> {
    setWaiting(true)
    try {
      const answer = await fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      await answer.text()
    } catch (error) {
      setFault(toSentence(error))
    } finally {
      setWaiting(false)
    }
  }
  return (
    <>
      <Button look="primary" icon="play" disabled={isWaiting} onClick={() => void ask()}>
        Make a call that waits
      </Button>
      {fault === undefined ? null : <p role="alert">{fault}</p>}
    </>
  )
}
