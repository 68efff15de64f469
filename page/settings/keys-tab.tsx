/** Keys that clients show: those of the config and those made here. Neighbours: `new-key.tsx`, `revoke-key.tsx`. */
import { useState, type ReactElement, type ReactNode } from 'react'
import type { KeyView } from '../../src/api/types.ts'
import { Name } from '../blocks/verbatim.tsx'
import { toAgo, toWholeTime } from '../core/format.ts'
import { useNow } from '../core/now.ts'
import { toHref } from '../core/route.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { classes } from '../kit/classes.ts'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { useKeys } from './data.ts'
import { toLimits, toUsage } from './key-words.ts'
import { NewKey } from './new-key.tsx'
import { Part } from './parts.tsx'
import { RevokeKey } from './revoke-key.tsx'

export function KeysTab(): ReactElement {
  const { data, error, refetch } = useKeys()
  const [isMaking, setMaking] = useState(false)
  const [leaving, setLeaving] = useState<KeyView>()
  if (data === undefined)
    return error === null ? <Loading /> : <Failed error={error} onRetry={() => void refetch()} />
  const { keys, needsKey, canCreate } = data
  const held = keys.filter(({ revokedAt }) => revokedAt === undefined)
  return (
    <>
      <Part
        title="Keys"
        says={
          needsKey
            ? 'Nobody comes in without one of these.'
            : 'Everybody who can reach this gateway comes in without a key. The first key closes it for all others.'
        }
        end={
          <Button
            look="primary"
            icon="plus"
            disabled={!canCreate}
            title={canCreate ? undefined : 'Keys made here are kept in the records, which are off'}
            onClick={() => setMaking(true)}
          >
            New key
          </Button>
        }
      />
      {keys.length === 0 ? (
        <Empty icon="key" title={needsKey ? 'No key is left' : 'No keys yet'}>
          <p>
            {canCreate
              ? 'A key names a client in logs and records, and can limit what it may ask for.'
              : 'Turn on records (record: bytes) to make keys here, or put one into the config: "sluice keys new NAME" prints the lines.'}
          </p>
        </Empty>
      ) : (
        <KeyTable keys={keys} onRevoke={setLeaving} />
      )}
      {isMaking ? <NewKey closes={!needsKey} onClose={() => setMaking(false)} /> : null}
      {leaving === undefined ? null : (
        <RevokeKey
          name={leaving.name}
          isLast={held.length === 1}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </>
  )
}

const HEAD = 'h-8 px-3 text-left text-2xs font-medium text-faint whitespace-nowrap'
const CELL = 'px-3 py-1.5 align-top'

function KeyTable({
  keys,
  onRevoke,
}: {
  readonly keys: readonly KeyView[]
  onRevoke(key: KeyView): void
}): ReactElement {
  const now = useNow(10_000)
  return (
    <table aria-label="Keys" className="w-full table-fixed text-xs">
      <thead className="border-b border-line">
        <tr>
          <th className={classes(HEAD, 'pl-4')}>Name</th>
          <th className={classes(HEAD, 'max-md:hidden')}>Models</th>
          <th className={HEAD}>Limits</th>
          <th className={classes(HEAD, 'w-32 max-sm:hidden')}>Used</th>
          <th className={classes(HEAD, 'w-28 max-lg:hidden')}>Last seen</th>
          <th className={classes(HEAD, 'w-40 max-lg:hidden')}>Made</th>
          <th className={classes(HEAD, 'w-24')}>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr
            key={`${key.from} ${key.name} ${key.revokedAt ?? ''}`}
            className={classes('border-b border-line', key.revokedAt !== undefined && 'text-faint')}
          >
            <td className={classes(CELL, 'pl-4')}>
              <NameCell of={key} />
            </td>
            <td className={classes(CELL, 'max-md:hidden')}>
              <p className="break-words">{key.models?.join(', ') ?? 'all'}</p>
            </td>
            <td className={CELL}>{toLimits(key)}</td>
            <td className={classes(CELL, 'tabular max-sm:hidden')}>{toUsage(key)}</td>
            <td className={classes(CELL, 'max-lg:hidden')}>
              <Moment at={key.lastUsedAt} now={now} none="not since start" />
            </td>
            <td className={classes(CELL, 'max-lg:hidden')}>
              <Moment at={key.createdAt} now={now} none="–">
                {key.createdBy === undefined ? null : (
                  <Name text={`by ${key.createdBy}`} className="block text-faint" />
                )}
              </Moment>
            </td>
            <td className={classes(CELL, 'pr-4 text-right')}>
              {key.from === 'page' && key.revokedAt === undefined ? (
                <Button
                  look="quiet"
                  className="-my-1"
                  aria-label={`Revoke ${key.name}`}
                  onClick={() => onRevoke(key)}
                >
                  Revoke
                </Button>
              ) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function NameCell({ of: key }: { readonly of: KeyView }): ReactElement {
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2">
        <a
          href={toHref('live', [], { key: key.name })}
          className="flex min-w-0 font-medium hover:underline"
        >
          <Name text={key.name} />
        </a>
        {key.revokedAt === undefined ? null : (
          <Badge tone="bad" title={toWholeTime(key.revokedAt)}>
            revoked{key.revokedBy === undefined ? '' : ` by ${key.revokedBy}`}
          </Badge>
        )}
      </div>
      <span className="truncate text-faint" title={key.where}>
        {key.from === 'config' ? (key.where ?? 'in the config') : 'made here'}
      </span>
      {key.note === undefined ? null : <p className="text-warn">{key.note}</p>}
    </div>
  )
}

function Moment({
  at,
  now,
  none,
  children,
}: {
  readonly at: number | undefined
  readonly now: number
  readonly none: string
  readonly children?: ReactNode
}): ReactElement {
  if (at === undefined) return <span className="text-faint">{none}</span>
  return (
    <div className="min-w-0">
      <time dateTime={new Date(at).toISOString()} title={toWholeTime(at)}>
        {toAgo(at, now)}
      </time>
      {children}
    </div>
  )
}
