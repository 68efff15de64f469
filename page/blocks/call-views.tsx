/** The shapes of calls, drawn. Neighbours: `tool-arguments.tsx` chooses one, `call-shape.ts` made them. */
import { useMemo, useState, type ReactElement } from 'react'
import type { CallShape, Edit, Fact } from './call-shape.ts'
import { DiffLine } from './diff-line.tsx'
import { showHidden, showName } from './plain.ts'
import { TextDiff } from './text-diff.tsx'
import { More, Name, Verbatim } from './verbatim.tsx'

type CommandShape = Extract<CallShape, { type: 'command' }>

export function CommandLines({
  shape,
  isLive,
  memory,
}: {
  readonly shape: CommandShape
  readonly isLive: boolean
  readonly memory: string | undefined
}): ReactElement {
  const { commands, folder, says } = shape
  return (
    <div className="min-w-0">
      {commands.map(({ text, shell }, at) => (
        <div key={at} className="flex min-w-0 gap-2 font-mono text-xs">
          <span aria-hidden="true" className="shrink-0 text-faint select-none">
            $
          </span>
          <div className="min-w-0 flex-1">
            <Verbatim
              text={text}
              isMono
              isLive={isLive && at === commands.length - 1}
              memory={memory === undefined ? undefined : `${memory} ${at}`}
            />
            {shell === undefined ? null : (
              <p className="text-2xs text-faint">run by {showName(shell)}</p>
            )}
          </div>
        </div>
      ))}
      {folder === undefined && says === undefined ? null : (
        <p className="mt-0.5 flex min-w-0 flex-wrap gap-x-3 pl-4 text-xs text-faint">
          {says === undefined ? null : (
            <span className="verbatim min-w-0">{showHidden(says.slice(0, 500))}</span>
          )}
          {folder === undefined ? null : (
            <span className="flex min-w-0 gap-1">
              in <Name text={folder} className="font-mono" />
            </span>
          )}
        </p>
      )}
    </div>
  )
}

export const FilePath = ({
  path,
  note,
}: {
  readonly path: string
  readonly note?: string | undefined
}): ReactElement => (
  <p className="mb-1 flex min-w-0 items-baseline gap-2 text-xs">
    <Name text={path} className="font-mono font-semibold" />
    {note === undefined ? null : <span className="shrink-0 text-faint">{note}</span>}
  </p>
)

export function Edits({
  path,
  edits,
}: {
  readonly path: string
  readonly edits: readonly Edit[]
}): ReactElement {
  const [count, setCount] = useState(10)
  return (
    <div className="min-w-0">
      <FilePath path={path} note={edits.length > 1 ? `${edits.length} edits` : edits[0]?.note} />
      <div className="flex flex-col gap-2">
        {edits.slice(0, count).map((edit, at) => (
          <div key={at} className="min-w-0">
            {edits.length > 1 && edit.note !== undefined ? (
              <p className="text-xs text-faint">{edit.note}</p>
            ) : null}
            <TextDiff
              before={edit.before}
              after={edit.after}
              isBare
              label={`Edit of ${showName(path)}`}
            />
          </div>
        ))}
      </div>
      {edits.length > count ? (
        <More onClick={() => setCount(count + 10)}>{`Show more of ${edits.length} edits`}</More>
      ) : null}
    </div>
  )
}

const STEP = 24

/** A new file: every line of it is added. */
export function WrittenFile({
  path,
  text,
}: {
  readonly path: string
  readonly text: string
}): ReactElement {
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text])
  const [count, setCount] = useState(STEP)
  return (
    <div className="min-w-0">
      <FilePath path={path} note={`${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`} />
      <div className="font-mono text-xs">
        {lines.slice(0, count).map((line, at) => (
          <DiffLine key={at} row={{ type: 'added', text: line, right: at + 1 }} side="right" />
        ))}
      </div>
      {lines.length > count ? (
        <More onClick={() => setCount(count === STEP ? 300 : count + 300)}>
          {lines.length <= 300
            ? `Show all ${lines.length} lines`
            : `Show more of ${lines.length} lines`}
        </More>
      ) : null}
    </div>
  )
}

export const Lookup = ({ facts }: { readonly facts: readonly Fact[] }): ReactElement => (
  <dl className="flex min-w-0 flex-wrap gap-x-4 gap-y-0.5 text-xs">
    {facts.map(({ name, value }) => (
      <div key={name} className="flex max-w-full min-w-0 gap-1.5">
        <dt className="shrink-0 text-faint">{showName(name)}</dt>
        <dd className="flex min-w-0 font-mono">
          <Name text={value} />
        </dd>
      </div>
    ))}
  </dl>
)
