/** A line of a list that opens: what is behind it is drawn only then. Neighbours: counts and versions. */
import { useState, type ReactElement, type ReactNode } from 'react'
import { Icon } from '../kit/icons.tsx'

export function OpenRow({
  line,
  children,
}: {
  readonly line: ReactNode
  readonly children: () => ReactNode
}): ReactElement {
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-[30px] w-full min-w-0 items-center gap-2 px-3 text-left text-xs hover:bg-hover"
      >
        <Icon name={isOpen ? 'down' : 'right'} size={12} />
        {line}
      </button>
      {isOpen ? (
        <div className="border-t border-line bg-page px-3 py-2 sm:pl-8">{children()}</div>
      ) : null}
    </li>
  )
}
