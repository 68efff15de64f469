/**
 * Settings, tools and turns that a policy changed → the same in the client's own body, around everything that stays.
 * What our form says otherwise after the change than before it is what is changed in the body. Neighbours:
 * `changed-request.ts` asks and looks whether it came out right; `changed-turns.ts` has the conversation.
 */
import { isObject, toList, type JsonObject } from '../base/json.ts'
import { toProfile } from '../request/profile.ts'
import type { ModelRequest } from '../request/request.ts'
import type { Tool } from '../request/tool.ts'
import type { Wire } from '../wire/wire.ts'
import { WIRE_NAMES } from '../wire/wires.ts'
import { changeTurns } from './changed-turns.ts'

export interface Change {
  readonly before: ModelRequest
  readonly after: ModelRequest
  /** With other words in it already. */
  readonly body: JsonObject
}

/** Not a setting: told apart by what stands in them. */
const OWN: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'stream_options',
  'messages',
  'input',
  'system',
  'instructions',
  'tools',
])

/** `undefined` where a part of it cannot be placed. */
export function changeFields(wire: Wire, { before, after, body }: Change): JsonObject | undefined {
  const settings = changeSettings(wire, { before, after, body })
  const turns = changeTurns(wire, { before, after, body }, (request) => write(wire, request))
  if (settings === undefined || turns === undefined) return undefined
  const tools = changeTools(wire, before, after)
  return tools === undefined ? undefined : { ...settings, ...turns, ...tools }
}

/** Everything from our own form, but for fields of the client's that are not in it. */
export function writeAnew(wire: Wire, before: ModelRequest, after: ModelRequest) {
  const written = write(wire, after)
  const settings = changeSettings(wire, { before, after, body: after.source.body })
  if (written === undefined || settings === undefined) return undefined
  const spoken = Object.entries(written).filter(([name]) => OWN.has(name) && !FIXED.has(name))
  const rest = Object.entries(settings).filter(([name]) => !OWN.has(name) || FIXED.has(name))
  return Object.fromEntries([...rest, ...spoken])
}

/** What routing says, and not the conversation. */
const FIXED: ReadonlySet<string> = new Set(['model', 'stream', 'stream_options'])

function changeSettings(wire: Wire, { before, after, body }: Change): JsonObject | undefined {
  const old = write(wire, before)
  const made = write(wire, after)
  if (old === undefined || made === undefined) return undefined
  const changed: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(old), ...Object.keys(made)]))
    if (!OWN.has(name) && JSON.stringify(old[name]) !== JSON.stringify(made[name]))
      changed[name] = made[name]
  if (before.model !== after.model) changed['model'] = after.model
  return { ...body, ...changed }
}

function changeTools(
  wire: Wire,
  before: ModelRequest,
  after: ModelRequest,
): JsonObject | undefined {
  const isSame =
    before.tools.length === after.tools.length &&
    before.tools.every((tool, at) => tool === after.tools[at])
  if (isSame) return {}
  const known = new Set(before.tools)
  const kept = new Set(after.tools.filter((tool) => known.has(tool)).map(({ vendor }) => vendor))
  const fresh: readonly Tool[] = after.tools.filter((tool) => !known.has(tool))
  const own = toList(after.source.body['tools']).filter((one) => isObject(one) && kept.has(one))
  if (fresh.length === 0) return { tools: own.length === 0 ? undefined : own }
  const written = write(wire, { ...after, tools: fresh, toolChoice: undefined })
  return written === undefined ? undefined : { tools: [...own, ...toList(written['tools'])] }
}

/** As if it came from elsewhere: from its parts, and not from the client's objects. */
function write(wire: Wire, request: ModelRequest): JsonObject | undefined {
  const other = WIRE_NAMES.find((name) => name !== wire.name) ?? wire.name
  const { model } = request
  const written = wire.writeRequest(
    { ...request, source: { ...request.source, wire: other } },
    {
      model,
      isStream: request.isStream,
      profile: toProfile({ wire: wire.name, host: undefined, vendor: undefined, model }),
    },
  )
  return written.ok ? written.body : undefined
}
