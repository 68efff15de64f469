/**
 * Writes `docs/reference/api.md` from the table of paths, so that the page and the server cannot part ways: `npm run
 * docs`. A test compares the two.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FILTERS, PAGES } from '../src/api/filters.ts'
import type { Param, Params } from '../src/api/params.ts'
import { ROUTE_NAMES, toRoute, type Route, type RouteName } from '../src/api/routes.ts'
import { SCHEMAS } from '../src/api/schemas.ts'

export const API_PAGE = join(import.meta.dirname, '../docs/reference/api.md')

const HEAD = `# The admin API

Under \`/api\` of the gateway, for people and their programs: recorded exchanges and what goes on now, verdicts, figures,
policies, backtests, calls that wait, the kill switch. The page, \`sluice tail\`, \`sluice approvals\` and \`sluice halt\` use it.
\`GET /api/openapi.json\` describes all of it to machines (OpenAPI 3.1). This page is written by \`npm run docs\` from the same
table that the server goes by.

**The token.** Every path asks for the admin token as \`authorization: Bearer …\`; no client's key will do, and the token is no
key. It is \`admin.token\` of the [config](config.md), from a variable; without one, the gateway makes one at each start, prints
it, and writes it with its URL and process id to a file that only you may read, \`gateway-*.json\` under
\`$XDG_STATE_HOME/sluice\` (\`~/.local/state/sluice\`), where the commands find it. Host and \`Origin\` are checked as everywhere.

**Errors** are \`{ "error": { "message" } }\` with a sentence that says what to do: 400 for something wrong in what was asked (with
the name that was probably meant), 401, 404, 405, 409, and 503 where nothing is recorded or the store cannot answer now.

**Answers** are JSON. What is not known is absent. Times are milliseconds since 1970, costs millionths of a US dollar. Lists come
in pages: \`{ "items": […], "next": "…" }\`, and \`?cursor=\` with that \`next\` gives the page behind it; what is recorded meanwhile
neither repeats nor hides anything.

\`\`\`sh
api() { curl -sS -H "authorization: Bearer $SLUICE_TOKEN" "http://127.0.0.1:4141/api/$1" "\${@:2}"; }
api 'exchanges?since=2h&tool=Bash&verdict=deny&limit=5'
api 'exchanges?text=force+push'
api 'stats?since=7d&by=model'
api approvals/ZG5-PV6 -d '{"decision":"pass"}'
\`\`\`
`

const TITLES: Readonly<Record<string, string>> = {
  about: 'About the gateway',
  keys: 'Keys of clients',
  live: 'Live',
  exchanges: 'Exchanges',
  conversations: 'Conversations',
  verdicts: 'Verdicts',
  stats: 'Figures over time',
  policies: 'Policies and the kill switch',
  backtests: 'Backtests',
  approvals: 'Approvals',
}

const NOTES: Readonly<Record<string, string>> = {
  keys: `- Keys that are made here are kept in the store, by their SHA-256 alone: all gateways on one Postgres and all workers go by them, within a
  second. Without a store there are only those of the [config](config.md), which are changed there: \`DELETE\` says in which line.
- A gateway on loopback without any key lets everybody in. The first key closes it, so that \`POST\` must say \`"closes": true\`, and its answer
  has a \`note\`. When the last one is revoked nobody comes in; only \`?opens=true\` lets everybody in again.
- A revoked key is refused at once where it was revoked. Exchanges that are under way go on, as they do when a key is taken out of the config.
- While a gateway has never been able to read the keys of its store, it lets nobody in whom its config does not know (503), even if the
  config has no keys. When the store is lost later, the keys that were known hold.
- \`lastUsedAt\` is what the process that answers has seen since it began. \`usedTokens\` is what counts against the budget.
- Up to 1,000 keys; names as in the config, and none that stands there.`,
  live: `- Events are server-sent (\`event: NAME\`, \`data: {…}\`). \`state\` comes first and says how things stand, so that whoever comes late or
  again has missed nothing; there are no ids to go on from.
- \`piece\` carries raw bytes in base64 with their \`kind\` (\`request\`, \`sent\`, \`upstream\`, \`delivered\`) and \`at\`, microseconds since the
  exchange began. Content is shown live only where it is recorded as it is (\`record: bytes\`).
- Up to 100 may listen in each process, some ten of them with bytes. Who does not read is dropped, 1 MB behind (16 MB with bytes), and may come again.
- With several gateways on one Postgres, events of all of them are told.`,
  exchanges: `- By the id of the record or the request id (\`x-request-id\`); a request id that is there twice means the newest. \`DELETE\`
  takes the id of the record only.
- Bodies come as they were kept, as a file and never as something that a browser would run. \`sent\` is there where the upstream
  got something else than the client sent, \`delivered\` where something else left than came.
- \`times\` are \`[bytes, at, bytes, at, …]\`: for each arrival how many bytes it brought, and the microseconds since the exchange began.
- \`blocks\` is read from the bytes by the stream core, up to 4 MB: streams wait while it is read.
- A time is said as milliseconds since 1970, a date (\`2026-11-15\`, \`2026-11-15T10:00:00Z\`; UTC without a zone) or how long ago
  (\`30m\`, \`12h\`, \`7d\`).`,
  stats: `- With \`step\`, say \`since\` too; over 5000 steps are refused.`,
  policies: `- \`mode\` holds for this version of the policy: a new one is what its config says. All gateways on the same store follow.
- While the switch is on, no tool call leaves, in any process.`,
  backtests: `- Policies come as YAML with stock policies, or by the names of installed ones: nothing that is sent here is run as code.
- They run beside the traffic, two at once, in the process that took the order, which keeps the last twenty.`,
  approvals: `- A decision on a ticket that somebody has decided is a 409 with who it was. One that nobody waits for any more is taken,
  with a \`note\`: it is used if the client asks for the same call again within ten minutes.
- \`GET\` and \`POST /api/approvals/{ticket}\` also take the ticket's own token, as bearer or as \`?token=\`: the link that webhooks get.
- Lists and events have the first 300 characters of arguments as \`preview\`, one approval has all of them as \`content\`.
- A ticket is forgotten ten minutes after it is over.`,
}

export function apiPage(): string {
  const groups = Object.keys(TITLES).map((group) => {
    const names = ROUTE_NAMES.filter((name) => toRoute(name).group === group)
    const notes = NOTES[group] === undefined ? [] : [NOTES[group]]
    return [`## ${TITLES[group]}`, pathTable(names), ...names.flatMap(details), ...notes].join(
      '\n\n',
    )
  })
  return `${[HEAD.trimEnd(), ...groups, filters()].join('\n\n')}\n`
}

function pathTable(names: readonly RouteName[]): string {
  const rows = names.map(
    (name) => `| \`${name}\` | ${toRoute(name).says} | ${answerOf(toRoute(name))} |`,
  )
  return ['| path | does | answers |', '|---|---|---|', ...rows].join('\n')
}

function answerOf({ answer }: Route): string {
  if (typeof answer !== 'string' && 'as' in answer)
    return answer.as === 'bytes' ? 'bytes' : 'OpenAPI'
  if (typeof answer !== 'string')
    return Object.keys(answer.events)
      .map((event) => `\`${event}\``)
      .join(', ')
  const { properties } = SCHEMAS[answer] as { readonly properties: object }
  return Object.keys(properties)
    .slice(0, 8)
    .map((field) => `\`${field}\``)
    .join(', ')
}

/** What stands in no other table. */
function details(name: RouteName): readonly string[] {
  const { query = {}, body } = toRoute(name)
  const known = new Set([...Object.keys(FILTERS), ...Object.keys(PAGES)])
  const has = (params: Params): boolean => Object.keys(params).every((one) => one in query)
  const own = Object.entries(query).filter(([one]) => !has(FILTERS) || !known.has(one))
  const words = [
    ...(has(FILTERS) ? ['[filters](#filters)'] : []),
    ...(has(PAGES) ? ['pages'] : []),
    ...own.map(([one, param]: [string, Param]) => `\`${one}\` (${param.says})`),
    ...(body === undefined ? [] : [`a JSON body: ${bodyOf(body)}`]),
  ]
  return words.length === 0 ? [] : [`\`${name}\` takes ${words.join('; ')}.`]
}

