/** As whom one decides, and how to change it. */
import { useState, type ReactElement } from 'react'
import { showName } from '../blocks/plain.ts'
import { personName } from '../core/preferences.ts'
import { useStore } from '../core/store.ts'
import { Icon } from '../kit/icons.tsx'
import { NameDialog } from './name-dialog.tsx'

export function Person(): ReactElement {
  const name = useStore(personName)
  const [isAsking, setAsking] = useState(false)
  const shown = showName(name)
  return (
    <>
      <button
        type="button"
        onClick={() => setAsking(true)}
        aria-label={name === '' ? 'Say who you are' : `You decide as ${shown}: change your name`}
        title="Change your name"
        className="inline-flex h-7 max-w-48 min-w-0 items-center gap-1 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-ink"
      >
        <span className="truncate">{name === '' ? 'Say who you are' : `as ${shown}`}</span>
        <Icon name="edit" size={12} />
      </button>
      {isAsking ? (
        <NameDialog
          name={name}
          onClose={() => setAsking(false)}
          onName={(next) => {
            personName.set(next)
            setAsking(false)
          }}
        />
      ) : null}
    </>
  )
}
