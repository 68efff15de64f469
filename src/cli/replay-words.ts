/**
 * What was typed behind `sluice replay` → what is replayed and how. Neighbours: `replay.ts`.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { Settings } from '../config/settings.ts'
import type { WireName } from '../event/event.ts'
import { readArguments, readWire } from './arguments.ts'
import { STORE_OPTIONS } from './open-store.ts'

type ReplayUpstreamSettings = Extract<Settings['upstreams'][number], { kind: 'replay' }>

export interface ReplayWords extends Pick<
  ReplayUpstreamSettings,
  'from' | 'match' | 'speed' | 'answers'
> {
  /** As it was typed. */
  readonly name: string
  readonly wire: WireName | undefined
  readonly port: number | undefined
  /** Where the records are. */
  readonly config: string | undefined
  readonly store: string | undefined
  readonly isOnce: boolean
}

const OPTIONS = {
  port: { type: 'string' },
  speed: { type: 'string' },
  match: { type: 'string' },
  answers: { type: 'string' },
  wire: { type: 'string' },
  ...STORE_OPTIONS,
  once: { type: 'boolean' },
} as const

export function readWords(argv: readonly string[]): ReplayWords {
  const { values, file } = readArguments(argv, OPTIONS)
  if (file === undefined)
    throw new SluiceError(
      'wrong-use',
      'Say what to replay: the ID of an exchange, conversation:ID, a file or a folder',
    )
  const isOnce = values.once === true
  return {
    name: file,
    from: toFrom(file),
    match: readOne('--match', values.match ?? (isOnce ? 'request' : 'auto'), MATCHES),
    speed: readSpeed(values.speed ?? 'original'),
    answers: readOne('--answers', values.answers ?? 'delivered', ANSWERS),
    wire: values.wire === undefined ? undefined : readWire('--wire', values.wire),
    port: readPort(values.port),
    config: values.config,
    store: values.store,
    isOnce,
  }
}

const MATCHES = ['auto', 'request', 'order'] as const
const ANSWERS = ['delivered', 'upstream'] as const
const CONVERSATION = 'conversation:'

/** A file that is there is meant before an id that reads alike. */
function toFrom(typed: string): ReplayUpstreamSettings['from'] {
  if (typed.startsWith(CONVERSATION))
    return { type: 'store', conversation: typed.slice(CONVERSATION.length) }
  if (existsSync(typed)) return { type: 'path', path: resolve(typed) }
  if (/[/\\]|\.(?:sse|json)$/.test(typed))
    throw new SluiceError('wrong-use', `Cannot read "${typed}": there is no such file`)
  return { type: 'store', id: typed }
}

function readOne<const Word extends string>(
  option: string,
  typed: string,
  words: readonly Word[],
): Word {
  const found = words.find((word) => word === typed)
  if (found !== undefined) return found
  const near = nearest(typed, words)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  throw new SluiceError(
    'wrong-use',
    `${option} ${typed} is not possible: it takes ${words.join(', ')}${hint}`,
  )
}

function readSpeed(typed: string): number {
  if (typed === 'original') return 1
  if (typed === 'instant') return 0
  const speed = /^\d{1,5}(?:\.\d{1,6})?$/.test(typed) ? Number(typed) : Number.NaN
  if (speed >= 0.01 && speed <= 10_000) return speed
  throw new SluiceError(
    'wrong-use',
    `--speed ${typed} is not possible: it takes original, instant, or a number from 0.01 to 10000`,
  )
}

function readPort(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined
  if (/^\d{1,5}$/.test(typed) && Number(typed) <= 65_535) return Number(typed)
  throw new SluiceError('wrong-use', `--port ${typed} is not possible: it takes 0 to 65535`)
}
