/** How a policy stands: acts or watches, edited here, not saved. The same in the list and at the head of one. */
import type { ReactElement } from 'react'
import type { PoliciesAnswer, PolicyView } from '../../src/api/types.ts'
import { toAgo } from '../core/format.ts'
import { useStore } from '../core/store.ts'
import { Badge } from '../kit/badge.tsx'
import { drafts, ofPolicy } from './drafts.ts'
import { isInShadow, toStateTitle, who } from './policy-words.ts'

export function StateBadges({
  policy,
  fallen,
}: {
  readonly policy: PolicyView
  readonly fallen: PoliciesAnswer['fallen']
}): ReactElement {
  const isDrafted = useStore(drafts)[ofPolicy(policy.name)] !== undefined
  const { edit } = policy
  const fell = fallen.find((one) => one.policy === policy.name)
  return (
    <>
      {isInShadow(policy) ? (
        <Badge title={toStateTitle(policy)} className="border border-dashed border-line-strong">
          shadow
        </Badge>
      ) : (
        <Badge tone="ok" title={toStateTitle(policy)}>
          acts
        </Badge>
      )}
      {edit === undefined ? null : (
        <Badge tone="accent" title={`Written here by ${who(edit.by)}, ${toAgo(edit.at)}`}>
          {edit.isNew ? 'new here' : 'edited here'}
        </Badge>
      )}
      {fell === undefined ? null : (
        <Badge tone="warn" title={toFallenWords(fell)}>
          fell back
        </Badge>
      )}
      {isDrafted ? (
        <Badge tone="warn" title="There is a text of yours in the editor that is not saved">
          unsaved
        </Badge>
      ) : null}
    </>
  )
}

export const toFallenWords = ({ by, at, why }: PoliciesAnswer['fallen'][number]): string =>
  `What ${who(by)} wrote here ${toAgo(at)} does not hold any more: ${
    why === 'changed'
      ? 'the config says something else since'
      : 'this version of the gateway cannot read it'
  }`
