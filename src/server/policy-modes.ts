/**
 * Whether policies act or stay in shadow, where somebody has said so since the config was written. Neighbours: the store
 * keeps it for all gateways, `policy-room.ts` asks which list holds, `sluice policy promote` and the API say it. It holds
 * for one version of a policy: a new one is what its config says. Exchanges keep the list that they began with.
 */
import { modeKey, withModes } from '../config/policy-modes.ts'
import type { PolicySettings } from '../config/settings.ts'
import type { PolicyMode, RecordStore } from '../store/store.ts'
import type { Log } from '../telemetry/log.ts'

type ModeStore = Pick<RecordStore, 'policyModes' | 'setPolicyMode' | 'notePolicyVersions'>

export interface PolicyModes {
  /** These are configured from now on: their versions are noted. */
  use(policies: readonly PolicySettings[]): void
  /** The same policies, each as it is to act now; the same list while nothing was said of any. */
  apply(policies: readonly PolicySettings[]): readonly PolicySettings[]
  /** Says it to all gateways, and does it at once in this one. */
  set(mode: PolicyMode): Promise<void>
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
/** A store that does not answer must not keep a gateway from its work. */
const PATIENCE_MS = 5000

export function createPolicyModes(options: PolicyModesOptions): PolicyModes {
  const { log, everyMs = EVERY_MS } = options
  let modes: ReadonlyMap<string, PolicyMode> = new Map()
  let lists = new WeakMap<readonly PolicySettings[], readonly PolicySettings[]>()
  let configured: readonly PolicySettings[] = []
  const told = new Set<string>()
  let isAsking = false
  let hasFailed = false
  /** How often somebody has said something here: what was asked before that is out of date. */
  let turns = 0
  let timer: NodeJS.Timeout | undefined

  function take(read: readonly PolicyMode[]): void {
    const next = new Map(read.map((mode) => [modeKey(mode.policy, mode.version), mode]))
    const changed = configured.filter(
      ({ name, version }) =>
        modes.get(modeKey(name, version))?.mode !== next.get(modeKey(name, version))?.mode,
    )
    modes = next
    if (changed.length === 0) return
    lists = new WeakMap()
    for (const one of changed) tell(one)
  }

  function tell({ name, version, installed }: PolicySettings): void {
    const mode = modes.get(modeKey(name, version))
    const isShadow = mode === undefined ? installed.isShadow : mode.mode === 'shadow'
    log.warn(isShadow ? 'A policy stays in shadow' : 'A policy acts', {
      policy: name,
      version,
      config: installed.isShadow ? 'shadow' : 'acts',
      ...(mode?.by === undefined ? {} : { by: mode.by }),
    })
  }

  /** Something was said of a policy that has changed since. */
  function tellWhatFell({ name, version, installed }: PolicySettings): void {
    if (told.has(modeKey(name, version)) || modes.has(modeKey(name, version))) return
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
      log.warn('The store cannot be asked whether policies act: they stay as they are', {
        error: error instanceof Error ? error : new Error(String(error)),
      })
    hasFailed = true
  }

  async function refresh(): Promise<void> {
    const store = options.store()
    if (store === undefined || isAsking) return
    isAsking = true
    const before = turns
    const asked = store.policyModes().then((read) => {
      hasFailed = false
      if (before === turns) take(read)
      for (const one of configured) tellWhatFell(one)
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
    use(policies) {
      configured = policies
      note(policies)
      for (const one of policies) tellWhatFell(one)
      if (options.store() !== undefined)
        timer ??= setInterval(() => void refresh(), everyMs).unref()
    },
    apply(policies) {
      if (modes.size === 0) return policies
      let list = lists.get(policies)
      if (list === undefined) lists.set(policies, (list = withModes(policies, [...modes.values()])))
      return list
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
