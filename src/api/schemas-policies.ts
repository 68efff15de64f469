/**
 * What the API says of policies that are written by it, for machines. Neighbours: `schemas.ts` has the rest,
 * `types-policies.ts` the types.
 */
import {
  counts,
  flag,
  list,
  maybe,
  object,
  oneOf,
  ref,
  text,
  time,
  whole,
  type JsonSchema,
} from './schema.ts'
import type {
  CheckAnswer,
  CheckedPolicy,
  CheckOrder,
  EditAnswer,
  EditOrder,
  EditView,
  FallenView,
  JudgedCount,
  NewPolicyOrder,
  PolicyMistake,
  PolicySourceAnswer,
  PolicyVersionsAnswer,
  PolicyVersionView,
  RollbackOrder,
} from './types-policies.ts'
import { BLOCK_TYPES } from './words.ts'

const MODE = oneOf(['acts', 'shadow'])
const ORDER = { yaml: text, mode: MODE, by: maybe(text), note: maybe(text) } as const

export const POLICY_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  CheckOrder: object<CheckOrder>({ yaml: text, name: maybe(text) }),
  PolicyMistake: object<PolicyMistake>({
    line: whole,
    column: whole,
    endColumn: maybe(whole),
    message: text,
    hint: maybe(text),
  }),
  Check: object<CheckAnswer>({
    mistakes: list(ref('PolicyMistake')),
    policies: list(
      object<CheckedPolicy>({
        name: text,
        use: text,
        version: text,
        holds: list(text),
        isShadow: flag,
        appliesTo: maybe(text),
      }),
    ),
  }),
  PolicyEdit: object<EditView>({ at: time, by: maybe(text), note: maybe(text), isNew: flag }),
  PolicySource: object<PolicySourceAnswer>({
    name: text,
    version: maybe(text),
    use: maybe(text),
    yaml: maybe(text),
    file: maybe(text),
    where: maybe(text),
    edit: maybe(ref('PolicyEdit')),
    editable: flag,
    why: maybe(text),
  }),
  NewPolicyOrder: object<NewPolicyOrder>(ORDER),
  EditOrder: object<EditOrder>({ ...ORDER, over: maybe(text) }),
  RollbackOrder: object<RollbackOrder>({ version: maybe(text), by: maybe(text) }),
  Edit: object<EditAnswer>({ policy: maybe(ref('Policy')) }),
  PolicyVersions: object<PolicyVersionsAnswer>({
    name: text,
    versions: list(
      object<PolicyVersionView>({
        version: text,
        from: oneOf(['config', 'api']),
        use: maybe(text),
        yaml: maybe(text),
        isShadow: flag,
        at: time,
        by: maybe(text),
        note: maybe(text),
        isHeld: flag,
        verdicts: counts,
      }),
    ),
  }),
  FallenEdit: object<FallenView>({
    policy: text,
    version: text,
    at: time,
    by: maybe(text),
    why: oneOf(['changed', 'unfit']),
  }),
  JudgedCount: object<JudgedCount>({
    policy: text,
    version: maybe(text),
    isShadow: flag,
    block: oneOf(BLOCK_TYPES),
    count: whole,
    acted: whole,
  }),
}
