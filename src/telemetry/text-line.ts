/**
 * What the log says, as short lines for a person at a terminal. Neighbours: `log.ts`; the fields are
 * cleaned already. Knows no JSON.
 */
import { createColors } from 'picocolors'
import type { ExchangeFields, Level } from './entry.ts'
import { isPass } from './verdicts.ts'

export interface TextLines {
  exchange(time: Date, level: Level, fields: ExchangeFields): string
  message(
    time: Date,
    level: Level,
    message: string,
    fields: Readonly<Record<string, unknown>>,
  ): string
}

export function createTextLines(hasColour: boolean): TextLines {
  const { dim, green, yellow, red, bold } = createColors(hasColour)
  const paint = { debug: dim, info: green, warn: yellow, error: red }
  const clock = (time: Date): string => dim(time.toTimeString().slice(0, 8))

  return {
    exchange(time, level, fields) {
      const line = [
        clock(time),
        paint[level](String(fields.status)),
        `${fields.method} ${fields.endpoint}`,
        bold(toModels(fields)),
        fields.upstream === undefined ? '' : `(${fields.upstream})`,
        paint[level](toEnd(fields)),
        dim(toFigures(fields)),
        dim(fields.id),
      ]
      return `${line.filter((part) => part !== '').join(' ')}\n`
    },
    message(time, level, message, fields) {
      const said = Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(
          ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
        )
      const line = [clock(time), paint[level](level), message, dim(said.join(' '))]
      return `${line.filter((part) => part !== '').join(' ')}\n`
    },
  }
}

const toModels = ({ model, upstreamModel }: ExchangeFields): string =>
  [model, upstreamModel].filter((name) => name !== undefined).join(' → ')

/** How it ended: the finish of a whole answer, or what went wrong. */
function toEnd({ outcome, finish, fault, faultMessage, failed, attempts }: ExchangeFields): string {
  const end = outcome === 'done' ? (finish ?? 'done') : outcome
  const why = fault === undefined ? '' : ` ${fault}: ${faultMessage ?? ''}`
  const tries = attempts > 1 ? ` after ${failed?.length ?? 0} failed of ${attempts} attempts` : ''
  return `${end}${tries}${why}`
}

function toFigures(fields: ExchangeFields): string {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = fields
  const acted = fields.verdicts?.filter((words) => !isPass(words))
  const inputs = [inputTokens, cacheReadTokens, cacheWriteTokens].filter((n) => n !== undefined)
  const figures = [
    `${fields.ms} ms`,
    fields.firstByteMs === undefined ? '' : `first ${fields.firstByteMs} ms`,
    inputs.length === 0 ? '' : `${inputs.reduce((sum, n) => sum + n, 0)} in`,
    outputTokens === undefined ? '' : `${outputTokens} out`,
    fields.losses === undefined ? '' : `losses: ${fields.losses.join(', ')}`,
    acted === undefined || acted.length === 0 ? '' : `policies: ${acted.join(', ')}`,
    fields.violations === undefined ? '' : `violations: ${fields.violations}`,
  ]
  return figures.filter((figure) => figure !== '').join(', ')
}
