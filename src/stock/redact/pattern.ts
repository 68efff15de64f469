/**
 * What is looked for: a pattern in RE2's syntax, its name, and how far it may reach. Neighbours: `kinds.ts` has those
 * that come along, `automaton.ts` looks for them.
 */
import { SluiceError } from '../../base/sluice-error.ts'
import { toPattern } from '../pattern.ts'
import { toProgram, type Program } from './program.ts'
import { reachOf } from './reach.ts'

export interface Pattern {
  /** What it finds, as it stands in the mark: `github-token`. */
  kindOf(value: string): string
  readonly program: Program
  /** The most UTF-16 units that wait until it is known whether they match. */
  readonly hold: number
  /** How many characters of a match stand behind the secret. */
  readonly tail: number
  /** A shorter find is none. */
  readonly min: number
  /**
   * Whether it is what it seems. `before`: up to `LOOK_BACK` characters that stand before it. Asked again for every
   * longer match from the same place. The pattern must tell its start by its place (no two starts may meet), since
   * only the earlier one is asked for.
   */
  readonly check: ((value: string, before: string) => boolean) | undefined
}

export interface PatternSpec {
  readonly kind: string
  /** Where one pattern finds several: those that begin so are of another kind. */
  readonly kinds?: readonly (readonly [beginning: string, kind: string])[]
  readonly pattern: string
  /** How many characters the loops in it may take, where only a later one says whether they match. Default 256. */
  readonly max?: number | undefined
  /** A shorter find is none. */
  readonly min?: number | undefined
  readonly check?: Pattern['check']
  /** Whether it takes almost anything, and so could take a mark of ours for a secret. */
  readonly isWide?: boolean
}

/** How much of the text before it a check sees. */
export const LOOK_BACK = 160

export const DEFAULT_MAX = 256
export const MAX_HOLD = 8192

export type PatternOutcome =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly message: string }

/** The pattern ready to run, or a sentence that says what to do about it. */
export function readPattern(spec: PatternSpec): PatternOutcome {
  const read = toPattern(spec.pattern)
  if (!read.ok) return read
  const program = toProgram(read.pattern)
  const { span, hasLoop, tail } = reachOf(program)
  const most = span + (hasLoop ? (spec.max ?? DEFAULT_MAX) : 0)
  const hold = takesPairs(program) ? most * 2 : most
  if (hold > MAX_HOLD)
    return refuse(
      `it may hold back ${hold} characters, and ${MAX_HOLD} is the most: repeat fewer times`,
    )
  if (tail === undefined)
    return refuse(
      'what follows the group "secret" must always be as long: write it without *, +, ? and |',
    )
  const { kind, kinds = [], min = 1, check } = spec
  const kindOf = (value: string): string =>
    kinds.find(([beginning]) => value.startsWith(beginning))?.[1] ?? kind
  return { ok: true, pattern: { kindOf, program, hold, tail, min, check } }
}

/** Whether it takes characters that are two UTF-16 units: places are counted in units. */
const takesPairs = ({ nodes }: Program): boolean =>
  nodes.some((node) => node.type === 'take' && node.edges.some((edge) => edge > 0x10000))

/** For patterns of our own, and for those that were checked before. */
export function toReady(spec: PatternSpec): Pattern {
  const read = readPattern(spec)
  if (!read.ok)
    throw new SluiceError('wrong-use', `Cannot use the pattern "${spec.kind}": ${read.message}`)
  return read.pattern
}

const refuse = (message: string): PatternOutcome => ({ ok: false, message })
