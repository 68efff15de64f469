/** The config as it holds: each value, and where it comes from. Secrets are not here: the gateway does not send them. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState, type ReactElement } from 'react'
import type { ConfigAnswer, ConfigValue } from '../../src/api/types.ts'
import { showHidden } from '../blocks/plain.ts'
import { toAgo, toWholeTime } from '../core/format.ts'
import { useNow } from '../core/now.ts'
import { useShortcuts } from '../core/shortcuts.ts'
import { classes } from '../kit/classes.ts'
import { Check, TextField } from '../kit/field.tsx'
import { Icon } from '../kit/icons.tsx'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { toOrigin, toRows, toValueText, type ConfigRow } from './config-rows.ts'
import { useConfig } from './data.ts'

export function ConfigTab(): ReactElement {
  const { data, error, refetch } = useConfig()
  const [text, setText] = useState('')
  const [isChanged, setChanged] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useShortcuts([{ keys: '/', says: 'Search the config', run: () => field.current?.focus() }])
  const rows = useMemo(
    () => toRows(data?.values ?? [], { text, isChanged }),
    [data, text, isChanged],
  )
  if (data === undefined)
    return error === null ? <Loading /> : <Failed error={error} onRetry={() => void refetch()} />
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ConfigHead config={data} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2">
        <div className="w-72 max-w-full">
          <TextField
            ref={field}
            label="Search the config"
            isBare
            type="search"
            placeholder="Search names, values, places"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <Check
          label="Only what differs from the defaults"
          checked={isChanged}
          onChange={(event) => setChanged(event.currentTarget.checked)}
        />
      </div>
      {rows.length === 0 ? (
        <Empty
          icon="search"
          title={text === '' ? 'All is as by default' : 'Nothing of the config fits'}
        />
      ) : (
        <Rows rows={rows} />
      )}
    </div>
  )
}

function ConfigHead({ config }: { readonly config: ConfigAnswer }): ReactElement {
  const { file, readAt, warnings, notes } = config
  const now = useNow(10_000)
  return (
    <div className="flex flex-col gap-2 border-b border-line px-4 py-3 text-xs">
      {file === undefined ? (
        <p>
          There is no config file. To change something, write a{' '}
          <code className="font-mono">sluice.yaml</code> where the gateway starts, and start it
          again.
        </p>
      ) : (
        <p className="verbatim">
          <code className="font-mono font-medium">{file}</code>
          {readAt === undefined ? null : (
            <span className="text-muted" title={toWholeTime(readAt)}>
              , read {toAgo(readAt, now)}
            </span>
          )}
          <span className="text-muted">
            . To change something, edit it: it is read again by itself.
          </span>
        </p>
      )}
      {[...warnings, ...notes].map((one) => (
        <p
          key={one}
          className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-1.5 text-warn"
        >
          <Icon name="warn" size={14} />
          <span className="verbatim min-w-0">{showHidden(one)}</span>
        </p>
      ))}
    </div>
  )
}

const ROW = 28

function Rows({ rows }: { readonly rows: readonly ConfigRow[] }): ReactElement {
  const place = useRef<HTMLDivElement>(null)
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW,
    overscan: 12,
    useFlushSync: false,
  })
  return (
    <div ref={place} className="min-h-40 flex-1 overflow-y-auto">
      <ul aria-label="Config" className="relative" style={{ height: lines.getTotalSize() }}>
        {lines.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]
          return row === undefined ? null : (
            <li
              key={key}
              data-index={index}
              ref={lines.measureElement}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${start}px)` }}
            >
              {row.type === 'section' ? <SectionLine {...row} /> : <ValueLine value={row.value} />}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

const SectionLine = ({
  name,
  count,
}: {
  readonly name: string
  readonly count: number
}): ReactElement => (
  <h2 className="flex items-baseline gap-2 border-b border-line px-4 pt-4 pb-1 text-xs font-semibold">
    {name}
    <span className="tabular font-normal text-faint">{count}</span>
  </h2>
)

function ValueLine({ value }: { readonly value: ConfigValue }): ReactElement {
  const isDefault = value.from === 'default'
  const text = showHidden(toValueText(value))
  const origin = showHidden(toOrigin(value))
  return (
    <div className="grid min-h-7 grid-cols-[minmax(0,5fr)_minmax(0,6fr)] items-baseline gap-x-4 border-b border-line px-4 py-1 text-xs md:grid-cols-[minmax(0,5fr)_minmax(0,6fr)_minmax(0,4fr)]">
      <span className={classes('font-mono break-words', isDefault && 'text-muted')}>
        {showHidden(value.path)}
      </span>
      <span
        title={text}
        className={classes(
          'verbatim line-clamp-4',
          value.isSecret === true ? 'text-muted italic' : 'font-mono',
          isDefault && 'text-muted',
        )}
      >
        {text}
      </span>
      <span
        title={origin}
        className={classes(
          'truncate max-md:col-span-2',
          isDefault ? 'text-faint max-md:hidden' : 'text-accent',
        )}
      >
        {origin}
      </span>
    </div>
  )
}
