/** How to connect each client: lines that work as they stand. Neighbours: `connect-clients.ts` writes them. */
import { useEffect, useState, type ReactElement } from 'react'
import { showName } from '../blocks/plain.ts'
import { onFeed } from '../core/feed.ts'
import { toHref, usePlace } from '../core/route.ts'
import { classes } from '../kit/classes.ts'
import { TextField } from '../kit/field.tsx'
import { Icon } from '../kit/icons.tsx'
import { Failed, Loading } from '../kit/states.tsx'
import { CLIENTS, CREDENTIAL_SAYS, writeSnippets, type ClientGuide } from './connect-clients.ts'
import { toTarget } from './connect-model.ts'
import { useConfig, useHealth } from './data.ts'
import { Copyable } from './parts.tsx'

export function ConnectTab(): ReactElement {
  const chosen = usePlace().parts[1]
  const client = CLIENTS.find(({ id }) => id === chosen) ?? CLIENTS[0]
  return (
    <div className="flex min-h-0 flex-1 max-md:flex-col">
      <nav
        aria-label="Clients"
        className="shrink-0 overflow-auto border-line p-2 max-md:border-b md:w-44 md:border-r"
      >
        <ul className="flex flex-wrap gap-0.5 md:flex-col">
          {CLIENTS.map(({ id, name }) => (
            <li key={id}>
              <a
                href={toHref('settings', ['connect', id])}
                aria-current={id === client?.id ? 'page' : undefined}
                className={classes(
                  'block rounded-md px-2 py-1 text-xs whitespace-nowrap',
                  id === client?.id
                    ? 'bg-selected font-medium'
                    : 'text-muted hover:bg-hover hover:text-ink',
                )}
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        {client === undefined ? null : <Guide key={client.id} client={client} />}
      </div>
    </div>
  )
}

function Guide({ client }: { readonly client: ClientGuide }): ReactElement {
  const config = useConfig()
  const health = useHealth()
  const [typed, setTyped] = useState('')
  const [copiedAt, setCopiedAt] = useState<number>()
  const error = config.error ?? health.error
  if (config.data === undefined || health.data === undefined)
    return error === null ? <Loading /> : <Failed error={error} />
  const target = toTarget(client.wire, config.data, health.data)
  const model = typed.trim() === '' ? target.model : typed.trim()
  const snippets = writeSnippets(client, { ...target, model }, location.origin)
  const hasModel = snippets.some(({ text }) => text.includes(model))
  return (
    <article className="flex max-w-3xl flex-col gap-4" aria-label={client.name}>
      <header>
        <h2 className="text-base font-semibold">{client.name}</h2>
        <p className="text-xs text-muted">
          {CREDENTIAL_SAYS[target.credential]}
          {target.credential === 'key' || target.credential === 'both' ? (
            <>
              {' '}
              <a href={toHref('settings', ['keys'])} className="text-accent underline">
                Make a key
              </a>
            </>
          ) : null}
        </p>
      </header>
      {hasModel ? (
        <div className="w-64 max-w-full">
          <TextField
            label="Model"
            value={typed}
            placeholder={target.model}
            maxLength={200}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
      ) : null}
      {snippets.map(({ title, text }) => (
        <Copyable key={title} title={title} text={text} onCopied={() => setCopiedAt(Date.now())} />
      ))}
      {copiedAt === undefined ? null : <Arrival client={client} />}
      <p className="text-xs text-faint">
        404: the address has /v1 twice or not at all. 401: a key is missing. Connection refused: a
        proxy; put {location.hostname} into NO_PROXY.
      </p>
    </article>
  )
}

/** Waits for the first exchange of this client, and leads to it. */
function Arrival({ client }: { readonly client: ClientGuide }): ReactElement {
  const [found, setFound] = useState<{ readonly id: string; readonly client: string }>()
  useEffect(
    () =>
      onFeed((event) => {
        if (event.type !== 'begun' || !client.agent.test(event.exchange.client ?? '')) return
        const { id, client: name = '' } = event.exchange
        setFound((before) => before ?? { id, client: name })
      }),
    [client],
  )
  return (
    <p role="status" className="flex items-center gap-2 text-xs">
      {found === undefined ? (
        <>
          <span className="breathe size-2 rounded-full bg-warn" />
          <span className="text-muted">Waiting for the first exchange of {client.name}</span>
        </>
      ) : (
        <>
          <span className="text-ok">
            <Icon name="check" size={14} />
          </span>
          <span className="min-w-0 truncate">{showName(found.client)} is connected:</span>
          <a href={toHref('exchange', [found.id])} className="text-accent underline">
            Look at its first exchange
          </a>
        </>
      )}
    </p>
  )
}
