/**
 * What a person typed to settings, or to a sentence that says what is wrong and what is allowed.
 * Neighbours: every command.
 */
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { WireName } from '../event/event.ts'
import { isWireName, WIRE_NAMES } from '../wire/wires.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** Options and at most one file. */
export function readArguments<const Known extends Options>(
  argv: readonly string[],
  options: Known,
): {
  values: ReturnType<typeof parseArgs<{ options: Known }>>['values']
  file: string | undefined
} {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true })
    if (positionals.length > 1)
      throw new SluiceError(
        'wrong-use',
        `Cannot read more than one file: got ${positionals.join(', ')}`,
      )
    return {
      values: values as ReturnType<typeof parseArgs<{ options: Known }>>['values'],
      file: positionals[0],
    }
  } catch (error) {
    if (error instanceof SluiceError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new SluiceError('wrong-use', unknownOption(message, Object.keys(options)) ?? message, {
      cause: error,
    })
  }
}

/** A better sentence for an option that there is not; `undefined` when the message is about something else. */
function unknownOption(message: string, known: readonly string[]): string | undefined {
  const typed = /^Unknown option '(-[^']*)'/.exec(message)?.[1]
  if (typed === undefined) return undefined
  const names = known.map((name) => `--${name}`)
  const near = nearest(typed, names)
  return `There is no option ${typed}: there are ${names.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`
}

/** The wire of that name. */
export function readWire(option: string, name: string | undefined): WireName {
  if (name === undefined)
    throw new SluiceError('wrong-use', `Say the wire with ${option}: ${WIRE_NAMES.join(', ')}`)
  if (isWireName(name)) return name
  const near = nearest(name, WIRE_NAMES)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  throw new SluiceError(
    'wrong-use',
    `${option} ${name} is no wire: it takes ${WIRE_NAMES.join(', ')}${hint}`,
  )
}
