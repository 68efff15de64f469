/**
 * `GET /api/policies/{name}/source`: the entry of a policy as it is written, and whether it can be written anew.
 * Neighbours: `api-policy-edits.ts` has let them in; `config/policy-source.ts` has cut it out of its file.
 */
import type { EditView, PolicySourceAnswer } from '../api/types-policies.ts'
import type { PolicySettings } from '../config/settings.ts'
import { RECORDS_OFF } from './api-store.ts'
import type { PolicyDesk } from './policy-desk.ts'

/** `undefined`: there is none of that name. */
export function toSource(
  desk: PolicyDesk,
  name: string,
  hasStore: boolean,
): PolicySourceAnswer | undefined {
  const held = desk.policies().find((one) => one.name === name)
  if (held === undefined) {
    const own = desk.own.find(({ policy }) => policy.name === name)
    return own && { name, version: own.policy.version, editable: false, why: OF_PROGRAM }
  }
  const { source } = desk.settings().policies.find((one) => one.name === name) ?? {}
  const why = hasStore ? whyNot(held) : RECORDS_OFF
  return {
    name,
    version: held.version,
    use: held.use,
    yaml: held.edit?.yaml ?? held.source?.yaml(),
    file: source?.file,
    where: source === undefined ? undefined : `${source.file}:${source.line}`,
    edit: toEditView(held),
    editable: why === undefined,
    why,
  }
}

const OF_PROGRAM = 'It is of the program itself that started this gateway: change it there'

/** Why an entry of the config cannot be written anew. */
export function whyNot({ source, use }: PolicySettings): string | undefined {
  if (source === undefined) return OF_PROGRAM
  if (!source.isStock)
    return `It is code, in ${use}: change that file, which is read again by itself`
  return source.isPart
    ? `It is one of several that "use: ${use}" stands for: change the config, in ${source.file}:${source.line}`
    : undefined
}

export const toEditView = ({ edit }: PolicySettings): EditView | undefined =>
  edit && { at: edit.at, by: edit.by, note: edit.note, isNew: edit.base === '' }
