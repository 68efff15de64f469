/** A patch with what each line does. Neighbours: `patch-lines.ts` reads it, `diff-line.tsx` draws what was changed. */
import { useMemo, useState, type ReactElement } from 'react'
import { DiffLine } from './diff-line.tsx'
import { readPatchLines, type PatchLine } from './patch-lines.ts'
import { showHidden } from './plain.ts'
import { More } from './verbatim.tsx'

const STEP = 200

export function Patch({ text }: { readonly text: string }): ReactElement {
  const lines = useMemo(() => readPatchLines(text), [text])
  const [count, setCount] = useState(STEP)
  return (
    <div className="min-w-0">
      <div
        role="region"
        aria-label="Patch"
        tabIndex={0}
        className="max-h-[70vh] overflow-auto font-mono text-xs"
      >
        {lines.slice(0, count).map((line, at) => (
          <Line key={at} line={line} />
        ))}
      </div>
      {lines.length > count ? (
        <More onClick={() => setCount(count + STEP)}>
          {`Show ${Math.min(STEP, lines.length - count)} more of ${lines.length} lines`}
        </More>
      ) : null}
    </div>
  )
}

function Line({ line }: { readonly line: PatchLine }): ReactElement {
  switch (line.type) {
    case 'added':
    case 'removed':
    case 'same':
      return <DiffLine row={{ type: line.type, text: line.text }} side="both" isBare />
    case 'file':
      return (
        <bdi dir="ltr" className="verbatim block bg-raised px-2 leading-5 font-semibold">
          {showHidden(line.text)}
        </bdi>
      )
    case 'place':
    case 'mark':
      return <p className="verbatim px-2 leading-[18px] text-faint">{showHidden(line.text)}</p>
  }
}
