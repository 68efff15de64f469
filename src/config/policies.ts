/**
 * Policies as they were read → policies that can be asked, in their order: those of the file, of its routes, of its
 * keys. Neighbours: `shape-policy.ts` reads them, `policy-file.ts` runs files, `select-policies.ts` says which apply.
 * In two steps, because the function in a file may take its time.
 */
import { existsSync } from 'node:fs'
import { extname, isAbsolute, resolve } from 'node:path'
import type { Route } from '../exchange/route.ts'
import type { Placed } from './collections.ts'
import * as defaults from './defaults.ts'
import { refuse, type Reading } from './field.ts'
import { readText } from './files.ts'
import { namedKeys } from './keys.ts'
import type { Namer } from './policy-error.ts'
import { findPackage, loadPolicyFile, type PolicyResult } from './policy-file.ts'
import { rename } from './policy-members.ts'
import { digestOf, toPolicySource, type PolicyText } from './policy-source.ts'
import { readSources } from './policy-sources.ts'
import { noteUnmatched } from './policy-selectors.ts'
import type { PolicySettings, PolicySource } from './settings.ts'
import type { RawPolicy } from './shape-policy.ts'
import type { RawConfig } from './shape.ts'

export interface PolicyParts {
  readonly routes: readonly Route[]
  /** Of the config: paths are relative to it. */
  readonly folder: string
  readonly toName: Namer
  /** The config as it is written, and what it is called. */
  readonly source: PolicyText
  /** These are part of the config. */
  addFiles(files: readonly string[]): void
}

/** A policy that was read; `start` runs its file, where it has one. */
export interface PolicyDraft {
  readonly raw: RawPolicy
  readonly version: string
  readonly route: Route | undefined
  readonly key: string | undefined
  /** One of several that an entry stands for, all in shadow. */
  readonly isPart: boolean
  readonly source: PolicySource
  start(): PolicyResult | Promise<PolicyResult>
}

/** All policies of the file. Nothing of a person's own is run yet: first everything else must be right. */
export function draftPolicies(
  config: RawConfig,
  parts: PolicyParts,
  reading: Reading,
): readonly PolicyDraft[] {
  const { values } = config
  const toDrafts = (
    list: readonly Placed<RawPolicy>[] | undefined,
    under: Under = {},
  ): readonly PolicyDraft[] =>
    (list ?? []).flatMap(({ value }) => draftPolicy(value, { ...parts, under }, reading))
  const drafts = [
    ...toDrafts(values.policies),
    ...(values.routes ?? []).flatMap(({ value }, index) => {
      const route = parts.routes[index]
      return toDrafts(value.values.policies, route === undefined ? {} : { route })
    }),
    ...namedKeys(config).flatMap(({ name, key }) => toDrafts(key.values.policies, { key: name })),
  ]
  const keys = namedKeys(config).map(({ name }) => name)
  if (!reading.notes.hasMistakes)
    noteUnmatched({ keys, routes: parts.routes }, eachOnce(drafts), reading)
  return drafts
}

/** What a policy stands under: a route, a key, or neither. */
type Under = Partial<Pick<PolicyDraft, 'route' | 'key'>>

/** One entry: one policy, or several. */
export function draftPolicy(
  raw: RawPolicy,
  { under = {}, ...parts }: Omit<PolicyParts, 'routes'> & { readonly under?: Under },
  reading: Reading,
): readonly PolicyDraft[] {
  const source = toPolicySource(raw, parts.source, reading.env)
  return toMade(raw, parts, reading).map((made) => ({
    ...made,
    raw,
    route: under.route,
    key: under.key,
    source: { ...source, isPart: made.isPart },
  }))
}

/** A preset is several drafts of the same lines. */
const eachOnce = (drafts: readonly PolicyDraft[]): readonly PolicyDraft[] => [
  ...new Map(drafts.map((draft) => [draft.raw, draft])).values(),
]

/** The policies that came out of it; what is wrong is noted. */
export function toPolicies(
  drafts: readonly PolicyDraft[],
  results: readonly PolicyResult[],
  reading: Reading,
): readonly PolicySettings[] {
  const taken = new Map<string, PolicyDraft>()
  return drafts.flatMap((draft, index) => {
    const result = results[index]
    const { raw } = draft
    if (result === undefined) return []
    if (result.type === 'wrong') {
      for (const sentence of result.sentences) refuse(raw.useSpot, reading, sentence)
      return []
    }
    const name = toName(draft, result.policy.name, taken, reading)
    taken.set(name, draft)
    return [toSettings(draft, { ...result, name })]
  })
}