function bodyOf(schema: string): string {
  const { properties, required = [] } = SCHEMAS[schema] as {
    readonly properties: object
    readonly required?: readonly string[]
  }
  return Object.keys(properties)
    .map((field) => `\`${field}\`${required.includes(field) ? ' (needed)' : ''}`)
    .join(', ')
}

function filters(): string {
  const rows = Object.entries<Param>({ ...FILTERS, ...PAGES }).map(
    ([name, param]) => `| \`${name}\` | ${typeOf(param)} | ${param.says} |`,
  )
  return [
    '## Filters',
    'Where several are given, all must hold.',
    ['| parameter | takes | what it means |', '|---|---|---|', ...rows].join('\n'),
  ].join('\n\n')
}

function typeOf(param: Param): string {
  switch (param.type) {
    case 'text':
      return 'text'
    case 'time':
      return 'time'
    case 'whole':
      return `${param.min} to ${param.max}`
    case 'flag':
      return '`true`, `false`'
    case 'choice':
      return param.values.map((value) => `\`${value}\``).join(', ')
    case 'status':
      return '100 to 599, `error`'
  }
}

if (process.argv[1] === import.meta.filename) {
  const page = apiPage()
  if (readFileSync(API_PAGE, 'utf8') !== page) writeFileSync(API_PAGE, page)
}
