/**
 * What was typed behind `npm run bench --` → what is to be measured. Neighbours: `run.ts`, `modes.ts`.
 */
import { parseArgs } from 'node:util'
import type { WireName } from '../../src/index.ts'
import { listModes } from './modes.ts'
import { isWireName, WIRE_NAMES } from '../../src/wire/wires.ts'

/** A gateway of somebody else. */
export interface Other {
  readonly name: string
  /** For the shell; `{port}` is where it is to listen, `{upstream}` the address it is to ask. */
  readonly command: string
  /** Its clients send these, with the same two words filled in. */
  readonly headers: readonly string[]
}

const PARTS = ['cost', 'memory', 'growth', 'fresh'] as const
type BenchPart = (typeof PARTS)[number]

export interface BenchOptions {
  readonly isShort: boolean
  readonly isList: boolean
  readonly hasThreads: boolean
  readonly modes: readonly string[] | undefined
  readonly wires: readonly WireName[] | undefined
  readonly rounds: number
  readonly parts: readonly BenchPart[]
  readonly others: readonly Other[]
  /** A folder of streams that were recorded, to measure with in place of made ones. */
  readonly streams: string | undefined
  readonly json: string | undefined
  readonly markdown: string | undefined
  readonly plot: string | undefined
}

export const HELP = `npm run bench [-- OPTIONS]

  --list               the modes and their limits
  --mode NAME[,NAME]   measure these modes only
  --wire WIRE[,WIRE]   with upstreams of these wires only
  --part NAME[,NAME]   of cost, memory, growth, fresh (all; with --mode: cost)
  --rounds N           rounds of each load (7)
  --short              the form for CI: fails where a mode has become slow
  --with NAME=COMMAND  also measure another gateway; {port} and {upstream} are filled in
  --header LINE        a header for those gateways, filled in the same way
  --streams FOLDER     with the streams of FOLDER/<wire>/*.sse in place of made ones
  --threads            the CPU of each thread
  --markdown FILE, --json FILE, --plot FILE
                       where to write the report, the figures, a drawing (SVG)
`

/** Fewer would not say how far rounds lie apart. */
const ROUNDS = 7

export function readOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean' },
      short: { type: 'boolean' },
      list: { type: 'boolean' },
      threads: { type: 'boolean' },
      mode: { type: 'string', multiple: true },
      wire: { type: 'string', multiple: true },
      part: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      with: { type: 'string', multiple: true },
      header: { type: 'string', multiple: true },
      streams: { type: 'string' },
      json: { type: 'string' },
      markdown: { type: 'string' },
      plot: { type: 'string' },
    },
  })
  if (values.help === true) return 'help'
  const modes = split(values.mode)?.map(toMode)
  const isShort = values.short === true
  return {
    isShort,
    isList: values.list === true,
    hasThreads: values.threads === true,
    modes,
    wires: split(values.wire)?.map(toWire),
    rounds: toRounds(values.rounds),
    parts: toParts(values.part, isShort || modes !== undefined, values.streams),
    others: (values.with ?? []).map((text) => toOther(text, values.header ?? [])),
    streams: values.streams,
    json: values.json,
    markdown: values.markdown,
    plot: values.plot,
  }
}

const split = (values: readonly string[] | undefined): readonly string[] | undefined =>
  values?.flatMap((value) => value.split(',')).filter((name) => name !== '')

function toWire(name: string): WireName {
  if (isWireName(name)) return name
  throw new Error(`--wire takes ${WIRE_NAMES.join(', ')}: got "${name}"`)
}

function toMode(name: string): string {
  if (listModes().some((mode) => mode.name === name)) return name
  throw new Error(`There is no mode "${name}": --list names them`)
}

function toParts(
  asked: readonly string[] | undefined,
  isPart: boolean,
  streams: string | undefined,
): readonly BenchPart[] {
  const parts = split(asked)?.map(toPart)
  if (streams === undefined) return parts ?? (isPart ? ['cost'] : PARTS)
  if (parts?.some((part) => part !== 'cost') === true)
    throw new Error('--streams is for the part "cost" alone: the others want streams of a length')
  return ['cost']
}

function toPart(name: string): BenchPart {
  const part = PARTS.find((known) => known === name)
  if (part !== undefined) return part
  throw new Error(`--part takes ${PARTS.join(', ')}: got "${name}"`)
}

function toRounds(text: string | undefined): number {
  const rounds = Number(text ?? ROUNDS)
  if (Number.isInteger(rounds) && rounds > 0) return rounds
  throw new Error(`--rounds takes a number of rounds: got "${text}"`)
}

/** `NAME=COMMAND`: the command may hold further equals signs. */
export function toOther(text: string, headers: readonly string[]): Other {
  const at = text.indexOf('=')
  const name = text.slice(0, at).trim()
  const command = text.slice(at + 1).trim()
  if (at === -1 || name === '' || command === '')
    throw new Error(`--with takes NAME=COMMAND: got "${text}"`)
  if (!command.includes('{port}'))
    throw new Error(`--with ${name}: the command does not say where {port} goes`)
  return { name, command, headers }
}
