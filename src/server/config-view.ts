/**
 * The settings that hold now → what a person is shown of them: each value with where it comes from. Neighbours:
 * `config/effective.ts` says what holds, `config/source.ts` what was written, `config-mask.ts` what may be shown.
 */
import type { ConfigAnswer, ConfigValue } from '../api/types.ts'
import { effectiveValues, type EffectiveValue } from '../config/effective.ts'
import { demoSettings } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { config as shape } from '../config/shape.ts'
import { writtenValues, type WrittenValue } from '../config/source.ts'
import { createMask, type Mask } from './config-mask.ts'
import type { ConfigOrigin } from './config-origin.ts'

/** A file may have a hundred thousand. */
const MAX_VALUES = 5000

export function toConfigView(settings: Settings, origin: ConfigOrigin | undefined): ConfigAnswer {
  const mask = createMask(settings)
  const written = origin?.source === undefined ? [] : writtenValues(origin.source, MAX_VALUES + 1)
  const isCut = written.length > MAX_VALUES
  const room: Room = {
    mask,
    origin,
    name: origin?.source?.name ?? '',
    written: new Map(written.slice(0, MAX_VALUES).map((one) => [one.path, one])),
    usual: new Map(effectiveValues(demoSettings()).map(({ path, value }) => [path, value])),
  }
  const effective = effectiveValues(settings).filter((one) => !isSaidShort(one, room))
  const known = new Map(effective.map((one) => [one.path, one]))
  const values = [
    ...[...room.written.values()].map((one) => toWritten(one, known.get(one.path), room)),
    ...effective.filter(({ path }) => !room.written.has(path)).map((one) => toUnwritten(one, room)),
    ...elsewhere(settings, room),
  ]
  return {
    file: origin?.file,
    readAt: origin?.readAt,
    values: values.toSorted((one, other) => rankOf(one.path) - rankOf(other.path)),
    routes: settings.routes.map(({ model, wire, to, as }) => ({ model, wire, to, as })),
    warnings: (origin?.warnings ?? []).map(mask.text),
    notes: [...(origin?.notes ?? []), ...(isCut ? [TOO_MANY] : [])],
  }
}

const TOO_MANY = `The file says more than ${MAX_VALUES} things: the rest of it is not listed here`

interface Room {
  readonly mask: Mask
  readonly origin: ConfigOrigin | undefined
  readonly name: string
  readonly written: ReadonlyMap<string, WrittenValue>
  /** What holds where nobody says anything. */
  readonly usual: ReadonlyMap<string, unknown>
}

/** `store: records.db` says `store.file`. */
const isSaidShort = ({ path, inherits }: EffectiveValue, { written }: Room): boolean =>
  inherits !== undefined && path.startsWith(`${inherits}.`) && written.has(inherits)

function toWritten(
  one: WrittenValue,
  effective: EffectiveValue | undefined,
  { mask, origin, name }: Room,
): ConfigValue {
  const { path, variables, place } = one
  if (effective !== undefined && origin?.flags.has(path) === true)
    return { path, value: effective.value, from: 'flag' }
  const hasVariables = variables.length > 0
  return {
    path,
    // A number or a word to choose from: what the variable holds may be seen.
    ...(hasVariables && effective !== undefined ? { value: effective.value } : mask.written(one)),
    from: hasVariables ? 'env' : 'file',
    where: `${name}:${place.line}`,
    ...(hasVariables ? { variable: variables.join(', ') } : undefined),
  }
}

function toUnwritten({ path, value, inherits }: EffectiveValue, room: Room): ConfigValue {
  const { origin, written, name, usual } = room
  if (origin === undefined)
    return { path, value, from: isSame(usual.get(path), value) ? 'default' : 'program' }
  if (origin.flags.has(path)) return { path, value, from: 'flag' }
  const said = inherits === undefined ? undefined : written.get(inherits)
  if (said === undefined) return { path, value, from: 'default' }
  const { place, variables } = said
  return {
    path,
    value,
    from: variables.length > 0 ? 'env' : 'file',
    where: `${name}:${place.line}`,
    ...(variables.length > 0 ? { variable: variables.join(', ') } : undefined),
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** What has no word in the file, or comes from the usual variables. */
function elsewhere({ admin, otlp }: Settings, room: Room): readonly ConfigValue[] {
  const { origin, written, mask } = room
  const isWritten = (path: string): boolean =>
    [...written.keys()].some((one) => one === path || one.startsWith(`${path}.`))
  const isOfProgram = origin === undefined
  const found: ConfigValue[] = []
  if (!isWritten('admin.token'))
    found.push({
      path: 'admin.token',
      isSecret: true,
      // Without one, one is made at each start.
      from: admin.token !== undefined && isOfProgram ? 'program' : 'default',
    })
  if (otlp !== undefined && !isWritten('telemetry.otlp'))
    found.push({
      path: 'telemetry.otlp',
      ...mask.written({ path: 'telemetry.otlp', value: otlp.endpoint }),
      from: isOfProgram ? 'program' : 'env',
      ...(isOfProgram ? undefined : { variable: 'OTEL_EXPORTER_OTLP_*' }),
    })
  return found
}

const SECTIONS = Object.keys(shape.schema['properties'] as object)

/** As the reference lists them. */
const rankOf = (path: string): number => {
  const at = SECTIONS.indexOf(/^\w+/.exec(path)?.[0] ?? '')
  return at === -1 ? SECTIONS.length : at
}
