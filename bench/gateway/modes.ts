/**
 * What the gateway can be asked to do while it is measured: one row each, with the limits that it is held to. Neighbours:
 * `options.ts` picks rows, `contender.ts` starts a gateway for one, `cost.ts` has those take turns that get the same
 * request and the same answer.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { WireName } from '../../src/index.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'

/** Contenders that are no mode, and the mode that others are set against. */
export const PIPE = 'pipe'
export const DIRECT = 'direct'
export const PASS_THROUGH = 'pass-through'

/** What clients ask for: a stream, a stream on a request of 100 KB, or a JSON answer. */
export type LoadKind = 'stream' | 'large' | 'json'

/** CPU per stream by that of the raw pipe: as fast as it goes, and at a pace. */
export interface Limits {
  readonly fast: number
  readonly paced?: number
}

export interface Mode {
  readonly name: string
  readonly says: string
  /** What the clients speak. */
  readonly from: WireName
  /** What the upstream speaks. */
  readonly to: WireName
  readonly kind: LoadKind
  readonly limits: Limits
  /** Lines of `sluice.yaml` beside upstream and route; the folder is for files that it keeps. */
  config(folder: string): string
  /** As people run it: with a key for clients, one for the upstream, and a line in the log for each exchange. */
  readonly isEveryday?: boolean | undefined
  /** Work that it leaves for later begins when it has had nothing to do for so long. */
  readonly laterMs?: number | undefined
}

interface Row extends Omit<Mode, 'from' | 'to'> {
  /** Where nobody asks for certain wires. */
  readonly wires: readonly WireName[]
}

const MESSAGES: readonly WireName[] = ['anthropic-messages']
const UNRECORDED = 'record: off'

/** A gate on every tool call: each is read, judged and let through. */
const GATE = `policies:
  - use: rules
    deny:
      - when: tool.name == "Bash" && shell.commands.exists(c, c.name == "rm" && "-rf" in c.flags)
        reason: Deleting recursively is not allowed here.
`
const EVERY_EVENT = `policies:
  - use: ${fileURLToPath(new URL('every-event.mjs', import.meta.url))}
`
const toStore = (folder: string): string => `store: "${join(folder, 'records.db')}"`
/** The text for the search is taken after a second without a write, give or take a pause. */
const SEARCH_MS = 1400

/** Clients and upstream speak the same wire. */
const SAME: readonly Row[] = [
  {
    name: PASS_THROUGH,
    says: 'nobody acts on the answer',
    kind: 'stream',
    wires: WIRE_NAMES,
    limits: { fast: 1.1, paced: 1.1 },
    config: () => UNRECORDED,
  },
  {
    name: 'at-once',
    says: '`commit: 0`: the first frame leaves when it comes; only where it is named',
    kind: 'stream',
    wires: [],
    limits: { fast: 1.1, paced: 1.1 },
    config: () => `${UNRECORDED}\ncommit: 0`,
  },
  {
    name: 'recording',
    says: 'every exchange is kept, in a SQLite file',
    kind: 'stream',
    wires: MESSAGES,
    limits: { fast: 1.3, paced: 1.2 },
    config: toStore,
    laterMs: SEARCH_MS,
  },
  {
    name: 'gate',
    says: '`rules` judges two tool calls of each answer',
    kind: 'stream',
    wires: MESSAGES,
    limits: { fast: 1.3, paced: 1.2 },
    config: () => `${UNRECORDED}\n${GATE}`,
  },
  {
    name: 'every-event',
    says: 'a policy file looks at each piece of text and writes it anew',
    kind: 'stream',
    wires: MESSAGES,
    limits: { fast: 1.7, paced: 1.3 },
    config: () => `${UNRECORDED}\n${EVERY_EVENT}`,
  },
  {
    name: 'redact',
    says: '`redact` hides an address in request and answer',
    kind: 'stream',
    wires: MESSAGES,
    limits: { fast: 1.7, paced: 1.3 },
    config: () => `${UNRECORDED}\npolicies: [redact]`,
  },
  {
    name: 'gate-recording',
    says: 'both; only where it is named',
    kind: 'stream',
    wires: [],
    limits: { fast: 1.6, paced: 1.3 },
    config: (folder) => `${toStore(folder)}\n${GATE}`,
    laterMs: SEARCH_MS,
  },
  {
    name: 'everyday',
    says: 'pass-through with keys of clients and upstream and a line in the log; only where it is named',
    kind: 'stream',
    wires: [],
    limits: { fast: 1.1, paced: 1.1 },
    isEveryday: true,
    config: () => UNRECORDED,
  },
  {
    name: 'json',
    says: 'the answer comes whole, as JSON',
    kind: 'json',
    wires: MESSAGES,
    limits: { fast: 1.3 },
    config: () => UNRECORDED,
  },
  {
    name: 'json-everyday',
    says: 'the same with keys and a line in the log; only where it is named',
    kind: 'json',
    wires: [],
    limits: { fast: 1.5 },
    isEveryday: true,
    config: () => UNRECORDED,
  },
  {
    name: 'large-request',
    says: 'a request of 100 KB',
    kind: 'large',
    wires: MESSAGES,
    limits: { fast: 1.3 },
    config: () => UNRECORDED,
  },
]

