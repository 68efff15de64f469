/**
 * `use: observe` in `sluice.yaml`: one entry, several policies. Neighbours: `stock/observe.ts` is the preset,
 * `policies.ts` installs what it gives, `stock.ts` has the list.
 */
import { observe, OBSERVED } from '../stock/observe.ts'
import { oneOrMany } from './collections.ts'
import { refuse } from './field.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { defined, isWhole, toValues } from './policy-fields.ts'
import type { Shape } from './section.ts'
import { choice } from './text.ts'

const names = oneOrMany(choice(OBSERVED, 'policy that can be observed'), {
  min: 1,
  max: OBSERVED.length,
  takes: 'the name of a policy, or a list',
})

const shape = {
  only: { says: `Only these (default: ${OBSERVED.join(', ')})`, field: names },
  except: { says: 'All but these', field: names },
} satisfies Shape

export const observeEntry: PolicyEntry<typeof shape> = {
  says: 'Watches with every ready-made policy in shadow: nothing is changed, and what each would have done is recorded',
  shape,
  make: () => undefined,
  makeShadows(own, reading) {
    const { only, except } = own.values
    const left = observe(defined({ only: toValues(only), except: toValues(except) }))
    const spot = own.spots.except ?? own.spots.only
    if (left.length === 0 && spot !== undefined)
      refuse(spot, reading, 'nothing is left to observe: name fewer here, or remove the policy')
    if (reading.notes.hasMistakes || !isWhole(own)) return undefined
    return left.map(({ policy }) => policy)
  },
}
