/**
 * `sluice run`: a client on the gateway, with one word before its usual line. Neighbours:
 * `run-clients.ts` knows how each is told the address, `run-gateway.ts` finds or starts the gateway,
 * `run-process.ts` runs the client in the foreground.
 */
import { homedir } from 'node:os'
import { basename } from 'node:path'
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { loadConfigAsync } from '../config/load.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { visible } from './output.ts'
import { CLIENTS, isSet, otherClient, type Client, type Environment } from './run-clients.ts'
import { openGateway, type RunGateway } from './run-gateway.ts'
import { hasOwnCredential } from './run-logins.ts'
import { runInForeground, type Ended } from './run-process.ts'

const NAMES = Object.keys(CLIENTS)

export const run: Command = {
  help: `sluice run [--config FILE] [--port N] CLIENT [arguments]
sluice run [--config FILE] [--port N] -- COMMAND [arguments]

Starts an installed client with the environment that leads it to the gateway. All
that follows its name is its own: arguments, input, output, signals, exit code.
Clients: ${NAMES.join(', ')}. Any other command goes after "--" and is given
ANTHROPIC_BASE_URL and OPENAI_BASE_URL.

  --config FILE   the gateway's config; without one, sluice.yaml if it is there
  --port N        where the gateway is looked for, and started if there is none

If a gateway already answers, it is used. Otherwise one is started for the time of
the run, without logs, on a free port.

The client shows its own credential, as it is logged in. With SLUICE_KEY set, it
shows that key to the gateway. Nothing is written into its config.
`,
  ownHelp: true,
  async run(argv, { out, err }) {
    const { own, rest } = split(argv)
    const { values } = readArguments(own, OPTIONS)
    if (values.help === true) {
      await out.write(run.help)
      return 0
    }
    const [command, ...args] = rest
    if (command === undefined)
      throw new SluiceError(
        'wrong-use',
        `Say what to start: ${NAMES.join(', ')}, or any command after --`,
      )
    const client = findClient(command, argv[own.length] === '--')
    const config = await loadConfigAsync({
      file: values.config,
      env: process.env,
      cwd: process.cwd(),
    })
    const key = isSet(process.env, 'SLUICE_KEY') ? process.env['SLUICE_KEY'] : undefined
    const gateway = await openGateway(config, {
      port: readPort(values.port),
      hasKey: key !== undefined,
    })
    try {
      if (process.stderr.isTTY) await err.line(err.style('dim', toNotice(gateway)))
      return toExitCode(await start(client, args, { gateway, key }), client)
    } finally {
      await gateway.close()
    }
  },
}

const OPTIONS = {
  config: { type: 'string' },
  port: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Our own options stand before the client's name; what follows is not looked at. */
function split(argv: readonly string[]): { own: readonly string[]; rest: readonly string[] } {
  let at = 0
  while (argv[at]?.startsWith('-') === true) {
    const word = argv[at] ?? ''
    if (word === '--') return { own: argv.slice(0, at), rest: argv.slice(at + 1) }
    at += word === '--config' || word === '--port' ? 2 : 1
  }
  return { own: argv.slice(0, at), rest: argv.slice(at) }
}

/** The entry of that name; any other command only if the person said that it is one. */
function findClient(command: string, isAnything: boolean): Client {
  const name = basename(command)
  const known = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined
  if (known !== undefined) return { ...known, command }
  if (isAnything) return otherClient(command)
  const near = nearest(command, NAMES)
  throw new SluiceError(
    'wrong-use',
    `There is no client "${command}": there are ${NAMES.join(', ')}, and any command after --${near === undefined ? '' : `; did you mean ${near}?`}`,
  )
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new SluiceError('wrong-use', `--port takes a number up to 65535: got "${text}"`)
  return port
}

/** What clients show where nobody asks for a credential: without one they would not start. */
const PLACEHOLDER = 'none-needed'

async function start(
  client: Client,
  args: readonly string[],
  { gateway, key }: { gateway: RunGateway; key: string | undefined },
): Promise<Ended> {
  const env: Environment = process.env
  const name = basename(client.command)
  const launch = client.launch(
    {
      url: gateway.url,
      models: gateway.models,
      key,
      credential(wire) {
        const needsOne = gateway.needsCredential(wire)
        const hasOne = hasOwnCredential(name, wire, { env, home: homedir() })
        // The key goes beside the person's own credential only where that one must reach an upstream.
        if (key !== undefined) return needsOne && hasOne ? undefined : key
        return needsOne || hasOne ? undefined : PLACEHOLDER
      },
    },
    env,
  )
  return await runInForeground({
    command: client.command,
    args: [...launch.args, ...args],
    env: { ...env, ...besidesProxies(env, gateway.url), ...launch.env },
  })
}

/** A proxy for the way out is no way to this machine. */
function besidesProxies(env: Environment, url: string): Environment {
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
  if (!proxies.some((name) => isSet(env, name) || isSet(env, name.toLowerCase()))) return {}
  const given = env['NO_PROXY'] ?? env['no_proxy']
  const host = new URL(url).hostname
  const list = given === undefined || given === '' ? host : `${given},${host}`
  return { NO_PROXY: list, no_proxy: list }
}

const toNotice = ({ url, isOurs }: RunGateway): string =>
  isOurs
    ? `sluice: a gateway at ${url} for the time of this run`
    : `sluice: through the gateway that answers at ${url}`

function toExitCode(ended: Ended, { command, packageName }: Client): number {
  switch (ended.type) {
    case 'ended':
      return ended.code
    case 'not-found':
      throw new SluiceError(
        'wrong-use',
        `Cannot find "${visible(command)}"${installHint(packageName)}`,
      )
    case 'not-allowed':
      throw new SluiceError('wrong-use', `Cannot start "${visible(command)}": it is no program`)
  }
}

const installHint = (packageName: string | undefined): string =>
  packageName === undefined
    ? ': there is no such program'
    : `: install it with npm install -g ${packageName}`
