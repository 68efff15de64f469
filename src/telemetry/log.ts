/**
 * What an operator reads: one line per exchange, and what the gateway has to say itself. JSON
 * lines, or short text for a person at a terminal. Neighbours: `entry.ts` says what stands in a line,
 * `line-writer.ts` writes it; `server/` reports. Lines go to standard error: standard output is for what
 * a command was asked for. No content and no credential is written, ever.
 */
import type { ExchangeReport } from '../exchange/report.ts'
import { createClean, type Clean } from './clean.ts'
import { toFields, toLevel, type ExchangeFields, type Level } from './entry.ts'
import { createLineWriter } from './line-writer.ts'
import { createTextLines } from './text-line.ts'

export interface LogOptions {
  readonly level: Level | 'silent'
  /** `auto`: text on a terminal, else JSON lines. */
  readonly format: 'auto' | 'json' | 'text'
  /** Whether credentials, addresses, phone and card numbers are masked in texts. */
  readonly redact: boolean
}

/** Where lines go, in place of standard error. */
export interface LogTarget {
  readonly write?: (line: string) => void
  readonly isTerminal?: boolean
  readonly now?: () => Date
}

/** What a message is about. Errors are written with their code and stack. */
type LogFields = Readonly<
  Record<string, string | number | boolean | readonly string[] | Error | undefined>
>

export interface Log {
  /** At `info` if it was delivered or given up, `warn` if refused or failed upstream, `error` if it broke. */
  exchange(report: ExchangeReport): void
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Resolves once all lines are written, or cannot be. */
  flush(): Promise<void>
  close(): Promise<void>
}

const RANKS: Readonly<Record<Level | 'silent', number>> = {
  debug: 0,
  info: 1,
  warn: 2,
  error: 3,
  silent: 4,
}

/** Sentences of ours are longer than those of an upstream that are quoted in them. */
const MESSAGE = 1000

const STACK_LINES = 12

export function createLog(settings: LogOptions, target: LogTarget = {}): Log {
  const isTerminal = target.isTerminal ?? (target.write === undefined && process.stderr.isTTY)
  const onDropped = (count: number): void =>
    say('warn', 'Log lines were dropped because nobody read them fast enough', { count })
  const writer = target.write === undefined ? createLineWriter(2, { onDropped }) : undefined
  const write = target.write ?? ((line: string) => writer?.write(line))
  const isText = settings.format === 'text' || (settings.format === 'auto' && isTerminal)
  const now = target.now ?? ((): Date => new Date())
  const form = isText ? toText(write, now, isTerminal) : toJson(write, now)
  const clean = createClean(settings.redact)
  const isOn = (level: Level): boolean => RANKS[level] >= RANKS[settings.level]

  function say(level: Level, message: string, fields: LogFields = {}): void {
    if (isOn(level)) form.message(level, clean(message, MESSAGE), cleanFields(fields, clean))
  }

  return {
    exchange(report) {
      const level = toLevel(report)
      if (isOn(level)) form.exchange(level, toFields(report, clean))
    },
    debug: (message, fields) => say('debug', message, fields),
    info: (message, fields) => say('info', message, fields),
    warn: (message, fields) => say('warn', message, fields),
    error: (message, fields) => say('error', message, fields),
    flush: async () => writer?.flush(),
    close: async () => writer?.close(),
  }
}

interface Form {
  exchange(level: Level, fields: ExchangeFields): void
  message(level: Level, message: string, fields: Readonly<Record<string, unknown>>): void
}

/** Level, time and process stand first and the message last, so that lines can be read in a hurry. */
function toJson(write: (line: string) => void, now: () => Date): Form {
  // Which worker it was; the name of the machine is the collector's to add.
  const { pid } = process
  let at = Number.NaN
  let time = ''
  const say = (level: Level, message: string, fields: object): void => {
    const date = now()
    if (date.getTime() !== at) {
      at = date.getTime()
      time = date.toISOString()
    }
    const said = JSON.stringify(fields).slice(1, -1)
    const between = said === '' ? '' : ','
    write(
      `{"level":"${level}","time":"${time}","pid":${pid}${between}${said},"msg":${JSON.stringify(message)}}\n`,
    )
  }
  return {
    exchange: (level, fields) => say(level, 'exchange', fields),
    message: say,
  }
}

function toText(write: (line: string) => void, now: () => Date, isTerminal: boolean): Form {
  const lines = createTextLines(isTerminal && process.env['NO_COLOR'] === undefined)
  return {
    exchange: (level, fields) => write(lines.exchange(now(), level, fields)),
    message: (level, message, fields) => write(lines.message(now(), level, message, fields)),
  }
}

function cleanFields(fields: LogFields, clean: Clean): Readonly<Record<string, unknown>> {
  const cleaned = Object.entries(fields).map(([name, value]): [string, unknown] => {
    if (typeof value === 'string') return [name, clean(value, MESSAGE)]
    if (value instanceof Error) return [name, describe(value, clean)]
    if (typeof value === 'object') return [name, value.map((text) => clean(text, MESSAGE))]
    return [name, value]
  })
  return Object.fromEntries(cleaned)
}

/** Of an error only this: what else hangs on it (a request, a socket, headers) may hold anything. */
function describe(error: Error, clean: Clean): Readonly<Record<string, unknown>> {
  const code: unknown = 'code' in error ? error.code : undefined
  return {
    name: clean(error.name, MESSAGE),
    message: clean(error.message, MESSAGE),
    code: typeof code === 'string' ? clean(code, MESSAGE) : undefined,
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^ {4}at /.test(line))
      .slice(0, STACK_LINES)
      .map((line) => clean(line.trim(), MESSAGE)),
  }
}
