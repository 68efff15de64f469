/**
 * Policies in words for people: how each stands, what it waits for, what it decided. Neighbours: the list, the detail and
 * the dialogs show them. Knows no component.
 */
import type { PolicySummaryAnswer, PolicyView } from '../../src/api/types.ts'
import { showName } from '../blocks/plain.ts'
import { plural, toAgo } from '../core/format.ts'

/** How it acts now: what was said of it since goes before its config. */
export const isInShadow = ({ mode, isShadow }: PolicyView): boolean =>
  mode === undefined ? isShadow : mode.mode === 'shadow'

/** Why it is as it is, for the pointer. */
export function toStateTitle(policy: PolicyView): string {
  const { mode, edit, isShadow } = policy
  const how = isInShadow(policy)
    ? 'It only watches: nothing waits for it, and what it would have done is recorded'
    : 'It decides on what passes'
  if (mode !== undefined && (mode.mode === 'shadow') !== isShadow)
    return `${how}. ${mode.mode === 'shadow' ? 'Put in shadow' : 'Promoted'} by ${who(mode.by)}, ${toAgo(mode.at)}`
  return edit === undefined ? `${how}, as its config says` : how
}

export const who = (name: string | undefined): string => showName(name ?? 'somebody')

/** The first of a digest says enough; what an author calls a version is shown whole. */
export const toVersion = (version: string | undefined): string =>
  version === undefined
    ? 'no version'
    : /^[0-9a-f]{12,}$/.test(version)
      ? version.slice(0, 8)
      : showName(version)

const BLOCKS: Readonly<Record<string, string>> = {
  'tool-call': 'tool call',
  text: 'text',
  thinking: 'thought',
  refusal: 'refusal',
  request: 'request',
}

const blockName = (block: string): string => BLOCKS[block] ?? showName(block)

export const toHolds = (holds: readonly string[]): string =>
  holds.length === 0 ? 'nothing' : holds.map((block) => `${blockName(block)}s`).join(', ')

export const toHoldsTitle = (holds: readonly string[]): string =>
  holds.length === 0
    ? 'Nothing waits for it: it works on requests, or on answers while they stream'
    : `Each waits until it has decided: ${toHolds(holds)}`

/** Whether something is recorded of it each time that it decides. A filter that acts leaves no verdict. */
export const isCounted = (policy: PolicyView): boolean =>
  policy.holds.length > 0 || isInShadow(policy)

export const NOT_COUNTED =
  'It changes requests, or answers while they stream, without a verdict: each exchange shows what came and what left'

/** What it did to one kind of block, acting or in shadow. */
export interface Figure {
  readonly isShadow: boolean
  readonly block: string
  /** How many it was shown, those that it let pass included; of requests that is not known. */
  readonly judged: number | undefined
  /** Without those that passed, the most frequent first. */
  readonly counts: readonly (readonly [type: string, count: number])[]
}

export function toFigures(
  { policies, judged }: PolicySummaryAnswer,
  policy: string,
  version?: string,
): readonly Figure[] {
  const isMeant = (one: {
    readonly policy: string
    readonly version?: string | undefined
  }): boolean => one.policy === policy && (version === undefined || one.version === version)
  const found = new Map<
    string,
    { isShadow: boolean; block: string; judged: number | undefined; counts: Map<string, number> }
  >()
  const of = (
    isShadow: boolean,
    block: string,
  ): { judged: number | undefined; counts: Map<string, number> } => {
    const key = `${isShadow} ${block}`
    const known = found.get(key) ?? {
      isShadow,
      block,
      judged: undefined,
      counts: new Map<string, number>(),
    }
    found.set(key, known)
    return known
  }
  for (const one of judged.filter(isMeant)) {
    const figure = of(one.isShadow, one.block)
    figure.judged = (figure.judged ?? 0) + one.count
  }
  for (const { isShadow, block, type, count } of policies.filter(isMeant)) {
    if (type === 'pass') continue
    const { counts } = of(isShadow, block)
    counts.set(type, (counts.get(type) ?? 0) + count)
  }
  return [...found.values()]
    .map((one) => ({ ...one, counts: [...one.counts].toSorted((a, b) => b[1] - a[1]) }))
    .toSorted((one, other) => Number(one.isShadow) - Number(other.isShadow))
}

const DONE: Readonly<Record<string, string>> = {
  deny: 'denied',
  halt: 'ended the answer at',
  replace: 'replaced',
  rewrite: 'rewrote',
  ask: 'asked about',
  change: 'changed',
  error: 'failed on',
}
const WOULD: Readonly<Record<string, string>> = { ...DONE, rewrite: 'rewritten' }

/** `denied 3, asked about 1 of 120 tool calls`; `would have denied 3 of 120 tool calls`. */
export function toFigureWords({ isShadow, block, judged, counts }: Figure): string {
  const things = (count: number): string => plural(count, blockName(block))
  if (counts.length === 0)
    return isShadow
      ? `would have let all of ${things(judged ?? 0)} pass`
      : `let all of ${things(judged ?? 0)} pass`
  const words = counts.map(([type, count], at) => {
    const word = (isShadow ? WOULD : DONE)[type] ?? showName(type)
    return `${word} ${judged === undefined && at === counts.length - 1 ? things(count) : count}`
  })
  const of = judged === undefined ? '' : ` of ${things(judged)}`
  return `${isShadow ? 'would have ' : ''}${words.join(', ')}${of}`
}

/** What the figure behind "of" counts. */
export const toFigureTitle = ({ isShadow, block, judged }: Figure): string =>
  judged === undefined
    ? 'Of requests only those are recorded that it changed or refused'
    : `${plural(judged, blockName(block))} ${isShadow ? 'were shown to it in shadow' : 'waited for it'} in this time, those that it let pass included`

/** Counts of one version: `2 deny, 14 pass`. */
export const toCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted((a, b) => b[1] - a[1])
    .map(([type, count]) => `${count} ${showName(type)}`)
    .join(', ')
