/** How an upstream does, in words. Neighbours: `upstreams-tab.tsx`. Knows no component. */
import type { UpstreamView } from '../../src/api/types.ts'
import type { StatsBucket } from '../../src/store/query.ts'

interface CircuitWords {
  readonly label: string
  readonly tone: 'ok' | 'bad' | 'warn'
  readonly says: string
}

export const CIRCUITS: Readonly<Record<UpstreamView['circuit'], CircuitWords>> = {
  closed: { label: 'working', tone: 'ok', says: 'Circuit closed: requests go there' },
  open: {
    label: 'circuit open',
    tone: 'bad',
    says: 'It failed too often: requests go to the next upstream of their route, or are refused',
  },
  'half-open': {
    label: 'being tried',
    tone: 'warn',
    says: 'Circuit half open: one request is let through to see whether it works again',
  },
}

export interface UpstreamCount {
  readonly exchanges: number
  readonly errors: number
}

/** In all, by upstream. */
export function sumUp(buckets: readonly StatsBucket[]): ReadonlyMap<string, UpstreamCount> {
  const sums = new Map<string, UpstreamCount>()
  for (const { of = '', exchanges, errors } of buckets) {
    const before = sums.get(of) ?? { exchanges: 0, errors: 0 }
    sums.set(of, { exchanges: before.exchanges + exchanges, errors: before.errors + errors })
  }
  return sums
}
