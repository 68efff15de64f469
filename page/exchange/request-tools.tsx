/** The tools that a request declares: names and first lines, and for each the whole description and its schema. */
import { useDeferredValue, useMemo, useState, type ReactElement } from 'react'
import { JsonTree } from '../blocks/json-tree.tsx'
import { firstLine, showName } from '../blocks/plain.ts'
import type { ToolView } from '../blocks/request-view.ts'
import { More, Verbatim } from '../blocks/verbatim.tsx'
import { TextField } from '../kit/field.tsx'
import { Icon } from '../kit/icons.tsx'

/** From so many on they can be searched. */
const MANY = 6
const STEP = 50

export function RequestTools({ tools }: { readonly tools: readonly ToolView[] }): ReactElement {
  const [text, setText] = useState('')
  const [count, setCount] = useState(STEP)
  const sought = useDeferredValue(text.trim().toLowerCase())
  const found = useMemo(
    () =>
      sought === ''
        ? tools
        : tools.filter(({ name, description = '' }) =>
            `${name}\n${description}`.toLowerCase().includes(sought),
          ),
    [tools, sought],
  )
  return (
    <div className="flex flex-col gap-2">
      {tools.length < MANY ? null : (
        <div className="max-w-64">
          <TextField
            label="Find a tool"
            isBare
            type="search"
            placeholder={`Find one of ${tools.length} tools`}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
      )}
      <ul aria-label="Tools" className="border-t border-line">
        {found.slice(0, count).map((tool, at) => (
          <ToolRow key={`${at} ${tool.name}`} tool={tool} />
        ))}
      </ul>
      {found.length === 0 ? <p className="text-xs text-faint">No tool fits.</p> : null}
      {found.length > count ? (
        <More onClick={() => setCount(count + STEP)}>
          {`Show ${Math.min(STEP, found.length - count)} more of ${found.length}`}
        </More>
      ) : null}
    </div>
  )
}

function ToolRow({ tool }: { readonly tool: ToolView }): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const { name, description, schema } = tool
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex h-7 w-full min-w-0 items-center gap-2 text-left text-xs hover:bg-hover"
      >
        <span className="text-faint">
          <Icon name={isOpen ? 'down' : 'right'} size={12} />
        </span>
        <span className="max-w-1/2 shrink-0 truncate font-mono font-medium" title={name}>
          {showName(name)}
        </span>
        <span className="min-w-0 truncate text-faint">{firstLine(description ?? '')}</span>
      </button>
      {isOpen ? (
        <div className="flex flex-col gap-2 py-1 pr-1 pb-3 pl-5">
          {description === undefined ? null : <Verbatim text={description} className="text-xs" />}
          {schema === undefined ? (
            <p className="text-xs text-faint">No schema: the provider knows it.</p>
          ) : (
            <JsonTree value={schema} depth={2} />
          )}
        </div>
      ) : null}
    </li>
  )
}
