/**
 * What a person typed → the policies to try: a file, the name of a stock policy, or what a config has. Neighbours:
 * `policy-test.ts`; `config/load.ts` reads all three in the same way, so that what is wrong is said with its place.
 */
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { parseObject } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { loadConfigAsync } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { STOCK } from '../config/stock.ts'

export type LoadedPolicy = Settings['policies'][number]

export interface Typed {
  readonly name: string | undefined
  readonly config: string | undefined
  /** Options of the policy, as JSON. */
  readonly options: string | undefined
}

export async function loadPolicies(typed: Typed): Promise<readonly LoadedPolicy[]> {
  const { name, config } = typed
  const where = { env: process.env, cwd: process.cwd() }
  if (config !== undefined) {
    if (typed.options !== undefined)
      throw new SluiceError('wrong-use', 'Say one of --config and --options')
    const loaded = await loadConfigAsync({ ...where, file: config })
    return choose(loaded.settings.policies, name, config)
  }
  if (name === undefined)
    throw new SluiceError(
      'wrong-use',
      'Say which policy: sluice policy test policies/mine.ts, or --config sluice.yaml',
    )
  const options = typed.options === undefined ? {} : readOptions(typed.options)
  // JSON is YAML: one way to read a policy, one way to say what is wrong with it.
  const text = JSON.stringify({ policies: [{ use: toUse(name), ...options }] })
  const { settings } = await loadConfigAsync({ ...where, file: HERE, text })
  return settings.policies
}

/** In the place of a file's name in messages. */
const HERE = 'command line'

function readOptions(text: string): Readonly<Record<string, unknown>> {
  const options = parseObject(text)
  if (options === undefined)
    throw new SluiceError(
      'wrong-use',
      `--options takes a JSON object, as in --options '{"programs":["rm"]}'`,
    )
  return options
}

/** A path begins with a dot in a config; whoever types one need not. */
function toUse(name: string): string {
  if (Object.hasOwn(STOCK, name)) return name
  const isFile = /\.[cm]?[jt]s$/.test(name)
  if (!isFile || isAbsolute(name)) return name
  const near = relative(process.cwd(), resolve(name)).replaceAll('\\', '/')
  return near.startsWith('.') ? near : `./${near}`
}

function choose(
  policies: readonly LoadedPolicy[],
  name: string | undefined,
  config: string,
): readonly LoadedPolicy[] {
  if (policies.length === 0)
    throw new SluiceError('wrong-use', `There are no policies in "${config}"`)
  if (name === undefined) return policies
  const folder = dirname(resolve(config))
  const found = policies.filter(
    (one) => one.name === name || one.use === name || resolve(folder, one.use) === resolve(name),
  )
  if (found.length > 0) return found
  const names = policies.map((one) => one.name)
  const near = nearest(name, names)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  throw new SluiceError(
    'wrong-use',
    `There is no policy "${name}" in "${config}": there are ${names.join(', ')}${hint}`,
  )
}
