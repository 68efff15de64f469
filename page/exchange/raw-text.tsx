/** A text of any length as it is: only the lines in sight are drawn. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, type ReactElement } from 'react'
import { showHidden } from '../blocks/plain.ts'
import { toLines } from './raw-lines.ts'

const LINE = 18
const CHARS = 140

export function RawText({
  label,
  text,
}: {
  readonly label: string
  readonly text: string
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null)
  const lines = useMemo(() => toLines(text), [text])
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    // As if the window were neither wide nor narrow: better a few too few at first than thousands of characters too many.
    estimateSize: (at) => LINE * Math.max(1, Math.ceil((lines[at]?.length ?? 0) / CHARS)),
    overscan: 3,
    useFlushSync: false,
  })
  return (
    <div
      ref={scroller}
      role="region"
      aria-label={label}
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto -outline-offset-2 py-2"
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            data-index={index}
            ref={virtual.measureElement}
            style={{ transform: `translateY(${start}px)` }}
            className="verbatim absolute inset-x-0 top-0 min-h-[18px] px-3 font-mono text-xs"
          >
            {showHidden(lines[index] ?? '')}
          </div>
        ))}
      </div>
    </div>
  )
}
