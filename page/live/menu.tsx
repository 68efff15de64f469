/** A button that opens a small sheet below it. It closes by Escape, by a press elsewhere, and when the focus leaves it. */
import { useEffect, useId, useRef, useState, type ReactElement, type ReactNode } from 'react'
import { Button, IconButton } from '../kit/button.tsx'
import { classes } from '../kit/classes.ts'
import type { IconName } from '../kit/icons.tsx'

interface MenuProps {
  readonly label: string
  readonly icon: IconName
  /** The label is for screen readers only. */
  readonly isBare?: boolean
  readonly className?: string
  children(close: () => void): ReactNode
}

export function Menu({
  label,
  icon,
  isBare = false,
  className,
  children,
}: MenuProps): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const id = useId()
  const close = (): void => setOpen(false)
  useEffect(() => {
    if (!isOpen) return undefined
    const look = (event: Event): void => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) close()
    }
    document.addEventListener('pointerdown', look)
    return () => document.removeEventListener('pointerdown', look)
  }, [isOpen])
  const about = {
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? id : undefined,
    onClick: () => setOpen(!isOpen),
  }
  return (
    <div
      ref={place}
      className="relative"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        event.preventDefault()
        close()
        place.current?.querySelector('button')?.focus()
      }}
      onBlur={(event) => {
        const to = event.relatedTarget
        if (to instanceof Node && !event.currentTarget.contains(to)) close()
      }}
    >
      {isBare ? (
        <IconButton icon={icon} label={label} {...about} />
      ) : (
        <Button icon={icon} look="plain" {...about}>
          {label}
        </Button>
      )}
      {isOpen ? (
        <div
          id={id}
          role="group"
          aria-label={label}
          className={classes(
            'absolute top-8 right-0 z-30 max-h-[70vh] overflow-y-auto rounded-md border border-line-strong bg-surface shadow-pop',
            className,
          )}
        >
          {children(close)}
        </div>
      ) : null}
    </div>
  )
}
