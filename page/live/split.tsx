/**
 * A list, and something beside it that comes and goes: with a line between them that can be moved by pointer or by the arrows,
 * or over the list where it is narrow. The list stays what it is, with its place and its focus. Neighbours: `live-view.tsx`.
 */
import {
  useRef,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
} from 'react'

interface SplitProps {
  readonly label: string
  readonly left: ReactNode
  readonly right: ReactNode | undefined
  /** There is no room for both. */
  readonly isCovering: boolean
  /** Of the right one, in pixels. */
  readonly width: number
  onWidth(width: number): void
}

const MIN = 360
const STEP = 24
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: STEP, ArrowRight: -STEP }

export function Split({
  label,
  left,
  right,
  isCovering,
  width,
  onWidth,
}: SplitProps): ReactElement {
  const frame = useRef<HTMLDivElement>(null)
  const isThere = right !== undefined
  return (
    <div ref={frame} className="relative flex min-h-0 min-w-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col" inert={isThere && isCovering}>
        {left}
      </div>
      {isThere && !isCovering ? (
        <Line label={label} frame={frame} width={width} onWidth={onWidth} />
      ) : null}
      {isThere ? (
        <div
          className={
            isCovering
              ? 'absolute inset-0 z-20 flex flex-col overflow-hidden bg-page'
              : 'flex min-h-0 shrink-0 flex-col overflow-hidden'
          }
          style={
            isCovering ? undefined : { width: `clamp(${MIN}px, ${width}px, calc(100% - ${MIN}px))` }
          }
        >
          {right}
        </div>
      ) : null}
    </div>
  )
}

function Line({
  label,
  frame,
  width,
  onWidth,
}: Pick<SplitProps, 'label' | 'width' | 'onWidth'> & {
  readonly frame: { readonly current: HTMLDivElement | null }
}): ReactElement {
  function fit(wanted: number): void {
    const room = frame.current?.clientWidth ?? 0
    onWidth(Math.round(Math.max(MIN, Math.min(wanted, room - MIN))))
  }

  function drag(event: PointerEvent): void {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    fit((frame.current?.getBoundingClientRect().right ?? 0) - event.clientX)
  }

  function press(event: KeyboardEvent): void {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    fit(width + step)
  }

  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={MIN}
      onKeyDown={press}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      className="group relative z-10 -mx-1 w-2 shrink-0 cursor-col-resize touch-none select-none"
    >
      <span className="absolute inset-y-0 left-1 w-px bg-line group-hover:bg-accent group-focus-visible:bg-accent" />
    </div>
  )
}
