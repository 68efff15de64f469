/**
 * A config file → checked settings, or one error that lists every mistake. Neighbours: `shape.ts` says
 * what may stand there, `watch.ts` loads again on change, `server/` and the commands are built from the
 * settings. Knows nothing of serving.
 */
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { SluiceError } from '../base/sluice-error.ts'
import { isLoopback } from './address.ts'
import { toAdmin, toApprovals } from './approvals.ts'
import * as defaults from './defaults.ts'
import { DEMO_CONFIG } from './demo-config.ts'
import type { Reading, Spot } from './field.ts'
import { MAX_FILE_BYTES, readText } from './files.ts'
import { toKeys } from './keys.ts'
import type { ConfigNode } from './node.ts'
import { createNotes, type Notes } from './notes.ts'
import { toOtlp } from './otlp.ts'
import { parseYaml } from './parse.ts'
import { checkPair } from './pem.ts'
import { draftPolicies, toPolicies, type PolicyDraft, type PolicyParts } from './policies.ts'
import type { PolicyResult } from './policy-file.ts'
import { toPrices, toRecords, toStore } from './records.ts'
import { toDefaultRoutes, toRoutes } from './routes.ts'
import type { Settings } from './settings.ts'
import type { ConfigSource } from './source.ts'
import { config as shape, type RawConfig } from './shape.ts'
import { toDemo, toUpstreams } from './upstreams.ts'
import type { Environment } from './variables.ts'

export interface Config {
  readonly settings: Settings
  /** What is legal and probably not meant, a line each. */
  readonly warnings: readonly string[]
  /** The file that was read, absolute; `undefined`: there is none, and the demo answers. */
  readonly file: string | undefined
  /** Every file that the settings were made from. */
  readonly files: readonly string[]
  /** What stands in the file, with its places; missing where there is none. */
  readonly source?: ConfigSource
}

export interface LoadOptions {
  /** Without it, `sluice.yaml` or `sluice.yml` where we stand, if there is one. */
  readonly file?: string | undefined
  /** What stands in the file, where it is not to be read: then its name is only for messages, and its folder for paths. */
  readonly text?: string | undefined
  readonly env: Environment
  readonly cwd: string
}

/**
 * The settings of a file. A file that cannot be read is a SluiceError `wrong-use`; one that is not right
 * is a `bad-config` that lists every mistake, one a line, with what belongs to it on indented lines below.
 */
export const loadConfigAsync = async (options: LoadOptions): Promise<Config> =>
  await draftConfig(options).load()

/** The same at once, for a config without policy files whose functions take their time. */
export const loadConfig = (options: LoadOptions): Config => draftConfig(options).loadNow()

/** A config that was read, though the policy files that it names have not run. */
export interface ConfigDraft {
  /** Every file that it is made of, whether it is right or not. */
  readonly files: readonly string[]
  load(): Promise<Config>
  loadNow(): Config
}

export function draftConfig({ file, text: given, env, cwd }: LoadOptions): ConfigDraft {
  const found = file ?? findConfig(cwd)
  if (found === undefined) return withoutFile(env)
  const path = resolve(cwd, found)
  const folder = dirname(path)
  const name = toName(path, cwd)
  const notes = createNotes(name)
  const files = new Set([path])
  const reading: Reading = {
    env,
    notes,
    readFile(named, spot) {
      const target = resolve(folder, named)
      files.add(target)
      return readNamed(target, spot, notes)
    },
  }
  const text = given ?? readConfigText(path, name, notes)
  const root = text === undefined ? undefined : parseYaml(text, notes)
  const isUnreadable = root === undefined && notes.hasMistakes
  const draft = isUnreadable
    ? undefined
    : readSettings(root ?? EMPTY, reading, {
        folder,
        source: { text: text ?? '', file: name },
        toName: (one) => toName(one, cwd),
        addFiles(more) {
          for (const one of more) files.add(one)
        },
      })

  /** Files of a person's own run only if all else is right. */
  const start = (): readonly (PolicyResult | Promise<PolicyResult>)[] => {
    if (notes.hasMistakes || draft === undefined) throw notes.toError()
    return draft.policies.map((one) => one.start())
  }
  const finish = (results: readonly PolicyResult[]): Config => {
    const policies = toPolicies(draft?.policies ?? [], results, reading)
    if (notes.hasMistakes || draft === undefined) throw notes.toError()
    const warnings = [...notes.warnings(), ...draft.warnings]
    const settings = { ...draft.settings, policies }
    const source = { name, root: root ?? EMPTY }
    return { settings, warnings, file: path, files: [...files], source }
  }
  return {
    files: [...files],
    load: async () => finish(await Promise.all(start().map((one) => Promise.resolve(one)))),
    loadNow: () => finish(start().map(atOnce)),
  }
}

