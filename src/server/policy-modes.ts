/**
 * Policies as they hold now: edited (`policy-edits.ts`), and acting or in shadow, where somebody has said so since the
 * config was written. Neighbours: the store keeps both for all gateways, `policy-room.ts` asks which list holds, `sluice
 * policy promote` and the API say it. A mode holds for one version of a policy: a new one is what its config says.
 * Exchanges keep the list that they began with.
 */
import { holdsFor, modeKey, withModes } from '../config/policy-modes.ts'
import type { PolicySettings, Settings } from '../config/settings.ts'
import type { PolicyMode, RecordStore } from '../store/store.ts'
import type { Log } from '../telemetry/log.ts'
import { createPolicyEdits, type EditStore, type PolicyEdits } from './policy-edits.ts'

type ModeStore = Pick<RecordStore, 'policyModes' | 'setPolicyMode' | 'notePolicyVersions'> &
  EditStore

export interface PolicyModes {
  /** These are configured from now on: their versions are noted. Without settings around them nobody can edit them. */
  use(policies: readonly PolicySettings[], settings?: Settings): void
  /** The same policies, each as it is to act now; the same list while nothing was said of any. */
  apply(policies: readonly PolicySettings[]): readonly PolicySettings[]
  /** The same policies as they were edited, whatever was said of acting. */
  edited: PolicyEdits['apply']
  /** Edits that were the last word on a policy and do not hold here. */
  fallen: PolicyEdits['fallen']
  /** Says it to all gateways, and does it at once in this one. */
  edit: PolicyEdits['add']
  /** Says it to all gateways, and does it at once in this one. */
  set(mode: PolicyMode): Promise<void>
  /** There is a store, and it could never be asked: a policy that stands only there would be missing. */
  isUnread(): boolean
  /** Looks whether something was said. Before the first request, so that no policy acts less than it should. */
  refresh(): Promise<void>
  close(): void
}

export interface PolicyModesOptions {
  /** `undefined`: nothing is recorded, and there is nobody to ask. */
  store(): ModeStore | undefined
  readonly log: Log
  /** Milliseconds since 1970. */
  now(): number
  readonly everyMs?: number
}

const EVERY_MS = 1000
/** A store that does not answer does not keep a gateway from its start. */
const PATIENCE_MS = 5000

export function createPolicyModes(options: PolicyModesOptions): PolicyModes {
  const { log, everyMs = EVERY_MS } = options
  let modes: Modes = new Map()
  let lists = new WeakMap<readonly PolicySettings[], readonly PolicySettings[]>()
  const edits = createPolicyEdits({ store: options.store, log })
  let given: readonly PolicySettings[] = []
  const configured = (): readonly PolicySettings[] => edits.apply(given)
  const told = new Set<string>()
  let isAsking = false
  let hasFailed = false
  let isRead = false
  /** How often somebody has said something here: what was asked before that is out of date. */
  let turns = 0
  let timer: NodeJS.Timeout | undefined

  function take(read: readonly PolicyMode[]): void {
    const next = new Map(read.map((mode) => [modeKey(mode.policy, mode.version), mode]))
    const changed = configured().filter(
      (one) => wordOn(one, modes)?.mode !== wordOn(one, next)?.mode,
    )
    // Lists of other settings, or from before an edit, may be asked for again.
    if (!areSame(modes, next)) lists = new WeakMap()
    modes = next
    for (const one of changed) tell(one)
  }

  function tell(one: PolicySettings): void {
    const { name, version, installed } = one
    const mode = wordOn(one, modes)
    const isShadow = mode === undefined ? installed.isShadow : mode.mode === 'shadow'
    log.warn(isShadow ? 'A policy stays in shadow' : 'A policy acts', {
      policy: name,
      version,
      config: installed.isShadow ? 'shadow' : 'acts',
      ...(mode?.by === undefined ? {} : { by: mode.by }),
    })
  }

  /** Something was said of a policy that has changed since. */
  function tellWhatFell({ name, version, installed, edit }: PolicySettings): void {
    if (told.has(modeKey(name, version)) || modes.has(modeKey(name, version))) return
    if (edit !== undefined) return
    const last = [...modes.values()]
      .filter(({ policy }) => policy === name)
      .toSorted((one, other) => other.at - one.at)[0]
    const isSame = last === undefined || (last.mode === 'shadow') === installed.isShadow
    if (isSame) return
    told.add(modeKey(name, version))
    log.warn(
      'A policy has changed, so that what was said of it does not hold: as its config says',
      {
        policy: name,
        version,
        before: last.version,
        config: installed.isShadow ? 'shadow' : 'acts',
      },
    )
  }

  function failed(error: unknown): void {
    if (!hasFailed)
      log.warn(
        isRead
          ? 'The store cannot be asked whether policies act: they stay as they are'
          : 'The store cannot be asked for policies: until it can, nobody is served',
        { error: error instanceof Error ? error : new Error(String(error)) },
      )
    hasFailed = true
  }

  async function refresh(): Promise<void> {
    const store = options.store()
    if (store === undefined || isAsking) return
    isAsking = true
    const before = turns
    const asked = Promise.all([store.policyModes(), edits.refresh()]).then(([read]) => {
      hasFailed = false
      isRead = true
      if (before === turns) take(read)
      for (const one of configured()) tellWhatFell(one)
    }, failed)
    void asked.finally(() => {
      isAsking = false
    })
    await within(PATIENCE_MS, asked)
  }

  function note(policies: readonly PolicySettings[]): void {
    if (policies.length === 0) return
    options
      .store()
      ?.notePolicyVersions(
        policies.map(({ name, version, use, installed }) => ({
          policy: name,
          version,
          use,
          isShadow: installed.isShadow,
          firstSeenAt: options.now(),
        })),
      )
      .catch(failed)
  }

  return {
    use(policies, settings) {
      given = policies
      if (settings !== undefined) edits.use(settings)
      note(configured())
      for (const one of configured()) tellWhatFell(one)
      if (options.store() !== undefined)
        timer ??= setInterval(() => void refresh(), everyMs).unref()
    },
    apply(policies) {
      const edited = edits.apply(policies)
      if (modes.size === 0) return edited
      let list = lists.get(edited)
      if (list === undefined) lists.set(edited, (list = withModes(edited, [...modes.values()])))
      return list
    },
    edited: edits.apply,
    fallen: edits.fallen,
    isUnread: () => !isRead && options.store() !== undefined,
    async edit(edit, isNext) {
      const added = await edits.add(edit, isNext)
      if (added !== undefined) note(configured().filter(({ name }) => name === edit.policy))
      return added
    },
    async set(mode) {
      turns += 1
      await options.store()?.setPolicyMode(mode)
      turns += 1
      take([...[...modes.values()].filter((one) => !isOf(one, mode)), mode])
    },
    refresh,
    close() {
      clearInterval(timer)
    },
  }
}

type Modes = ReadonlyMap<string, PolicyMode>

/** What was said of a policy as it is now. */
function wordOn(one: PolicySettings, modes: Modes): PolicyMode | undefined {
  const said = modes.get(modeKey(one.name, one.version))
  return said !== undefined && holdsFor(one, said) ? said : undefined
}

/** Also by their times: the same word said later is said of an edit that came between. */
const areSame = (some: Modes, others: Modes): boolean =>
  some.size === others.size &&
  [...some].every(([key, { mode, at }]) => {
    const other = others.get(key)
    return other?.mode === mode && other.at === at
  })

const isOf = (one: PolicyMode, other: PolicyMode): boolean =>
  one.policy === other.policy && one.version === other.version

function within(ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    void work.finally(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
