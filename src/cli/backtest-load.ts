/**
 * A file with policies → what is tried, and the config whose store and upstreams are used. Neighbours: `backtest.ts`;
 * `policy-load.ts` does it for `sluice policy test`.
 */
import { readFileSync } from 'node:fs'
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { findConfig, loadConfigAsync, type Config } from '../config/load.ts'
import {
  asConfig,
  isPolicyList,
  toPastPolicies,
  type PastPolicies,
} from '../config/past-policies.ts'
import { withModes } from '../config/policy-modes.ts'
import type { Settings } from '../config/settings.ts'
import type { PolicyMode } from '../store/store.ts'
import type { BacktestWords } from './backtest-words.ts'
import { loadPolicies } from './policy-load.ts'

export interface LoadedBacktest {
  /** `modes`: what was said of policies since their config was written. */
  toPast(modes: readonly PolicyMode[]): PastPolicies
  readonly against: 'all' | 'own'
  /** Whose store is read; `undefined`: none was found, and that of this user is. */
  readonly config: string | undefined
  /** Whose upstreams and prices are used. */
  readonly settings: Settings
  /** For whoever reads the result. */
  readonly about: {
    readonly policies: readonly {
      readonly name: string
      readonly use: string
      readonly version: string
    }[]
    readonly against: 'all' | 'own'
  }
}

export async function loadBacktest(words: BacktestWords): Promise<LoadedBacktest> {
  const read = await readPolicies(words.policies)
  const policies = choose(read.policies, words)
  const own = words.config ?? (read.isConfig ? words.policies : findConfig(process.cwd()))
  const { settings } =
    read.isConfig && own === words.policies && read.config !== undefined
      ? read.config
      : await loadConfigAsync({ ...WHERE(), file: own })
  const isWhole = read.isConfig && words.names.length === 0
  const against = words.against ?? (isWhole ? 'all' : 'own')
  return {
    toPast: (modes) =>
      toPastPolicies(withModes(policies, modes), {
        routes: read.isConfig ? read.config?.settings.routes : undefined,
        isActing: words.isActing,
      }),
    against,
    config: own,
    settings,
    about: {
      policies: policies.map(({ name, use, version }) => ({ name, use, version })),
      against,
    },
  }
}

interface Read {
  readonly policies: Settings['policies']
  readonly isConfig: boolean
  readonly config: Config | undefined
}

const WHERE = () => ({ env: process.env, cwd: process.cwd() })

async function readPolicies(file: string): Promise<Read> {
  if (!/\.ya?ml$/i.test(file)) {
    const policies = await loadPolicies({ name: file, config: undefined, options: undefined })
    return { policies, isConfig: false, config: undefined }
  }
  const text = readFile(file)
  if (isPolicyList(text)) {
    // A name beside it, so that paths are found as the list says them, and mistakes name the list.
    const { settings } = await loadConfigAsync({ ...WHERE(), file, text: asConfig(text) })
    return { policies: settings.policies, isConfig: false, config: undefined }
  }
  const config = await loadConfigAsync({ ...WHERE(), file })
  return { policies: config.settings.policies, isConfig: true, config }
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new SluiceError('wrong-use', `Cannot read "${file}": there is no such file`, { cause })
  }
}

function choose(
  policies: Settings['policies'],
  { names, policies: file }: BacktestWords,
): Settings['policies'] {
  if (policies.length === 0)
    throw new SluiceError('wrong-use', `There are no policies in "${file}"`)
  const known = policies.map(({ name }) => name)
  const wrong = names.find((name) => !known.includes(name))
  if (wrong === undefined)
    return names.length === 0 ? policies : policies.filter(({ name }) => names.includes(name))
  const near = nearest(wrong, known)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  throw new SluiceError(
    'wrong-use',
    `There is no policy "${wrong}" in "${file}": there are ${known.join(', ')}${hint}`,
  )
}
