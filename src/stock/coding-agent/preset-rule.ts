/**
 * One rule of the preset: what it looks for, in CEL, and what it comes to at each level; and a few words to put long
 * expressions together from short ones. Neighbours: the tables beside it are lists of these, `../coding-agent.ts` makes
 * a policy of them.
 */

/** `careful` asks where a person may well want it; `strict` denies there. */
export const LEVELS = ['careful', 'strict'] as const
export type Level = (typeof LEVELS)[number]

export type PresetAction = 'deny' | 'ask' | 'pass'

export interface PresetRule {
  readonly name: string
  readonly careful: PresetAction
  readonly strict: PresetAction
  readonly when: string
  readonly reason: string
  readonly instead?: string
}

/** One of these holds. */
export const any = (...parts: readonly string[]): string => parts.map(group).join(' || ')

/** All of these hold. */
export const all = (...parts: readonly string[]): string => parts.map(group).join(' && ')

const group = (part: string): string => (/ (\|\||&&) /.test(part) ? `(${part})` : part)

export const not = (part: string): string => `!(${part})`

/** Some command `c` is so. */
export const command = (condition: string): string => `shell.commands.exists(c, ${condition})`

/** Some file `f` of these is so: `read`, `written`, `deleted`. */
export const file = (use: 'read' | 'written' | 'deleted', condition: string): string =>
  `files.${use}.exists(f, ${condition})`

/** Some pipe, as the names of its commands with spaces between, is so: `curl sh`. */
export const pipe = (pattern: string): string =>
  `shell.pipes.exists(p, ${re('p.join(" ")', pattern)})`

/** The command is one of these. */
export const named = (names: string): string => {
  const [first, ...others] = words(names)
  return others.length === 0 ? `c.name == ${quote(first)}` : `c.name in ${listed(names)}`
}

/** One of its words is one of these. */
export const has = (names: string): string => {
  const [first, ...others] = words(names)
  return others.length === 0
    ? `${quote(first)} in c.args`
    : `c.args.exists(a, a in ${listed(names)})`
}

/** One of its flags is one of these; `-rf` counts as `-r` and as `-f`. */
export const flagged = (names: string): string => {
  const [first, ...others] = words(names)
  return others.length === 0
    ? `${quote(first)} in c.flags`
    : `c.flags.exists(f, f in ${listed(names)})`
}

/** One of its words matches. */
export const arg = (pattern: string): string => `c.args.exists(a, ${re('a', pattern)})`

export const re = (text: string, pattern: string): string => `${text}.re(${quote(pattern)})`

export const glob = (path: string, pattern: string): string => `${path}.glob(${quote(pattern)})`

const words = (names: string): readonly string[] => names.split(' ').filter((name) => name !== '')

const listed = (names: string): string => `[${words(names).map(quote).join(', ')}]`

const quote = (text: string | undefined): string => JSON.stringify(text ?? '')
