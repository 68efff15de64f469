/**
 * Backtests of a gateway: what somebody orders by its API → policies, and where their judges ask. Neighbours:
 * `replay/backtest-jobs.ts` runs them, the API starts and shows them. Policies come as YAML with stock policies, or by
 * the names of those that are installed: nothing that comes by the API is run as code.
 */
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { asConfig, isPolicyList, loadForeign, toPastPolicies } from '../config/past-policies.ts'
import { withModes } from '../config/policy-modes.ts'
import type { Settings } from '../config/settings.ts'
import type { CallModel } from '../exchange/call-model.ts'
import { createCosts } from '../records/prices.ts'
import {
  createBacktestJobs,
  type BacktestJobs,
  type BacktestOrder,
  type LoadedBacktest,
} from '../replay/backtest-jobs.ts'
import type { RecordReader } from '../store/store.ts'

export interface BacktestsOptions {
  settings(): Settings
  readonly store: RecordReader
  callModel(): CallModel
  createId(): string
}

const MAX_YAML_CHARS = 1_000_000

export function createBacktests(options: BacktestsOptions): BacktestJobs {
  return createBacktestJobs({
    source: options.store,
    load: (order) => load(order, options),
    createId: options.createId,
    now: Date.now,
  })
}

async function load(order: BacktestOrder, options: BacktestsOptions): Promise<LoadedBacktest> {
  const settings = options.settings()
  const isActing = order.isActing === true
  const { yaml } = order
  const common = {
    callModel: options.callModel(),
    costOf: createCosts(settings.prices),
  }
  if (yaml === undefined)
    return {
      ...common,
      ...toPastPolicies(
        withModes(choose(settings.policies, order.policies), await options.store.policyModes()),
        { routes: settings.routes, isActing },
      ),
      against: order.against ?? (order.policies === undefined ? 'all' : 'own'),
    }
  if (order.policies !== undefined)
    throw new SluiceError('wrong-use', 'Say one of "yaml" and "policies"')
  if (yaml.length > MAX_YAML_CHARS)
    throw new SluiceError('wrong-use', `"yaml" takes up to ${MAX_YAML_CHARS} characters`)
  const isList = isPolicyList(yaml)
  const { settings: read } = await loadForeign(isList ? asConfig(yaml) : yaml, process.cwd())
  if (read.policies.length === 0)
    throw new SluiceError('wrong-use', 'There are no policies in "yaml"')
  return {
    ...common,
    ...toPastPolicies(read.policies, { routes: undefined, isActing }),
    against: order.against ?? (isList ? 'own' : 'all'),
  }
}

function choose(
  installed: Settings['policies'],
  names: readonly string[] | undefined,
): Settings['policies'] {
  if (installed.length === 0)
    throw new SluiceError('wrong-use', 'No policies are installed: say them with "yaml"')
  if (names === undefined) return installed
  const known = installed.map(({ name }) => name)
  const wrong = names.find((name) => !known.includes(name))
  if (wrong === undefined) return installed.filter(({ name }) => names.includes(name))
  const near = nearest(wrong, known)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  throw new SluiceError(
    'wrong-use',
    `There is no policy "${wrong.slice(0, 100)}": there are ${known.slice(0, 20).join(', ')}${hint}`,
  )
}