function toSettings(
  { raw, version: digest, route, key, isPart, source: written }: PolicyDraft,
  { policy, name }: Extract<PolicyResult, { type: 'policy' }> & { readonly name: string },
): PolicySettings {
  const { common, use, source } = raw
  const version = policy.version ?? digest
  const own = source.type === 'stock' ? source.entry.timeoutMs : undefined
  return {
    name,
    use,
    version,
    installed: {
      policy: rename(policy, name, version),
      onError: common.onError ?? 'deny',
      timeoutMs: common.timeout ?? own ?? defaults.POLICY_TIMEOUT,
      isShadow: isPart || (common.shadow ?? false),
    },
    models: toTexts(common.models),
    keys: toTexts(common.keys),
    routes: toTexts(common.routes),
    route,
    key,
    source: written,
  }
}

const toTexts = (list: readonly Placed<string>[] | undefined): readonly string[] | undefined =>
  list?.map(({ value }) => value)

/** Records tell policies apart by name: a second one that nobody named gets a number. */
function toName(
  draft: PolicyDraft,
  own: string,
  taken: ReadonlyMap<string, PolicyDraft>,
  reading: Reading,
): string {
  const { common, spots, use } = draft.raw
  const name = draft.isPart ? `${common.name ?? use}.${own}` : (common.name ?? own)
  const before = taken.get(name)
  if (before === undefined) return name
  // The same lines under two routes, by an alias, are the same policy.
  if (before.raw.use === use && before.version === draft.version) return name
  if (common.name !== undefined && spots.name !== undefined) {
    const { line } = before.raw.spot.node.place
    refuse(spots.name, reading, `a policy of this name is there already, in line ${line}`)
    return name
  }
  let number = 2
  while (taken.has(`${name}-${number}`)) number += 1
  return `${name}-${number}`
}

type Made = Pick<PolicyDraft, 'version' | 'start' | 'isPart'>

function toMade(
  raw: RawPolicy,
  parts: Omit<PolicyParts, 'routes'>,
  reading: Reading,
): readonly Made[] {
  const { source } = raw
  if (source.type === 'stock') return toStock(source, digestOf(raw.spot.node), reading)
  const path = findFile(raw, parts, reading)
  if (path === undefined) return []
  const sources = readSources(path)
  parts.addFiles(sources.files)
  const { options } = source
  return [
    {
      version: digestOf(raw.spot.node, sources.digest),
      isPart: false,
      start: () => loadPolicyFile(path, { sources, options, toName: parts.toName }),
    },
  ]
}

/** What was not right is noted by the entry itself. */
function toStock(
  { entry, own }: Extract<RawPolicy['source'], { type: 'stock' }>,
  version: string,
  reading: Reading,
): readonly Made[] {
  const isPart = entry.makeShadows !== undefined
  const policies = isPart ? entry.makeShadows?.(own, reading) : [entry.make(own, reading)]
  return (policies ?? []).flatMap((policy) => {
    if (policy === undefined) return []
    const result: PolicyResult = { type: 'policy', policy }
    return [{ version, isPart, start: () => result }]
  })
}

const ENDINGS = ['.ts', '.mts', '.js', '.mjs', '.cjs']

/** The file behind a path or a package, if it can be read. */
function findFile(
  { use, useSpot }: RawPolicy,
  parts: Pick<PolicyParts, 'folder' | 'addFiles'>,
  reading: Reading,
) {
  const beside = resolve(parts.folder, use)
  const isPath = /^\.{1,2}\//.test(use) || isAbsolute(use)
  const path = isPath ? beside : findPackage(use, parts.folder)
  if (path === undefined)
    return refuse(
      useSpot,
      reading,
      existsSync(beside)
        ? 'there is no such package: the path of a file begins with ./'
        : 'there is no such package here: install it beside this file, or write the path of a file, which begins with ./',
    )
  if (!ENDINGS.includes(extname(path)))
    return refuse(useSpot, reading, 'a policy file ends with .ts, .js or .mjs')
  const read = readText(path)
  if (read.type === 'text') return path
  parts.addFiles([path])
  const why = read.type === 'unreadable' ? read.why : 'it is too large, or no text'
  return refuse(useSpot, reading, `the file cannot be read: ${why}`)
}
