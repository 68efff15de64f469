/**
 * The kill switch: while it is on, no tool call leaves. Neighbours: the engine asks it before every release, the
 * API and `sluice halt` turn it; with several processes `branch.ts` keeps theirs alike. Knows no policy.
 */
import { createListeners } from './listeners.ts'

export interface HaltState {
  readonly halted: boolean
  readonly by?: string | undefined
  readonly reason?: string | undefined
  /** Milliseconds since 1970; missing while nobody has touched it. */
  readonly at?: number | undefined
}

export interface HaltSwitch {
  isOn(): boolean
  state(): HaltState
  set(halted: boolean, by?: string, reason?: string): HaltState
  /** Takes over what another process says. */
  follow(state: HaltState): void
  /** Gives back how to stop listening. */
  onChange(listener: (state: HaltState) => void): () => void
}

export function createHaltSwitch({ now = Date.now }: { now?: () => number } = {}): HaltSwitch {
  let state: HaltState = { halted: false }
  const listeners = createListeners<HaltState>()

  function change(next: HaltState): void {
    state = next
    listeners.tell(next)
  }

  return {
    isOn: () => state.halted,
    state: () => state,
    set(halted, by, reason) {
      // Always after the last time, whatever the clock says: others go by it.
      change({ halted, by, reason, at: Math.max(now(), (state.at ?? 0) + 1) })
      return state
    },
    follow: change,
    onChange: listeners.add,
  }
}
