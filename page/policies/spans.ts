/** Over which time figures are. Neighbours: the toolbar chooses, `data.ts` asks. */
const DAY_MS = 86_400_000

export const SPANS = [
  { id: '24h', label: '24 h', says: 'last 24 hours', ms: DAY_MS },
  { id: '7d', label: '7 d', says: 'last 7 days', ms: 7 * DAY_MS },
  { id: '30d', label: '30 d', says: 'last 30 days', ms: 30 * DAY_MS },
] as const
export type Span = (typeof SPANS)[number]

export const readSpan = (id: string | undefined): Span =>
  SPANS.find((one) => one.id === id) ?? SPANS[0]