function withoutFile(env: Environment): ConfigDraft {
  const loadNow = (): Config => {
    const { otlp, warnings } = toOtlp(undefined, env)
    const demo = loadConfig({ file: 'built-in demo', text: DEMO_CONFIG, env: {}, cwd: '/' })
    const settings = { ...demo.settings, otlp }
    return { settings, warnings, file: undefined, files: [] }
  }
  return { files: [], loadNow, load: () => Promise.resolve(loadNow()) }
}

function atOnce(result: PolicyResult | Promise<PolicyResult>): PolicyResult {
  if (!(result instanceof Promise)) return result
  const sentence = 'its function is asynchronous: load this config with loadConfigAsync'
  return { type: 'wrong', sentences: [sentence] }
}

/** `sluice.yaml` or `sluice.yml` in that folder. */
export function findConfig(cwd: string): string | undefined {
  return ['sluice.yaml', 'sluice.yml']
    .map((name) => join(cwd, name))
    .find((path) => existsSync(path))
}

/** What an empty config serves: the demo on all wires, to this machine only. `DEMO_CONFIG` is what is served without one. */
export function demoSettings(): Settings {
  const upstreams = [toDemo()]
  return {
    listen: defaults.LISTEN,
    tls: undefined,
    hosts: [],
    origins: [],
    upstreams,
    routes: toDefaultRoutes(upstreams),
    keys: [],
    policies: [],
    admin: defaults.ADMIN,
    approvals: defaults.APPROVALS,
    store: defaults.STORE,
    records: undefined,
    prices: [],
    limits: defaults.LIMITS,
    isStrict: false,
    keepalive: defaults.KEEPALIVE,
    commit: defaults.COMMIT,
    log: defaults.LOG,
    otlp: undefined,
    grace: defaults.GRACE,
  }
}

const START = { line: 1, column: 1 }
const EMPTY: ConfigNode = { kind: 'map', place: START, size: 1, entries: [] }

/** Short where the file is near, so that an editor's terminal makes it a link. */
export function toName(path: string, cwd: string): string {
  const near = relative(cwd, path)
  return near.startsWith('..') || isAbsolute(near) ? path : near
}

