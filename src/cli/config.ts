/**
 * `sluice config`: what a config says, or what is wrong with it. Neighbours: `config/load.ts` reads it.
 * Prints names, addresses and models; never a key, a header or anything else that may be a secret.
 */
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { configSchema } from '../config/json-schema.ts'
import { loadConfigAsync } from '../config/load.ts'
import { whereItApplies } from '../config/select-policies.ts'
import type { Settings } from '../config/settings.ts'
import { readArguments } from './arguments.ts'
import type { Command, Streams } from './command.ts'
import { toWhere } from './default-store.ts'
import { toBytes } from './log-lines.ts'
import { visible } from './output.ts'

export const config: Command = {
  help: `sluice config check [FILE]
sluice config schema

check reads FILE (or sluice.yaml, sluice.yml where you stand) as the gateway would
and prints what was understood, or every mistake with its line and column.
Variables are taken from the environment, so they must be set.

schema prints the JSON Schema of the file, for editors.

Exit 0 when it is right, 1 when not, 2 when it cannot be read.
`,
  async run(argv, streams) {
    const [name = '', ...rest] = argv
    const { file } = readArguments(rest, {})
    if (name === 'check') return await check(file, streams)
    if (name !== 'schema') throw unknown(name)
    if (file !== undefined)
      throw new SluiceError('wrong-use', `"sluice config schema" takes no file: got ${file}`)
    await streams.out.write(configSchema())
    return 0
  },
}

function unknown(name: string): SluiceError {
  const words = ['check', 'schema']
  const near = nearest(name, words)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return new SluiceError(
    'wrong-use',
    `Say what to do with the config: sluice config check, sluice config schema${hint}`,
  )
}

async function check(file: string | undefined, { out, err }: Streams): Promise<number> {
  try {
    const found = await loadConfigAsync({ file, env: process.env, cwd: process.cwd() })
    await out.line(
      found.file === undefined
        ? 'There is no sluice.yaml here: this is what is served without one'
        : `${out.style('green', 'right')}  ${visible(found.file)}`,
    )
    for (const line of describe(found.settings)) await out.line(visible(line))
    for (const warning of found.warnings)
      await err.line(`${err.style('yellow', 'warning')}  ${visible(warning)}`)
    return 0
  } catch (error) {
    if (!(error instanceof SluiceError) || error.code !== 'bad-config') throw error
    const mistakes = error.message.split('\n')
    for (const mistake of mistakes) {
      // What is shown of a file stands indented below its mistake.
      const label = mistake.startsWith(' ') ? '       ' : err.style('red', 'mistake')
      await err.line(`${label}  ${visible(mistake)}`)
    }
    return 1
  }
}

/** The settings in a few lines: what a person wrote the file for. */
function describe(settings: Settings): readonly string[] {
  const { listen, tls, upstreams, routes, keys, policies } = settings
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host
  const address = `${tls === undefined ? 'http' : 'https'}://${host}:${listen.port}`
  return [
    ...block('listen', [[address]]),
    ...block('upstreams', upstreams.map(describeUpstream)),
    ...block(
      'routes',
      routes.map(({ model, wire, to, as }) => [
        model,
        wire ?? 'any wire',
        to
          .map((name) => (as[name] === undefined ? name : `${name} as ${as[name]}`))
          .join(', then '),
      ]),
    ),
    ...block('keys', [[keys.length === 0 ? 'none' : keys.map(({ name }) => name).join(', ')]]),
    ...block('records', [describeRecords(settings.store)]),
    ...block('policies', policies.length === 0 ? [['none']] : policies.map(describePolicy)),
  ]
}

/** A password in a URL is not shown. */
function describeRecords(store: Settings['store']): readonly string[] {
  const { mode, location, maxAge, maxBytes, secret } = store
  if (mode === 'off') return ['off']
  const limits = [
    ...(maxAge === undefined ? [] : [toAge(maxAge)]),
    ...(maxBytes === undefined ? [] : [toBytes(maxBytes)]),
  ]
  return [
    mode,
    location === undefined ? 'in the state folder of who starts it' : toWhere(location),
    limits.length === 0 ? 'kept for good' : `kept up to ${limits.join(' and ')}`,
    ...(secret === undefined ? [] : ['encrypted']),
  ]
}

const HOUR = 3_600_000

const toAge = (ms: number): string =>
  ms >= 48 * HOUR ? `${Math.round(ms / HOUR / 24)} days` : `${(ms / HOUR).toFixed(1)} hours`

function describeUpstream(upstream: Settings['upstreams'][number]): readonly string[] {
  const { name } = upstream
  const wires = upstream.wires.join(', ')
  if (upstream.kind === 'demo') return [name, wires, 'embedded demo']
  if (upstream.kind === 'replay') {
    const { from } = upstream
    return [name, wires, `replay of ${from.type === 'path' ? from.path : 'the records'}`]
  }
  const hasKey = upstream.apiKey !== undefined
  return [
    name,
    wires,
    new URL(upstream.baseUrl).host,
    hasKey ? 'with its own key' : "with the client's credential",
  ]
}

function describePolicy(policy: Settings['policies'][number]): readonly string[] {
  const { name, use, version, installed } = policy
  const how = [
    whereItApplies(policy) ?? 'everything',
    ...(installed.isShadow ? ['in shadow'] : []),
    ...(installed.onError === 'pass' ? ['passes on error'] : []),
  ]
  return [name, use, version, how.join('; ')]
}

/** Rows under a title, in columns. */
function block(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, at) => Math.max(cell.length, known[at] ?? 0)),
    [],
  )
  return rows.map((row, index) =>
    [
      (index === 0 ? title : '').padEnd(9),
      ...row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))),
    ].join('  '),
  )
}
