/**
 * What a person sees when the gateway has started: what it serves, where, and what to try next.
 * Neighbours: `serve.ts`.
 */
import { styleText } from 'node:util'
import type { Settings } from '../config/settings.ts'
import { toWhere } from './default-store.ts'
import { toPageLink } from './page-link.ts'

export interface BannerFacts {
  readonly settings: Settings
  readonly url: string
  readonly file: string | undefined
  readonly workers: number
  /** Where one was made for this run. */
  readonly token: string | undefined
}

export function toBanner({ settings, url, file, workers, token }: BannerFacts): string {
  const isDemo = settings.upstreams.every(({ kind }) => kind === 'demo')
  const lines = [
    `Sluice is listening on ${bold(url)}${workers > 1 ? ` with ${workers} workers` : ''}`,
    file === undefined
      ? 'Answers come from the embedded demo upstream: no key, no network. To use a model, write a sluice.yaml.'
      : `Config: ${file}, read again when it changes`,
    ...(file === undefined ? [] : toRoutes(settings)),
    toRecords(settings),
    `Page: ${toPageLink({ url, token })}${token === undefined ? ' (it asks for the admin token of the config)' : ''}`,
    ...(token === undefined
      ? []
      : [`Admin token: ${token} (this run only; sluice approvals and sluice halt find it)`]),
    '',
    ...(isDemo
      ? ['Try a streamed answer with a tool call:', `  ${toCurl(url, settings)}`, '']
      : []),
    ...toClientLines(url),
    '',
  ]
  return `${lines.join('\n')}\n`
}

/** How clients find it. */
export const toClientLines = (url: string): readonly string[] => [
  'Point a client at it:',
  `  Claude Code    ANTHROPIC_BASE_URL=${url} claude      or: sluice run claude`,
  `  Codex          sluice run codex`,
  `  opencode       sluice run opencode`,
  `  Anthropic SDK  new Anthropic({ baseURL: '${url}' })`,
  `  OpenAI SDK     new OpenAI({ baseURL: '${url}/v1' })`,
]

const bold = (text: string): string => (process.stdout.isTTY ? styleText('bold', text) : text)

function toRoutes({ routes, keys }: Settings): string[] {
  const shown = routes.slice(0, 8).map(({ model, wire, to }) => {
    const from = wire === undefined ? '' : ` (${wire})`
    return `  ${model}${from} → ${to.join(', then ')}`
  })
  const more = routes.length > 8 ? [`  … and ${routes.length - 8} more`] : []
  const who = keys.length === 0 ? 'no key needed' : `${keys.length} keys`
  return [`Routes (${who}):`, ...shown, ...more]
}

/** Where they go, and how to switch it off. */
function toRecords({ records }: Settings): string {
  if (records === undefined) return 'Records: off'
  const { location, mode } = records
  return `Records: ${toWhere(location)}${WHAT[mode]} (sluice log lists them; record: off in the config keeps none)`
}

const WHAT = { bytes: '', redacted: ', redacted', metadata: ', no content' } as const

/** A line that works as it is printed, in any shell. */
function toCurl(url: string, { keys }: Settings): string {
  const body = JSON.stringify({
    model: 'demo',
    max_tokens: 500,
    stream: true,
    messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
    tools: [
      {
        name: 'get_weather',
        input_schema: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      },
    ],
  })
  const key = keys.length === 0 ? '' : " -H 'x-api-key: YOUR_KEY'"
  return `curl -sN ${url}/v1/messages${key} -H 'content-type: application/json' -d '${body}'`
}
