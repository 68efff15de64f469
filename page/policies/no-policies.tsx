/** No policy yet: what one is, and how to write the first. */
import type { ReactElement } from 'react'
import { toHref } from '../core/route.ts'
import { CopyButton } from '../kit/copy.tsx'
import { Empty } from '../kit/states.tsx'
import { TEMPLATES, toConfigText } from './templates.ts'

export function NoPolicies(): ReactElement {
  const [{ yaml }] = TEMPLATES
  return (
    <Empty icon="policies" title="No policy yet">
      <p>
        A policy decides on what a model says before the agent gets it: a tool call waits for its
        verdict, everything else streams on. It may deny, ask a person, rewrite, or only watch.
      </p>
      <ul className="flex flex-wrap justify-center gap-1.5">
        {TEMPLATES.map(({ id, label, says }) => (
          <li key={id}>
            <a
              href={toHref('policies', [], { new: id })}
              title={says}
              className="inline-flex h-7 items-center rounded-md border border-line-strong bg-surface px-2.5 text-xs font-medium text-ink hover:bg-hover"
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
      <p>
        Begin with one of these: it can be tried on recorded exchanges before it acts. Or put it
        into your config:
      </p>
      <div className="w-full rounded-md border border-line bg-surface text-left">
        <div className="flex items-center justify-between border-b border-line py-1 pr-1 pl-3 text-xs text-faint">
          sluice.yaml
          <CopyButton text={toConfigText(yaml)} />
        </div>
        <pre className="overflow-x-auto p-3 font-mono text-xs text-ink">{toConfigText(yaml)}</pre>
      </div>
    </Empty>
  )
}
