/**
 * The arguments of a tool call as what they are: a shell command as a command, an edit as a diff, anything else as JSON
 * that can be read. Neighbours: `call-shape.ts` says what they are, `text-diff.tsx`, `patch.tsx` and `json-tree.tsx` draw
 * it. Incomplete arguments are shown as they stand.
 */
import { memo, useMemo, type ReactElement } from 'react'
import { classes } from '../kit/classes.ts'
import { isSmall, readCallShape, type CallShape } from './call-shape.ts'
import { CommandLines, Edits, FilePath, Lookup, WrittenFile } from './call-views.tsx'
import { JsonTree } from './json-tree.tsx'
import { Patch } from './patch.tsx'
import { useRemembered } from './remembered.ts'
import { Cursor, Verbatim } from './verbatim.tsx'

interface ToolArgumentsProps {
  readonly name: string
  /** Raw, as the model wrote them. */
  readonly content: string
  readonly isComplete?: boolean
  /** By which it is remembered how they were looked at. */
  readonly memory?: string | undefined
}

export const ToolArguments = memo(function ToolArguments({
  name,
  content,
  isComplete = true,
  memory,
}: ToolArgumentsProps): ReactElement {
  const [isRaw, setRaw] = useRemembered(memory === undefined ? undefined : `${memory} raw`, false)
  const shape = useMemo(() => readCallShape(name, content, isComplete), [name, content, isComplete])
  if (shape.type === 'none')
    return <p className="text-xs text-faint">{isComplete ? 'No arguments' : <Cursor />}</p>
  return (
    <div className="flex min-w-0 gap-2">
      <div className="min-w-0 flex-1">
        {isRaw ? (
          <Verbatim text={content} isMono isLive={!isComplete} memory={memory} />
        ) : (
          <>
            <Shape shape={shape} isLive={!isComplete} memory={memory} />
            <Rest rest={shape.rest} />
          </>
        )}
      </div>
      <button
        type="button"
        aria-pressed={isRaw}
        title={isRaw ? 'Show what it means' : 'Show the exact characters'}
        onClick={() => setRaw(!isRaw)}
        className={classes(
          'h-[18px] shrink-0 rounded px-1 text-2xs font-medium',
          isRaw ? 'bg-selected text-ink' : 'text-faint hover:bg-hover hover:text-ink',
        )}
      >
        Raw
      </button>
    </div>
  )
})

/** What the shape has no place for. */
function Rest({ rest }: { readonly rest: CallShape['rest'] }): ReactElement | null {
  const all = Object.entries(rest)
  if (all.length === 0) return null
  const small = all.filter(([, value]) => isSmall(value))
  const large = all.filter(([, value]) => !isSmall(value))
  return (
    <div className="mt-1 flex min-w-0 flex-col gap-1">
      {small.length === 0 ? null : (
        <Lookup facts={small.map(([name, value]) => ({ name, value: String(value) }))} />
      )}
      {large.length === 0 ? null : <JsonTree value={Object.fromEntries(large)} depth={1} />}
    </div>
  )
}

interface ShapeProps {
  readonly shape: CallShape
  readonly isLive: boolean
  readonly memory: string | undefined
}

function Shape({ shape, isLive, memory }: ShapeProps): ReactElement | null {
  switch (shape.type) {
    case 'command':
      return <CommandLines shape={shape} isLive={isLive} memory={memory} />
    case 'edit':
      return <Edits path={shape.path} edits={shape.edits} />
    case 'write':
      return <WrittenFile path={shape.path} text={shape.text} />
    case 'patch':
      return (
        <>
          {shape.path === undefined ? null : <FilePath path={shape.path} />}
          <Patch text={shape.text} />
        </>
      )
    case 'lookup':
      return <Lookup facts={shape.facts} />
    case 'code':
    case 'text':
      return <Verbatim text={shape.text} isMono isLive={isLive} memory={memory} />
    case 'json':
      return (
        <>
          <JsonTree value={shape.value} />
          {isLive ? <Cursor /> : null}
        </>
      )
    case 'none':
      return null
  }
}
