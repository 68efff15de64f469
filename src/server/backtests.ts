/**
 * Backtests of a gateway: what somebody orders by its API → policies, and where their judges ask. Neighbours:
 * `replay/backtest-jobs.ts` runs them, the API starts and shows them. Policies come as YAML with stock policies, or by
 * the names of those that are installed: nothing that comes by the API is run as code.
 */
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { asConfig, isPolicyList, loadForeign, toPastPolicies } from '../config/past-policies.ts'
import { readEdit } from '../config/policy-edits.ts'
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
import { toSentence } from './api-policy-check.ts'

export interface BacktestsOptions {
  settings(): Settings
  /** The policies of the settings as they were edited since. */
  policies?(): Settings['policies']
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
  const installed = options.policies?.() ?? settings.policies
  const isActing = order.isActing === true
  const { yaml } = order
  const common = {
    callModel: options.callModel(),
    costOf: createCosts(settings.prices),
  }
  const modes = yaml === undefined ? await options.store.policyModes() : []
  if (order.edit !== undefined) {
    if (yaml !== undefined || order.policies !== undefined)
      throw new SluiceError('wrong-use', 'Say one of "edit", "yaml" and "policies"')
    const now = withModes(installed, modes)
    return { ...common, ...toEdited(now, order.edit, settings), against: 'all' }
  }
  if (yaml === undefined)
    return {
      ...common,
      ...toPastPolicies(withModes(choose(installed, order.policies), modes), {
        routes: settings.routes,
        isActing,
      }),
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

/** What is installed, with one entry in another place or behind all, against what is installed. */
function toEdited(
  now: Settings['policies'],
  { name, yaml }: NonNullable<BacktestOrder['edit']>,
  settings: Settings,
): Pick<LoadedBacktest, 'policies' | 'select' | 'baseline'> {
  if (name !== undefined) choose(now, [name])
  const read = readEdit(yaml, name, settings)
  if (read.type === 'wrong') throw new SluiceError('wrong-use', toSentence(yaml, read.mistakes))
  const { policy } = read
  const acting = { ...policy, installed: { ...policy.installed, isShadow: false } }
  const list =
    name === undefined
      ? [...now, acting]
      : now.map((one) => (one.name === name ? { ...acting, route: one.route, key: one.key } : one))
  const { routes } = settings
  const before = toPastPolicies(now, { routes, isActing: false })
  const after = toPastPolicies(list, { routes, isActing: false })
  return {
    // All of both: what is looked at must be enough for either.
    policies: [...new Set([...after.policies, ...before.policies])],
    select: after.select,
    baseline: before.select,
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