/** What stands in the file; `undefined` when that is no text, which is noted. */
export function readConfigText(path: string, name: string, notes: Notes): string | undefined {
  const read = readText(path)
  switch (read.type) {
    case 'text':
      return read.text
    case 'unreadable':
      throw new SluiceError('wrong-use', `Cannot read "${name}": ${read.why}`, {
        cause: read.cause,
      })
    case 'too-large':
      notes.mistake(START, '', `the file is larger than ${MAX_FILE_BYTES} bytes`)
      return undefined
    case 'no-text': {
      const lines = read.before.split('\n')
      const place = { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
      notes.mistake(place, '', 'this is no UTF-8 text: save the file as UTF-8')
      return undefined
    }
  }
}

function readNamed(path: string, spot: Spot, notes: Notes): string | undefined {
  const read = readText(path)
  if (read.type === 'text') return read.text
  const why = read.type === 'unreadable' ? read.why : 'it is too large, or no text'
  notes.mistake(spot.node.place, spot.path, `the file cannot be read: ${why}`)
  return undefined
}

interface SettingsDraft {
  readonly settings: Omit<Settings, 'policies'>
  readonly policies: readonly PolicyDraft[]
  /** What is odd elsewhere than in the file. */
  readonly warnings: readonly string[]
}

function readSettings(
  root: ConfigNode,
  reading: Reading,
  parts: Omit<PolicyParts, 'routes'>,
): SettingsDraft | undefined {
  const config = shape.read({ node: root, path: '', keyPlace: root.place }, reading)
  if (config === undefined) return undefined
  const { values } = config
  const upstreams = toUpstreams(config, parts.folder, reading)
  const { otlp, warnings } = toOtlp(config, reading.env)
  const limits = values.limits?.values
  const routes = toRoutes(config, upstreams, reading)
  const store = toStore(config, parts.folder, reading)
  const settings: SettingsDraft['settings'] = {
    listen: values.listen ?? defaults.LISTEN,
    tls: toTls(config, reading),
    hosts: values.hosts?.map(({ value }) => value) ?? [],
    origins: values.origins?.map(({ value }) => value) ?? [],
    upstreams,
    routes,
    keys: toKeys(config, reading),
    admin: toAdmin(config),
    approvals: toApprovals(config, reading),
    store,
    records: toRecords(store),
    prices: toPrices(config),
    limits: {
      body: limits?.body ?? defaults.LIMITS.body,
      headers: limits?.headers ?? defaults.LIMITS.headers,
      answer: limits?.answer ?? defaults.LIMITS.answer,
      concurrent: limits?.concurrent ?? defaults.LIMITS.concurrent,
      requestTime: limits?.requestTime ?? defaults.LIMITS.requestTime,
    },
    isStrict: values.strict ?? false,
    keepalive: values.keepalive ?? defaults.KEEPALIVE,
    commit: values.commit ?? defaults.COMMIT,
    log: {
      level: values.log?.values.level ?? defaults.LOG.level,
      format: values.log?.values.format ?? defaults.LOG.format,
      redact: values.log?.values.redact ?? defaults.LOG.redact,
    },
    otlp,
    grace: values.grace ?? defaults.GRACE,
  }
  noteExposed(config, settings, reading.notes)
  if (config.spots.upstreams === undefined)
    reading.notes.warning(root.place, '', 'there are no upstreams, so the embedded demo answers')
  const policies = draftPolicies(config, { ...parts, routes }, reading)
  return { settings, policies, warnings }
}

function toTls(config: RawConfig, reading: Reading): Settings['tls'] {
  const { cert, key } = config.values.tls?.values ?? {}
  const spot = config.spots.tls
  if (cert === undefined || key === undefined || spot === undefined) return undefined
  const wrong = checkPair(cert, key)
  if (wrong !== undefined) reading.notes.mistake(spot.keyPlace, spot.path, wrong)
  return { cert, key }
}

/** Whoever can reach a gateway without keys can spend the money behind it. */
function noteExposed(config: RawConfig, settings: SettingsDraft['settings'], notes: Notes): void {
  const listen = config.spots.listen
  const keys = config.spots.keys?.node
  const hasKeys = keys !== undefined && keys.size > 1
  if (listen === undefined || isLoopback(settings.listen.host)) return
  const note = (sentence: string): void =>
    notes.mistake(
      listen.node.place,
      listen.path,
      `this address can be reached from the network, ${sentence}`,
    )
  if (!hasKeys)
    note('and there are no keys: make one with "sluice keys new NAME", or listen on 127.0.0.1')
  if (config.values.admin?.spots.token === undefined)
    note(
      'and there is no admin token: set admin: { token: "${SLUICE_TOKEN}" }, or listen on 127.0.0.1',
    )
}