const SHORT_NAMES: Readonly<Record<WireName, string>> = {
  'anthropic-messages': 'messages',
  'openai-chat': 'chat',
  'openai-responses': 'responses',
}

const CROSS: readonly Mode[] = WIRE_NAMES.flatMap((to) =>
  WIRE_NAMES.filter((from) => from !== to).map((from) => ({
    name: `${SHORT_NAMES[from]}-to-${SHORT_NAMES[to]}`,
    says: `clients speak ${from}, the upstream ${to}`,
    from,
    to,
    kind: 'stream',
    limits: { fast: 1.6, paced: 1.4 },
    config: () => UNRECORDED,
  })),
)

/** What CI measures. */
export const SHORT_MODES = [PASS_THROUGH, 'recording', 'gate', 'chat-to-messages']
/** What all but cost is measured of, where nobody says. */
export const GROWN_MODES = [PASS_THROUGH, 'recording', 'gate']

export const listModes = (): readonly Pick<Mode, 'name' | 'says' | 'limits'>[] => [
  ...SAME,
  ...CROSS,
]

export interface Choice {
  /** `undefined`: all that have a wire of their own. */
  readonly names?: readonly string[] | undefined
  /** Of the upstream. `undefined`: those of each row, and of all that cross. */
  readonly wires?: readonly WireName[] | undefined
}

export function chooseModes({ names, wires }: Choice): readonly Mode[] {
  const isChosen = ({ name }: { readonly name: string }): boolean => names?.includes(name) ?? true
  const same = SAME.filter(isChosen).flatMap(({ wires: usual, ...row }) => {
    const named = usual.length === 0 && names !== undefined ? MESSAGES : usual
    return (named.length === 0 ? [] : (wires ?? named)).map((wire) => ({
      ...row,
      from: wire,
      to: wire,
    }))
  })
  const cross = CROSS.filter((mode) => isChosen(mode) && (wires?.includes(mode.to) ?? true))
  return [...same, ...cross]
}

/** Modes that get the same request and answer as one raw pipe does, so that a ratio is of like with like. */
export interface Group {
  /** The upstream's. */
  readonly wire: WireName
  readonly kind: LoadKind
  readonly modes: readonly Mode[]
}

export function toGroups(modes: readonly Mode[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const mode of modes) {
    const key = `${mode.to} ${mode.kind}`
    const known = groups.get(key)?.modes ?? []
    groups.set(key, { wire: mode.to, kind: mode.kind, modes: [...known, mode] })
  }
  return [...groups.values()]
}
