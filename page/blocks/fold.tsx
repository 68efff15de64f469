/** Something that opens when its line is pressed. What is folded is not drawn at all. */
import type { ReactElement, ReactNode } from 'react'
import { classes } from '../kit/classes.ts'
import { Icon } from '../kit/icons.tsx'
import { useRemembered } from './remembered.ts'

interface FoldProps {
  readonly label: ReactNode
  /** Behind the label while it is folded. */
  readonly hint?: ReactNode
  readonly isOpen?: boolean
  readonly memory?: string | undefined
  readonly className?: string
  readonly children: () => ReactNode
}

export function Fold({
  label,
  hint,
  isOpen = false,
  memory,
  className,
  children,
}: FoldProps): ReactElement {
  const [open, setOpen] = useRemembered(memory, isOpen)
  return (
    <div className={classes('min-w-0', className)}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-5.5 max-w-full min-w-0 items-center gap-1 rounded text-left text-xs text-muted hover:text-ink"
      >
        <Icon name={open ? 'down' : 'right'} size={12} />
        <span className="shrink-0 font-medium">{label}</span>
        {!open && hint !== undefined ? (
          <span className="min-w-0 truncate pl-1 text-faint">{hint}</span>
        ) : null}
      </button>
      {open ? <div className="mt-1 pl-4">{children()}</div> : null}
    </div>
  )
}
