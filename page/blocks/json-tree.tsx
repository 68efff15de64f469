/**
 * JSON that can be folded, with long texts as texts. What is folded is not drawn, long lists come in pages. Neighbours:
 * `verbatim.tsx` for texts. Keys and values are of somebody else: always text.
 */
import { useState, type ReactElement } from 'react'
import { classes } from '../kit/classes.ts'
import { Icon } from '../kit/icons.tsx'
import { firstLine, showName } from './plain.ts'
import { More, Verbatim } from './verbatim.tsx'

interface JsonTreeProps {
  readonly value: unknown
  /** How many levels are open at first. */
  readonly depth?: number
}

const PAGE = 100
const SHORT_CHARS = 120
/** Deeper than anybody reads: a hostile value must not use up the stack. */
const MAX_DEPTH = 100

export function JsonTree({ value, depth = 2 }: JsonTreeProps): ReactElement {
  return (
    <div className="font-mono text-xs">
      <Entries value={value} depth={depth} level={0} />
    </div>
  )
}

interface PartProps {
  readonly value: unknown
  readonly depth: number
  readonly level: number
}

function Entries({ value, depth, level }: PartProps): ReactElement {
  const [count, setCount] = useState(PAGE)
  if (!isNested(value)) return <Value value={value} />
  const all = Object.entries(value)
  const shown = all.slice(0, count)
  // Room for the signs of what can be folded, where anything can.
  const hasFolds = shown.some(([, one]) => isNested(one) && Object.keys(one).length > 0)
  return (
    <ul>
      {shown.map(([name, one]) => (
        <Entry
          key={name}
          name={Array.isArray(value) ? undefined : name}
          at={name}
          value={one}
          depth={depth}
          level={level}
          isIndented={hasFolds}
        />
      ))}
      {all.length > count ? (
        <li className="pl-4">
          <More onClick={() => setCount(count + PAGE)}>
            {`Show ${Math.min(PAGE, all.length - count)} more of ${all.length}`}
          </More>
        </li>
      ) : null}
      {all.length === 0 ? (
        <li className="text-faint">{Array.isArray(value) ? '[]' : '{}'}</li>
      ) : null}
    </ul>
  )
}

function Entry({
  name,
  at,
  value,
  depth,
  level,
  isIndented,
}: PartProps & {
  readonly name: string | undefined
  readonly at: string
  readonly isIndented: boolean
}): ReactElement {
  const size = isNested(value) ? Object.keys(value).length : 0
  const [open, setOpen] = useState(level + 1 < depth && size <= 50)
  const label = name === undefined ? `${at}` : showName(name)
  if (!isNested(value) || size === 0 || level >= MAX_DEPTH)
    return (
      <li className={classes('flex min-w-0 gap-1.5', isIndented && 'pl-4')}>
        <Key label={label} isPlace={name === undefined} />
        <Value value={value} />
      </li>
    )
  return (
    <li className="min-w-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex max-w-full min-w-0 items-center gap-1 rounded text-left hover:bg-hover"
      >
        <Icon name={open ? 'down' : 'right'} size={12} />
        <Key label={label} isPlace={name === undefined} />
        {open ? null : <span className="min-w-0 truncate text-faint">{toHint(value, size)}</span>}
      </button>
      {open ? (
        <div className="ml-1.5 border-l border-line pl-2">
          <Entries value={value} depth={depth} level={level + 1} />
        </div>
      ) : null}
    </li>
  )
}

const Key = ({
  label,
  isPlace,
}: {
  readonly label: string
  readonly isPlace: boolean
}): ReactElement => (
  <bdi
    dir="ltr"
    title={label.length > 30 ? label : undefined}
    className={`max-w-72 shrink-0 truncate ${isPlace ? 'text-faint' : 'text-muted'}`}
  >
    {label}:
  </bdi>
)

function Value({ value }: { readonly value: unknown }): ReactElement {
  if (typeof value !== 'string')
    return <span className="text-accent">{isNested(value) ? toEmpty(value) : String(value)}</span>
  const isShort = value.length <= SHORT_CHARS && !value.includes('\n')
  return isShort ? (
    <span className="verbatim min-w-0">{showName(JSON.stringify(value))}</span>
  ) : (
    <Verbatim text={value} isMono lines={16} className="flex-1 border-l-2 border-line pl-2" />
  )
}

const toEmpty = (value: object): string => (Array.isArray(value) ? '[]' : '{}')

const isNested = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function toHint(value: Readonly<Record<string, unknown>>, size: number): string {
  if (Array.isArray(value)) return `[${size}]`
  return firstLine(`{${Object.keys(value).slice(0, 8).join(', ')}${size > 8 ? ', …' : ''}}`, 100)
}
