/**
 * A button that opens a short list of things to do. The browser's own popover: it stands above everything and closes by
 * Escape or a click elsewhere by itself. Arrows move.
 */
import {
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react'
import { Icon, type IconName } from '../kit/icons.tsx'
import { classes } from '../kit/classes.ts'

export interface MenuItem {
  readonly label: ReactNode
  /** In small letters below it. */
  readonly hint?: string
  readonly icon: IconName
  /** Why it cannot be done now. */
  readonly why?: string | undefined
  run(): void
}

interface MenuProps {
  readonly label: string
  readonly icon: IconName
  readonly items: readonly MenuItem[]
}

const WIDTH = 264

export function Menu({ label, icon, items }: MenuProps): ReactElement {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [place, setPlace] = useState({ top: 0, left: 0 })

  function open(): void {
    const box = button.current?.getBoundingClientRect()
    if (box === undefined) return
    const left = Math.min(box.left, window.innerWidth - WIDTH - 8)
    setPlace({ top: box.bottom + 4, left: Math.max(8, left) })
    list.current?.showPopover()
    itemsOf(list.current)[0]?.focus()
  }

  function close(): void {
    list.current?.hidePopover()
    button.current?.focus()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        title={label}
        onClick={() => (isOpen ? close() : open())}
        className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md border border-line-strong bg-surface px-2 text-xs font-medium hover:bg-hover"
      >
        <Icon name={icon} size={14} />
        <span className="@max-lg:sr-only">{label}</span>
        <span className="text-faint">
          <Icon name="down" size={12} />
        </span>
      </button>
      <div
        ref={list}
        id={id}
        role="menu"
        aria-label={label}
        popover="auto"
        onToggle={({ newState }) => setOpen(newState === 'open')}
        onKeyDown={(event) => move(event, list.current)}
        style={{ ...place, width: WIDTH }}
        className="fixed m-0 rounded-md border border-line bg-surface p-1 text-ink shadow-pop"
      >
        {items.map((item, at) => (
          <button
            key={at}
            type="button"
            role="menuitem"
            tabIndex={-1}
            disabled={item.why !== undefined}
            title={item.why}
            onClick={() => {
              close()
              item.run()
            }}
            className={classes(
              'flex w-full items-start gap-2 rounded px-2 py-1.5 text-left text-xs',
              'hover:bg-hover focus-visible:bg-hover disabled:opacity-50',
            )}
          >
            <span className="mt-px text-muted">
              <Icon name={item.icon} size={14} />
            </span>
            <span className="min-w-0">
              <span className="block font-medium">{item.label}</span>
              {(item.why ?? item.hint) === undefined ? null : (
                <span className="block text-2xs text-faint">{item.why ?? item.hint}</span>
              )}
            </span>
          </button>
        ))}
      </div>
    </>
  )
}

const itemsOf = (list: HTMLElement | null): readonly HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? []),
]

function move(event: KeyboardEvent, list: HTMLElement | null): void {
  // It closes the menu, and nothing behind it.
  if (event.key === 'Escape') event.stopPropagation()
  const items = itemsOf(list)
  const at = items.findIndex((item) => item === document.activeElement)
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: -1,
  }
  const next = steps[event.key]
  if (next === undefined) return
  event.preventDefault()
  items.at(next % items.length)?.focus()
}
