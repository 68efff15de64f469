/**
 * The lines by which each client finds this gateway. Neighbours: `docs/guide/clients.md` says the same at length,
 * `connect-model.ts` which model and credential; `connect-tab.tsx` shows them. Knows no component.
 */
import { AGENTS } from './connect-agents.ts'
import type { Credential, Target } from './connect-model.ts'
import { SDKS } from './connect-sdks.ts'
import { KEY, type ClientGuide, type Snippet } from './connect-words.ts'

export type { ClientGuide }

export const CLIENTS: readonly ClientGuide[] = [...AGENTS, ...SDKS]

const SHOWN: Readonly<Record<Credential, string>> = {
  none: 'none-needed',
  key: KEY,
  own: 'YOUR_PROVIDER_KEY',
  both: 'YOUR_PROVIDER_KEY',
}

export function writeSnippets(
  client: ClientGuide,
  { model, credential }: Target,
  url: string,
): readonly Snippet[] {
  const isOwn = credential === 'own' || credential === 'both'
  const isBeside = credential === 'both'
  const snippets = client.write({ url, model, shown: SHOWN[credential], isOwn, isBeside })
  if (client.command === undefined) return snippets
  const key = credential === 'key' || isBeside ? `SLUICE_KEY=${KEY} ` : ''
  return [
    {
      title: 'The simplest: for one run, nothing is written anywhere',
      text: `${key}sluice run${toPort(url)} ${client.command}`,
    },
    ...snippets,
  ]
}

/** `sluice run` looks at the usual place by itself. */
function toPort(url: string): string {
  const { port } = new URL(url)
  return port === '' || port === '4141' ? '' : ` --port ${port}`
}

/** What else there is to say, in words. */
export const CREDENTIAL_SAYS: Readonly<Record<Credential, string>> = {
  none: 'No key is needed here: most clients only want to have something.',
  key: `Put a key of this gateway in place of ${KEY}.`,
  own: 'Your own key or login for the provider is passed on to it.',
  both: `Your own key for the provider is passed on; the gateway's key goes beside it, in the header x-sluice-key.`,
}
