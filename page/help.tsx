/** The list of keys that do something here. */
import type { ReactElement } from 'react'
import { shortcuts } from './core/shortcuts.ts'
import { useStore } from './core/store.ts'
import { Dialog } from './kit/dialog.tsx'
import { Kbd } from './kit/toolbar.tsx'

export function Help({ onClose }: { readonly onClose: () => void }): ReactElement {
  const all = useStore(shortcuts)
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        {all.map(({ keys, says }) => (
          <div key={keys} className="contents">
            <dt className="flex gap-1">
              {keys.split(' ').map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd className="text-muted">{says}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
