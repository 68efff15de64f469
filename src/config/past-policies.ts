/**
 * Policies to try on the past, and which of them apply to an exchange that is over. Neighbours: `select-policies.ts` says
 * so for one under way; the command line and the API load policies, `replay/` runs them.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { findRoute, type Route } from '../exchange/route.ts'
import type { Installed } from '../policy/policy.ts'
import type { ExchangeRow } from '../store/record.ts'
import { draftConfig, type Config, type LoadOptions } from './load.ts'
import { selectPolicies } from './select-policies.ts'
import type { PolicySettings } from './settings.ts'

export interface PastPolicies {
  readonly policies: readonly Installed[]
  select(row: PastSubject): readonly Installed[]
}

type PastSubject = Pick<ExchangeRow, 'route' | 'wire' | 'model' | 'key'>

export interface PastPoliciesOptions {
  /** Of the same config: the one that would take an exchange now says what applies. Without any, the one of then does. */
  readonly routes: readonly Route[] | undefined
  /** Also those in shadow act. */
  readonly isActing: boolean
}

/** Patterns of routes are a config's: few. */
const MAX_ROUTES = 1000

export function toPastPolicies(
  given: readonly PolicySettings[],
  { routes, isActing }: PastPoliciesOptions,
): PastPolicies {
  const policies = isActing ? given.map(acting) : given
  const then = new Map<string, Route>()

  function routeOf({ route, wire, model }: PastSubject): Route | undefined {
    if (routes !== undefined) return findRoute(routes, wire, model ?? '')
    if (route === undefined) return undefined
    let found = then.get(route)
    if (found === undefined) {
      found = { model: route, wire: undefined, to: [], as: {} }
      if (then.size < MAX_ROUTES) then.set(route, found)
    }
    return found
  }

  return {
    // The same policy may stand under several routes.
    policies: [...new Set(policies.map(({ installed }) => installed))],
    select: (row) =>
      selectPolicies({ policies }, { route: routeOf(row), key: row.key, model: row.model ?? '' }),
  }
}

const acting = (one: PolicySettings): PolicySettings =>
  one.installed.isShadow ? { ...one, installed: { ...one.installed, isShadow: false } } : one

/** Whether a text is a list of policies, and no config that has such a list. */
export const isPolicyList = (text: string): boolean =>
  text.split('\n', MAX_HEAD_LINES).find((line) => /^[^#\s]/.test(line) && line !== '---')?.[0] ===
  '-'

const MAX_HEAD_LINES = 1000

/** A list of policies as a config that has nothing else. */
export const asConfig = (list: string): string => `policies:\n${list.replace(/^---\n/, '')}`

/**
 * The config in a text that came from elsewhere: it may name no file and no variable, so that it can neither run nor
 * show anything of this machine.
 */
export async function loadForeign(text: string, cwd: string): Promise<Config> {
  const options: LoadOptions = { file: 'policies.yaml', text, env: {}, cwd }
  const draft = draftConfig(options)
  if (draft.files.length > 1) throw namesFiles()
  return await draft.load()
}

const namesFiles = (): SluiceError =>
  new SluiceError(
    'wrong-use',
    'Only stock policies can be tried this way: for a policy file, use "sluice backtest" on the machine where it is',
  )
