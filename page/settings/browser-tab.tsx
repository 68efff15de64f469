/** What is kept in this browser only, and which gateway it looks at. */
import type { ReactElement } from 'react'
import { AlertSwitches } from '../approvals/alert-switches.tsx'
import { toDuration } from '../core/format.ts'
import { personName, theme } from '../core/preferences.ts'
import { useStore } from '../core/store.ts'
import { dropToken } from '../core/token.ts'
import { Button } from '../kit/button.tsx'
import { Choice } from '../kit/choice.tsx'
import { TextField } from '../kit/field.tsx'
import { columnChoice } from '../live/live-list.ts'
import { useHealth } from './data.ts'
import { Facts, Part } from './parts.tsx'

export function BrowserTab(): ReactElement {
  const chosen = useStore(theme)
  const name = useStore(personName)
  const columns = useStore(columnChoice)
  return (
    <>
      <Part
        title="Colours"
        end={
          <Choice
            label="Colours"
            options={[
              { id: 'system', label: 'As the system' },
              { id: 'light', label: 'Light' },
              { id: 'dark', label: 'Dark' },
            ]}
            selected={chosen}
            onSelect={(next) => theme.set(next)}
          />
        }
      />
      <Part
        title="Your name"
        says="Stands in the record of each decision and change that you make here."
        end={
          <div className="w-56">
            <TextField
              label="Your name"
              isBare
              placeholder="Nobody in particular"
              autoComplete="name"
              maxLength={200}
              value={name}
              onChange={(event) => personName.set(event.currentTarget.value)}
            />
          </div>
        }
      />
      <Part
        title="When a call waits"
        says="A notification when you look elsewhere, or a short sound."
        end={
          <div className="flex items-center gap-1">
            <AlertSwitches />
          </div>
        }
      />
      <Part
        title="Columns of the list"
        says={columns.length === 0 ? 'As they come.' : 'Some are turned on or off.'}
        end={
          <Button disabled={columns.length === 0} onClick={() => columnChoice.set([])}>
            Reset columns
          </Button>
        }
      />
      <Part
        title="Login"
        says="The admin token stays in this tab, or in this browser if you chose so."
        end={
          <Button icon="leave" onClick={dropToken}>
            Log out here
          </Button>
        }
      />
      <Gateway />
    </>
  )
}

function Gateway(): ReactElement | null {
  const { data } = useHealth()
  if (data === undefined) return null
  const { gateway } = data
  return (
    <Part title="Gateway">
      <Facts
        facts={[
          ['Version', gateway.version],
          ['Running for', toDuration(gateway.uptimeMs)],
          ['Name', gateway.name],
          ['Address', gateway.url],
        ]}
      />
    </Part>
  )
}
