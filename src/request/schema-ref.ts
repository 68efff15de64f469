/**
 * Where a `$ref` leads inside its own schema. Neighbours: `schema-object.ts`, `schema-gemini.ts`. Follows no
 * address outside: a request must not make us fetch anything. Imports only how JSON is looked at.
 */
import { isObject, type JsonObject } from '../base/json.ts'

/** The place that a local reference (`#/$defs/Pet`) names, or `undefined`. */
export function resolveRef(root: JsonObject, ref: string): unknown {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let place: unknown = root
  for (const step of ref.slice(2).split('/')) {
    const name = unescapeStep(step)
    if (name === undefined) return undefined
    if (Array.isArray(place)) place = place[Number(name)]
    // An own one only: `#/constructor` leads nowhere.
    else if (isObject(place) && Object.hasOwn(place, name)) place = place[name]
    else return undefined
  }
  return place
}

/** RFC 6901, section 6: percent-encoded, then `~1` is a slash and `~0` a tilde. */
function unescapeStep(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined
  }
}
