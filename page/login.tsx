/** Asks for the admin token, and lets nobody further without it. Neighbours: `core/token.ts` keeps it. */
import { useState, type ReactElement, type SyntheticEvent } from 'react'
import { createApiClient } from '../src/api/client.ts'
import { ApiError, toSentence } from './core/api.ts'
import { keepToken } from './core/token.ts'
import { Button } from './kit/button.tsx'
import { Check, TextField } from './kit/field.tsx'

export function Login(): ReactElement {
  const [token, setToken] = useState('')
  const [isForLong, setForLong] = useState(false)
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  async function enter(event: SyntheticEvent): Promise<void> {
    event.preventDefault()
    setBusy(true)
    setFault(undefined)
    try {
      await createApiClient({ url: location.origin, token: token.trim() }).index()
      keepToken(token.trim(), isForLong)
    } catch (error) {
      setFault(
        error instanceof ApiError && error.status === 401
          ? 'This is not the admin token of this gateway'
          : toSentence(error),
      )
    } finally {
      setBusy(false)
    }
  }

  return (
    <main className="flex h-full items-center justify-center p-4">
      <form
        onSubmit={(event) => void enter(event)}
        className="flex w-full max-w-sm flex-col gap-4 rounded-lg border border-line bg-surface p-6 shadow-pop"
      >
        <div className="flex items-center gap-2.5">
          <img src="./favicon.svg" alt="" width={28} height={28} />
          <div>
            <h1 className="text-lg leading-tight font-semibold">Sluice</h1>
            <p className="text-xs text-muted">{location.host}</p>
          </div>
        </div>
        <TextField
          label="Admin token"
          type="password"
          name="token"
          autoComplete="current-password"
          autoFocus
          value={token}
          onChange={(event) => setToken(event.target.value)}
          fault={fault}
          hint="It was printed when the gateway started, or is admin.token of its config."
          className="font-mono"
        />
        <Check
          label="Stay logged in on this browser"
          checked={isForLong}
          onChange={(event) => setForLong(event.target.checked)}
        />
        <Button
          look="primary"
          type="submit"
          disabled={isBusy || token.trim() === ''}
          className="h-8"
        >
          Log in
        </Button>
      </form>
    </main>
  )
}
