/**
 * What a scan finds: where, what, and how much it weighs. Neighbours: the scanners make findings, `mend-text.ts` acts on
 * them. A finding has no content, so it can be kept and told.
 */

/** What kinds there are, and what each is, for people. */
export const KINDS = {
  override: 'tells to ignore other instructions',
  role: 'speaks as the system or gives a new role',
  addressed: 'speaks to the model',
  secrecy: 'tells to keep something from the user',
  markup: 'imitates the markup of a conversation',
  hidden: 'has characters that nobody sees',
  comment: 'has instructions where a reader does not see them',
  exfiltration: 'asks to send something away',
  encoded: 'has instructions in an encoding',
  secret: 'has a credential',
  pattern: 'matches a pattern of yours',
} as const

export type Kind = keyof typeof KINDS

export interface Finding {
  readonly kind: Kind
  /** What exactly, in a word or two. */
  readonly name: string
  /** In characters; the end is behind the last. */
  readonly start: number
  readonly end: number
  /** 1: often harmless. 2: seldom. 3: by itself enough. */
  readonly score: number
}

/** Each kind by its heaviest, and one more where there are several. Credentials are no instructions. */
export function scoreOf(findings: readonly Finding[]): number {
  const kinds = new Map<Kind, { max: number; count: number }>()
  for (const { kind, score } of findings) {
    if (kind === 'secret') continue
    const one = kinds.get(kind) ?? { max: 0, count: 0 }
    kinds.set(kind, { max: Math.max(one.max, score), count: one.count + 1 })
  }
  let sum = 0
  for (const { max, count } of kinds.values()) sum += max + (count > 1 ? 1 : 0)
  return sum
}
