/**
 * Policies that were edited since the config was written, followed in the store. Neighbours: `config/policy-edits.ts`
 * puts them in their place, `policy-modes.ts` asks for the list and looks here each second, the API writes. A list is made
 * once and stays the same while nothing changes; exchanges keep the one that they began with.
 */
import {
  makeEdited,
  withEdits,
  type EditedPolicies,
  type FallenEdit,
  type MakeEdited,
} from '../config/policy-edits.ts'
import type { PolicySettings, Settings } from '../config/settings.ts'
import type { NewPolicyEdit, PolicyEdit, RecordStore } from '../store/store.ts'
import type { Log } from '../telemetry/log.ts'

export type EditStore = Pick<RecordStore, 'policyEditMark' | 'policyEdits' | 'addPolicyEdit'>

export interface PolicyEdits {
  /** These settings are in force from now on. */
  use(settings: Settings): void
  /** The policies of some settings, edited; the same list where no edit holds. */
  apply(policies: readonly PolicySettings[]): readonly PolicySettings[]
  /** Those that were the last word and do not hold here. */
  fallen(): readonly FallenEdit[]
  /**
   * Says it to all gateways, and does it at once in this one. `isNext`: only if nobody has said anything of this policy
   * that is not known here; `undefined` where somebody has, and then it is known.
   */
  add(edit: NewPolicyEdit, isNext?: boolean): Promise<PolicyEdit | undefined>
  /** Rejects where the store cannot be asked. */
  refresh(): Promise<void>
}

export interface PolicyEditsOptions {
  store(): EditStore | undefined
  readonly log: Log
}

/** What was told is forgotten then, and may be told again. */
const MAX_TOLD = 1000

export function createPolicyEdits({ store, log }: PolicyEditsOptions): PolicyEdits {
  let edits: readonly PolicyEdit[] = []
  let mark = ''
  /** How often something was written here: what was asked before that is out of date. */
  let turns = 0
  let current: Settings | undefined
  const settingsOf = new WeakMap<readonly PolicySettings[], Settings>()
  let lists = new WeakMap<readonly PolicySettings[], EditedPolicies>()
  const made = createMade()
  const told = new Set<string>()
  /** The names of those that are edited. */
  let held: ReadonlySet<string> = new Set()

  function edited(policies: readonly PolicySettings[]): EditedPolicies {
    const settings = settingsOf.get(policies)
    if (settings === undefined || edits.length === 0) return { policies, fallen: [] }
    let list = lists.get(policies)
    if (list === undefined) lists.set(policies, (list = withEdits(settings, edits, made)))
    return list
  }

  function take(read: readonly PolicyEdit[]): void {
    edits = read
    lists = new WeakMap()
    tellAll()
  }

  async function refresh(): Promise<void> {
    const found = store()
    if (found === undefined) return
    const before = turns
    const now = await found.policyEditMark()
    if (now === mark) return
    const read = await found.policyEdits()
    if (before !== turns) return
    mark = now
    take(read)
  }

  function tellAll(): void {
    if (current === undefined) return
    const { policies, fallen } = edited(current.policies)
    for (const { name, version, edit, installed } of policies)
      if (edit !== undefined)
        tell(`${name}\n${version}\n${edit.at}`, 'A policy is as it was edited', {
          policy: name,
          version,
          mode: installed.isShadow ? 'shadow' : 'acts',
          ...(edit.by === undefined ? {} : { by: edit.by }),
        })
    for (const { edit, why } of fallen)
      tell(`${edit.seq}\n${why}`, FELL[why], { policy: edit.policy, version: edit.version })
    const now = new Set(policies.flatMap(({ name, edit }) => (edit === undefined ? [] : [name])))
    const fell = new Set(fallen.map(({ edit }) => edit.policy))
    for (const policy of held)
      if (!now.has(policy) && !fell.has(policy))
        log.warn('A policy is again as its config says: its edit was rolled back', { policy })
    held = now
  }

  function tell(key: string, message: string, fields: Readonly<Record<string, string>>): void {
    if (told.has(key)) return
    if (told.size >= MAX_TOLD) told.clear()
    told.add(key)
    log.warn(message, fields)
  }

  return {
    use(settings) {
      current = settings
      settingsOf.set(settings.policies, settings)
      // The same list may come with other keys and routes.
      lists.delete(settings.policies)
      tellAll()
    },
    apply: (policies) => edited(policies).policies,
    fallen: () => (current === undefined ? [] : edited(current.policies).fallen),
    async add(edit, isNext = false) {
      turns += 1
      const found = store()
      if (found === undefined) throw new Error('There is no store')
      const last = edits.find((one) => isSamePlace(one, edit))?.seq ?? 0
      const added = await found.addPolicyEdit(edit, isNext ? last : undefined)
      turns += 1
      mark = ''
      if (added === undefined) await refresh()
      else take([...edits.filter((one) => !isSamePlace(one, added)), added])
      return added
    },
    refresh,
  }
}

const FELL: Readonly<Record<FallenEdit['why'], string>> = {
  changed:
    'A policy has changed in its config, so that its edit does not hold any more: as its config says',
  unfit:
    'The edit of a policy cannot be read by this program, so that it does not hold: as its config says',
}

const isSamePlace = (one: NewPolicyEdit, other: NewPolicyEdit): boolean =>
  one.policy === other.policy && one.base === other.base

/** Each is made once for some settings: it may keep what it has learned, and rules take a moment to compile. */
function createMade(): MakeEdited {
  const bySettings = new WeakMap<Settings, Map<number, PolicySettings | undefined>>()
  return (edit, settings) => {
    const known = bySettings.get(settings) ?? new Map<number, PolicySettings | undefined>()
    bySettings.set(settings, known)
    if (!known.has(edit.seq)) known.set(edit.seq, makeEdited(edit, settings))
    return known.get(edit.seq)
  }
}
