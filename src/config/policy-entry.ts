/**
 * How a policy that comes along is said in `sluice.yaml`: its keys, and what is made of them. Neighbours: each
 * `policy-*.ts` has one, `policies.ts` puts them together. The keys that all have are not here.
 */
import type { Policy } from '../policy/policy.ts'
import type { Reading } from './field.ts'
import type { Section, Shape } from './section.ts'

export interface PolicyEntry<S extends Shape = Shape> {
  /** What it does, in a sentence. */
  readonly says: string
  readonly shape: S
  /** How long it may take where its config says nothing, if not the time of all. */
  readonly timeoutMs?: number
  /** The policy; `undefined` when something is not right, which is noted at its place. */
  make(section: Section<S>, reading: Reading): Policy | undefined
  /** Where one entry stands for several policies, which only watch: these, and `make` is not asked. */
  makeShadows?(section: Section<S>, reading: Reading): readonly Policy[] | undefined
}
