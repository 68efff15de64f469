/**
 * Fields that several policies have: names of tools, patterns. Neighbours: `policy-*.ts` use them, `field.ts` has the
 * contract.
 */
import { toPattern } from '../stock/pattern.ts'
import { oneOrMany, type Placed } from './collections.ts'
import type { Section, Shape } from './section.ts'
import { text } from './text.ts'

export const toolNames = oneOrMany(text({ takes: 'the name of a tool', maxLength: 256 }), {
  min: 1,
  max: 200,
  takes: 'the name of a tool, or a list; * stands for any characters',
})

/** RE2. Whether case counts makes no difference to whether it can be read. */
export const pattern = text({
  takes: 'an RE2 pattern',
  maxLength: 2000,
  check(source) {
    const made = toPattern(source)
    return made.ok ? undefined : made.message
  },
})

export const toValues = <T>(list: readonly Placed<T>[] | undefined): readonly T[] | undefined =>
  list?.map(({ value }) => value)

/** Whether every key that is there has a value: what has none was not right, which is noted. */
export const isWhole = <S extends Shape>({ values, spots }: Section<S>): boolean =>
  Object.keys(spots).every((key) => values[key] !== undefined)

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The same without what is `undefined`: options that are there have a value. */
export const defined = <T extends object>(options: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Defined<T>
