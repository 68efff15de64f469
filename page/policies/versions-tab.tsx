/**
 * All versions of a policy: who wrote each, when, what each decided, and how it differs from the one that holds. From here
 * one leads back. Neighbours: `blocks/text-diff.tsx` draws the difference.
 */
import type { ReactElement } from 'react'
import type { PolicyView } from '../../src/api/types.ts'
import type { PolicyVersionView } from '../../src/api/types-policies.ts'
import { TextDiff } from '../blocks/text-diff.tsx'
import { Name, Verbatim } from '../blocks/verbatim.tsx'
import { toTime, toWholeTime } from '../core/format.ts'
import { Badge } from '../kit/badge.tsx'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { useVersions } from './data.ts'
import { BackButton, isOfConfig } from './mode-buttons.tsx'
import { OpenRow } from './open-row.tsx'
import { toCounts, who } from './policy-words.ts'
import { Version } from './sure-words.tsx'

interface VersionsProps {
  readonly name: string
  readonly policy: PolicyView | undefined
}

export function VersionsTab({ name, policy }: VersionsProps): ReactElement {
  const { data, error, refetch } = useVersions(name)
  if (data === undefined)
    return error === null ? <Loading /> : <Failed error={error} onRetry={() => void refetch()} />
  const held = data.versions.find(({ isHeld }) => isHeld)
  if (data.versions.length === 0)
    return (
      <Empty icon="clock" title="No versions">
        <p>Versions are noted where exchanges are recorded, once a policy has a version.</p>
      </Empty>
    )
  return (
    <ol aria-label="Versions">
      {data.versions.map((one) => (
        <OpenRow key={one.version} line={<Line one={one} />}>
          {() => (
            <div className="flex flex-col items-start gap-2">
              <Text one={one} held={held} />
              {canComeBack(one, policy) ? (
                <BackButton name={name} from={held?.version} to={one} />
              ) : null}
            </div>
          )}
        </OpenRow>
      ))}
    </ol>
  )
}

/** Only what the config says now, where it is edited, and what was written here. */
const canComeBack = (one: PolicyVersionView, policy: PolicyView | undefined): boolean =>
  !one.isHeld && one.yaml !== undefined && (!isOfConfig(one) || policy?.edit !== undefined)

function Line({ one }: { readonly one: PolicyVersionView }): ReactElement {
  const counts = toCounts(one.verdicts)
  return (
    <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 py-1">
      <span className="flex w-20 min-w-0 truncate">
        <Version of={one.version} />
      </span>
      <span className="flex min-w-28 gap-1">
        {one.isHeld ? <Badge tone="ok">holds now</Badge> : null}
        {one.from === 'config' ? <Badge>config</Badge> : null}
      </span>
      <time className="tabular w-28 text-faint" title={toWholeTime(one.at)}>
        {toTime(one.at)}
      </time>
      <span className="flex min-w-0 flex-1 basis-40 gap-2">
        {one.from === 'config' ? null : <Name text={who(one.by)} className="font-medium" />}
        {one.note === undefined ? null : <Name text={one.note} className="text-muted" />}
      </span>
      <span className="tabular text-muted">{counts === '' ? 'no verdict yet' : counts}</span>
    </span>
  )
}

function Text({
  one,
  held,
}: {
  readonly one: PolicyVersionView
  readonly held: PolicyVersionView | undefined
}): ReactElement {
  if (one.yaml === undefined)
    return (
      <p className="text-xs text-faint">
        Its text is not known: it stood in a config, or it is code.
      </p>
    )
  if (one.isHeld || held?.yaml === undefined)
    return <Verbatim text={one.yaml.trimEnd()} isMono className="w-full" />
  return (
    <div className="w-full min-w-0">
      <p className="pb-1 text-xs text-faint">From the one that holds now (−) to this one (+):</p>
      <TextDiff before={held.yaml} after={one.yaml} label="What would change" />
    </div>
  )
}
