/**
 * Fields of numbers: whole numbers, times, sizes, each with its bounds. Neighbours: `field.ts` has the
 * contract, `shape.ts` uses them. Times are in milliseconds, sizes in bytes.
 */
import {
  fill,
  HAS_VARIABLE,
  orVariable,
  refuse,
  refuseKind,
  type Field,
  type Reading,
  type Spot,
} from './field.ts'
import { show } from './node.ts'
import { isNo, isText } from './text.ts'
import { isOneVariable } from './variables.ts'

export interface Bounds {
  readonly min: number
  readonly max: number
}

/** A whole number. A text that is one variable may stand for it. */
export function whole(bounds: Bounds): Field<number> {
  const takes = `a whole number from ${bounds.min} to ${bounds.max}`
  return {
    schema: orVariable({ type: 'integer', minimum: bounds.min, maximum: bounds.max }),
    read(spot, reading) {
      const { node } = spot
      if (node.kind !== 'scalar' || node.value === null || typeof node.value === 'boolean')
        return refuseKind(spot, reading, takes)
      const value = typeof node.value === 'number' ? node.value : readVariable(spot, reading)
      if (value === undefined) return undefined
      const isRight = Number.isInteger(value) && value >= bounds.min && value <= bounds.max
      return isRight ? value : refuse(spot, reading, `it takes ${takes}, not ${show(node)}`)
    },
  }
}

/** A number with or without a point. A text that is one variable may stand for it. */
export function decimal(bounds: Bounds): Field<number> {
  const takes = `a number from ${bounds.min} to ${bounds.max}`
  return {
    schema: orVariable({ type: 'number', minimum: bounds.min, maximum: bounds.max }),
    read(spot, reading) {
      const { node } = spot
      if (node.kind !== 'scalar' || node.value === null || typeof node.value === 'boolean')
        return refuseKind(spot, reading, takes)
      const value = typeof node.value === 'number' ? node.value : readVariable(spot, reading)
      if (value === undefined) return undefined
      const isRight = value >= bounds.min && value <= bounds.max
      return isRight ? value : refuse(spot, reading, `it takes ${takes}, not ${show(node)}`)
    },
  }
}

/** `undefined`: a variable is missing, which is noted. `NaN`: no number. */
function readVariable(spot: Spot, reading: Reading): number | undefined {
  if (!isText(spot) || !isOneVariable(spot.node.value)) return Number.NaN
  const filled = fill(spot, reading)
  if (filled === undefined) return undefined
  return /^\d{1,15}(?:\.\d{1,15})?$/.test(filled.text) ? Number(filled.text) : Number.NaN
}

/** What stands behind a number, and how many of the least it is. */
type Units = Readonly<Record<string, number>>

const TIMES: Units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const AGES: Units = { ...TIMES, d: 86_400_000, w: 604_800_000 }
const SIZES: Units = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }
const LARGE: Units = { ...SIZES, tb: 1024 ** 4 }

/** A time: `500ms`, `10s`, `5m`, `1h` or a number of milliseconds. */
export const time = (bounds: Bounds): Field<number> =>
  amount(bounds, {
    units: TIMES,
    noun: 'time',
    forms: '500ms, 10s, 5m, 1h or a number of milliseconds',
  })

/** How long something is kept: `12h`, `30d`, `8w` or a number of milliseconds. */
export const age = (bounds: Bounds): Field<number> =>
  amount(bounds, {
    units: AGES,
    noun: 'time',
    forms: '12h, 30d, 8w or a number of milliseconds',
  })

/** What a disk holds: `500mb`, `10gb`, `2tb` or a number of bytes. */
export const space = (bounds: Bounds): Field<number> =>
  amount(bounds, { units: LARGE, noun: 'size', forms: '500mb, 10gb, 2tb or a number of bytes' })

/** A size: `64mb`, `16kb` or a number of bytes. */
export const size = (bounds: Bounds): Field<number> =>
  amount(bounds, { units: SIZES, noun: 'size', forms: '16kb, 64mb, 1gb or a number of bytes' })

function amount(
  { min, max }: Bounds,
  of: { readonly units: Units; readonly noun: string; readonly forms: string },
): Field<number> {
  const unit = Object.keys(of.units).join('|')
  const pattern = new RegExp(`^(\\d{1,15}(?:\\.\\d{1,6})?)\\s?(${unit})?$`, 'i')
  const range = `${toAmount(min, of.units)} to ${toAmount(max, of.units)}`
  const toNumber = (text: string): number | undefined => {
    const [, digits, name = ''] = pattern.exec(text) ?? []
    const factor = name === '' ? 1 : of.units[name.toLowerCase()]
    const value = digits === undefined ? Number.NaN : Number(digits) * (factor ?? Number.NaN)
    return Number.isInteger(value) || (Number.isFinite(value) && name !== '')
      ? Math.round(value)
      : undefined
  }
  return {
    schema: {
      anyOf: [
        { type: 'integer', minimum: min, maximum: max },
        {
          type: 'string',
          pattern: `^\\d+(\\.\\d+)?\\s?(${anyCase(of.units)})?$|${HAS_VARIABLE}`,
        },
      ],
    },
    read(spot, reading) {
      const { node } = spot
      if (node.kind !== 'scalar' || node.value === null || typeof node.value === 'boolean')
        return refuseKind(spot, reading, `a ${of.noun}: ${of.forms}`)
      const filled = isText(spot) ? fill(spot, reading)?.text : String(node.value)
      if (filled === undefined) return undefined
      const value = toNumber(filled)
      if (value === undefined)
        return refuse(spot, reading, () => isNo(node, of.noun, `write ${of.forms}`))
      if (value >= min && value <= max) return value
      const side = value < min ? 'little' : 'much'
      return refuse(spot, reading, () => `${show(node)} is too ${side}: it takes ${range}`)
    },
  }
}

/** JSON Schema's patterns have no flag for it. */
const anyCase = (units: Units): string =>
  Object.keys(units)
    .map((unit) => unit.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`))
    .join('|')

/** Milliseconds as the file would say them. */
export const toTimeWords = (ms: number): string => (ms === 0 ? '0s' : toAmount(ms, AGES))

/** Bytes as the file would say them. */
export const toSizeWords = (bytes: number): string => toAmount(bytes, LARGE)

/** A number in the largest unit that it is a whole number of. */
function toAmount(value: number, units: Units): string {
  const [name, factor] =
    Object.entries(units).findLast(([, one]) => value % one === 0 && value >= one) ?? []
  return name === undefined || factor === undefined ? `${value}` : `${value / factor}${name}`
}
