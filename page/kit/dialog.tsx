/** The browser's own dialog: it keeps the focus and closes by Escape by itself. */
import { useEffect, useRef, type ReactElement, type ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'

interface DialogProps {
  readonly title: string
  onClose(): void
  readonly children: ReactNode
  readonly footer?: ReactNode
  readonly isWide?: boolean
}

export function Dialog({
  title,
  onClose,
  children,
  footer,
  isWide = false,
}: DialogProps): ReactElement {
  const place = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = place.current
    if (dialog?.open === false) dialog.showModal()
  }, [])
  return (
    <dialog
      ref={place}
      aria-label={title}
      onClose={onClose}
      // Keys are for the dialog, and not for the view behind it.
      onKeyDown={(event) => event.stopPropagation()}
      onClick={(event) => (event.target === place.current ? onClose() : undefined)}
      className={classes(
        'm-auto max-h-[85vh] w-full rounded-lg border border-line bg-surface p-0 text-ink shadow-pop backdrop:bg-[rgb(0_0_0/0.4)]',
        isWide ? 'max-w-4xl' : 'max-w-lg',
      )}
    >
      <div className="flex max-h-[85vh] flex-col">
        <header className="flex items-center justify-between border-b border-line py-2 pr-2 pl-4">
          <h2 className="text-sm font-semibold">{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        <div className="min-h-0 flex-1 overflow-auto p-4">{children}</div>
        {footer === undefined ? null : (
          <footer className="flex justify-end gap-2 border-t border-line px-4 py-2.5">
            {footer}
          </footer>
        )}
      </div>
    </dialog>
  )
}
