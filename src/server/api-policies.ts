/**
 * `/api/policies`: what is installed where, in the order in which it is asked, without what it is made of; and whether it
 * acts. Neighbours: `api.ts`; `config/policies.ts` has put them there, the store keeps what was said of them since.
 */
import type { PoliciesAnswer, PolicyView } from '../api/types.ts'
import type { FallenView } from '../api/types-policies.ts'
import type { JsonObject } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import type { FallenEdit } from '../config/policy-edits.ts'
import { whereItApplies } from '../config/select-policies.ts'
import type { PolicySettings } from '../config/settings.ts'
import type { Installed } from '../policy/policy.ts'
import type { PolicyMode } from '../store/store.ts'
import { fail, say, type Reply } from './api-answer.ts'
import type { ApiOptions } from './api-handler.ts'
import { toEditView } from './api-policy-source.ts'
import type { AskStore } from './api-store.ts'

export function toPolicyViews(
  own: readonly Installed[],
  configured: readonly PolicySettings[],
): readonly PolicyView[] {
  return [...own.map(toView), ...configured.map(toConfigured)]
}

const toConfigured = (one: PolicySettings): PolicyView => ({
  ...toView(one.installed),
  name: one.name,
  version: one.version,
  use: one.use,
  models: one.models,
  // One that stands under a key or a route is for that alone.
  keys: one.key === undefined ? one.keys : [one.key],
  routes: one.route === undefined ? one.routes : [one.route.model],
  appliesTo: whereItApplies(one),
  edit: toEditView(one),
})

const toView = ({ policy, onError, timeoutMs, isShadow }: Installed): PolicyView => ({
  name: policy.name,
  version: policy.version,
  holds: holdsOf(policy),
  onError,
  timeoutMs,
  isShadow,
})

export const holdsOf = ({ judge, holds }: Installed['policy']): readonly string[] =>
  judge === undefined ? [] : (holds ?? ['tool-call'])

/** What is installed, and what the store knows of it. Without a store it is the first alone. */
export async function answerPolicies({
  policies,
  halt,
  records,
  policyDesk,
}: ApiOptions): Promise<Reply> {
  const store = records?.()?.store
  const [modes, versions] = await Promise.all([
    store?.policyModes().catch(() => []),
    store?.policyVersions().catch(() => undefined),
  ])
  const answer: PoliciesAnswer = {
    policies: policies().map((one) => ({
      ...one,
      mode: modes?.find((mode) => isSaidOf(one, mode)),
    })),
    halt: halt.state(),
    versions,
    fallen: (policyDesk?.fallen() ?? []).map(toFallen),
  }
  return say(answer)
}

/** What was said before an edit is not said of the edit. */
const isSaidOf = ({ name, version, edit }: PolicyView, mode: PolicyMode): boolean =>
  mode.policy === name && mode.version === version && (edit === undefined || mode.at >= edit.at)

const toFallen = ({ edit, why }: FallenEdit): FallenView => ({
  policy: edit.policy,
  version: edit.version,
  at: edit.at,
  by: edit.by,
  why,
})

const MAX_NAME = 200

export async function turnPolicy(
  { policies, setPolicyMode, log }: ApiOptions,
  askStore: AskStore,
  { name, order }: { readonly name: string; readonly order: JsonObject },
): Promise<Reply> {
  const { mode, by = 'admin' } = order
  if (mode !== 'acts' && mode !== 'shadow') return fail(400, 'Say "mode": "acts" or "shadow"')
  if (typeof by !== 'string' || by.length > MAX_NAME)
    return fail(400, `"by" takes up to ${MAX_NAME} characters`)
  const installed = policies()
  const [found] = installed.filter((one) => one.name === name)
  if (found === undefined) return unknownPolicy(name, installed)
  const { version } = found
  if (version === undefined)
    return fail(400, 'This policy is of the program itself and has no version: turn it there')
  return await askStore(async ({ store }) => {
    const turned: PolicyMode = { policy: name, version, mode, by, at: Date.now() }
    await (setPolicyMode ?? store.setPolicyMode)(turned)
    log.warn('A policy was turned', { policy: name, mode, by })
    return say({ mode: turned })
  })
}

export function unknownPolicy(name: string, installed: readonly PolicyView[]): Reply {
  const names = installed.map((one) => one.name)
  const near = nearest(name, names)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  const list = names.length === 0 ? 'none is' : `there are ${names.slice(0, 20).join(', ')}`
  return fail(404, `No policy of that name is installed: ${list}${hint}`)
}
