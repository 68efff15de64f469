/**
 * `use: loop-breaker` in `sluice.yaml`. Neighbours: `stock/loop-breaker.ts` is the policy, `stock.ts` has the list.
 */
import { loopBreaker } from '../stock/loop-breaker.ts'
import { refuse } from './field.ts'
import { whole } from './number.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { defined, isWhole, toolNames, toValues } from './policy-fields.ts'
import { section, type Shape } from './section.ts'
import { choice, flag } from './text.ts'

const within = {
  times: {
    says: 'So many same calls',
    field: whole({ min: 2, max: 100 }),
    isRequired: true,
  },
  calls: {
    says: 'within so many calls',
    field: whole({ min: 2, max: 200 }),
    isRequired: true,
  },
} satisfies Shape

/** One is not again. */
const times = whole({ min: 0, max: 100 })

const shape = {
  inRow: {
    says: 'So many same calls in a row are one too many; 0 switches it off (default 4)',
    field: times,
  },
  within: {
    says: 'So many same calls within some calls are one too many (default 8 within 24)',
    field: section(within),
  },
  pingPong: {
    says: 'So many rounds of two calls in turn are one too many; 0 switches it off (default 4)',
    field: times,
  },
  errors: {
    says: 'Behind so many same errors of a tool its next call is denied once; 0 switches it off (default 4)',
    field: times,
  },
  sameResult: {
    says: 'Whether only calls count that brought back the same (default true)',
    field: flag,
  },
  ignore: {
    says: 'Tools that may be called as often as they like; * stands for any characters',
    field: toolNames,
  },
  again: {
    says: 'What happens when it goes on after it was denied (default halt)',
    field: choice(['halt', 'deny'], 'answer'),
  },
} satisfies Shape

export const loopBreakerEntry: PolicyEntry<typeof shape> = {
  says: 'Stops an agent that calls the same again and again, or fails again and again',
  shape,
  make(own, reading) {
    const { values, spots } = own
    const span = values.within?.values
    for (const key of ['inRow', 'pingPong', 'errors'] as const) {
      const spot = spots[key]
      if (values[key] === 1 && spot !== undefined)
        refuse(spot, reading, 'the first time is not again: it takes 0 for off, or 2 and more')
    }
    if (spots.within !== undefined && (span?.times ?? 0) > (span?.calls ?? 0))
      refuse(spots.within, reading, 'there cannot be more same calls than calls: raise "calls"')
    if (reading.notes.hasMistakes || !isWhole(own)) return undefined
    const { inRow, pingPong, errors, sameResult, ignore, again } = values
    return loopBreaker(
      defined({
        inRow,
        pingPong,
        errors,
        sameResult,
        again,
        ignore: toValues(ignore),
        within:
          span?.times === undefined || span.calls === undefined
            ? undefined
            : { times: span.times, calls: span.calls },
      }),
    )
  },
}
