/** Settings → rows of a list, by section. Neighbours: `config-tab.tsx` shows them. Knows no component. */
import type { ConfigValue } from '../../src/api/types.ts'

export type ConfigRow =
  | { readonly type: 'section'; readonly name: string; readonly count: number }
  | { readonly type: 'value'; readonly value: ConfigValue }

export interface ConfigFilter {
  readonly text: string
  /** Only what somebody has said. */
  readonly isChanged: boolean
}

export function toRows(
  values: readonly ConfigValue[],
  { text, isChanged }: ConfigFilter,
): readonly ConfigRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = values.filter((value) => {
    if (isChanged && value.from === 'default') return false
    const all = `${value.path} ${toValueText(value)} ${toOrigin(value)}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
  return [...groupBy(found, toSection)].flatMap(([name, own]): ConfigRow[] => [
    { type: 'section', name, count: own.length },
    // What is said of one upstream or one policy stands together.
    ...[...groupBy(own, toThing).values()]
      .flat()
      .map((value) => ({ type: 'value', value }) as const),
  ])
}

/** Values without a section of their own stand first, as the rest of the file's top. */
const toSection = ({ path }: ConfigValue): string => /^(\w+)[.[]/.exec(path)?.[1] ?? GENERAL
const toThing = ({ path }: ConfigValue): string => /^\w+\.?[^.]+/.exec(path)?.[0] ?? path
const GENERAL = 'general'

/** In the order in which they come. */
function groupBy<T>(items: readonly T[], toName: (item: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(toName(item))
    if (group === undefined) groups.set(toName(item), [item])
    else group.push(item)
  }
  return groups
}

export function toValueText({ value, isSecret, from, variable }: ConfigValue): string {
  if (isSecret === true)
    return variable === undefined ? toSecretText(from) : `set, from ${variable}`
  if (value === undefined || value === null) return '–'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  return String(value)
}

const toSecretText = (from: ConfigValue['from']): string =>
  from === 'default' ? 'made at each start' : 'set, not shown'

const FROM: Readonly<Record<ConfigValue['from'], string>> = {
  file: 'file',
  default: 'default',
  env: 'variable',
  flag: 'command line',
  program: 'program',
}

/** Where it comes from. */
export function toOrigin({ from, where, variable }: ConfigValue): string {
  const first = where ?? FROM[from]
  return variable === undefined ? first : `${first} by ${variable}`
}
