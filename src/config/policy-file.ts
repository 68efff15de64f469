/**
 * A policy file of a person's own → the policy that it gives, or what is wrong with it, with file, line and source.
 * Neighbours: `policies.ts` asks, `policy-sources.ts` knows what it is made of, `policy-members.ts` looks over what
 * comes out. Knows no setting.
 *
 * Files run through jiti in every form, plain JavaScript too: only so are the files that they import read anew as
 * well, and no old version stays in memory. Nothing is kept on disk, where others could put something else. It is the
 * synchronous way of jiti, because its asynchronous one leaves ES modules to Node, which reads each file only once;
 * that is why such a file cannot await at its top level.
 */
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type * as Jiti from 'jiti'
import type { Policy } from '../policy/policy.ts'
import { AUTHOR } from './policy-author.ts'
import { toSentence, type Namer } from './policy-error.ts'
import { checkPolicy, REMEDY } from './policy-members.ts'
import { MAX_SOURCES, type PolicySources } from './policy-sources.ts'

export type PolicyResult =
  | { readonly type: 'policy'; readonly policy: Policy }
  | { readonly type: 'wrong'; readonly sentences: readonly string[] }

export interface FileOptions {
  readonly sources: PolicySources
  /** What is handed to its function; `undefined`: nothing stands there. */
  readonly options: Readonly<Record<string, unknown>> | undefined
  /** Short names for messages. */
  readonly toName: Namer
}

/** The policy of a file; a promise where its function takes its time. */
export function loadPolicyFile(
  path: string,
  { sources, options, toName }: FileOptions,
): PolicyResult | Promise<PolicyResult> {
  if (sources.isTooMany)
    return wrong(`it is made of more than ${MAX_SOURCES} files: make a package of it`)
  try {
    const given = toDefault(run(path, sources))
    if (typeof given !== 'function') {
      if (given !== undefined && options !== undefined)
        return wrong(
          `${Object.keys(options).join(', ')}: the file takes no options, because it exports a policy: export a function that makes one`,
        )
      return look(given)
    }
    const made: unknown = (given as (options: unknown) => unknown)(options ?? {})
    return isPromise(made) ? settle(made, sources.files, toName) : look(made)
  } catch (error) {
    return wrong(toSentence(error, sources.files, toName))
  }
}

/** Where a package's file lies, as an import in the config's folder would find it. */
export function findPackage(id: string, folder: string): string | undefined {
  const parentURL = pathToFileURL(`${folder}/sluice.yaml`)
  try {
    const url = jiti().createJiti(parentURL.href, QUIET).esmResolve(id, { parentURL, try: true })
    return url?.startsWith('file:') === true ? fileURLToPath(url) : undefined
  } catch {
    return undefined
  }
}

/** A function that never answers would keep the gateway from starting. */
const MAX_WAIT_MS = 10_000

async function settle(
  made: PromiseLike<unknown>,
  files: readonly string[],
  toName: Namer,
): Promise<PolicyResult> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<PolicyResult>((resolve) => {
    const sentence = `its function has made no policy within ${MAX_WAIT_MS / 1000}s`
    timer = setTimeout(() => resolve(wrong(sentence)), MAX_WAIT_MS)
  })
  try {
    return await Promise.race([late, Promise.resolve(made).then(look)])
  } catch (error) {
    return wrong(toSentence(error, files, toName))
  } finally {
    clearTimeout(timer)
  }
}

const require = createRequire(import.meta.url)

/** Loaded with the first file: most gateways have none. */
const jiti = (): typeof Jiti => require('jiti') as typeof Jiti

const QUIET = { fsCache: false, moduleCache: false, interopDefault: false } as const

function run(path: string, { files, packages }: PolicySources): unknown {
  const load = jiti().createJiti(pathToFileURL(path).href, {
    ...QUIET,
    virtualModules: { sluice: AUTHOR, 'sluice/policy': AUTHOR },
    // Left to Node: they do not change while we run, and to translate them anew would take long.
    nativeModules: [...packages],
  }) as unknown as (path: string) => unknown
  forget(files)
  return load(path)
}

/** JSON and CommonJS go through Node, which keeps them. */
function forget(files: readonly string[]): void {
  const { cache } = require
  for (const file of files) {
    try {
      delete cache[realpathSync(file)]
    } catch {
      // It is not there, so it is not kept either.
    }
  }
}

/** CommonJS has no default export: there, what is exported is it. */
function toDefault(exported: unknown): unknown {
  if (typeof exported !== 'object' || exported === null) return exported
  const isModule = '__esModule' in exported || 'default' in exported
  if (isModule) return (exported as { default?: unknown }).default
  return Object.keys(exported).length === 0 ? undefined : exported
}

function look(value: unknown): PolicyResult {
  if (value === undefined) return wrong(`it has no default export: ${REMEDY}`)
  return checkPolicy(value)
}

const wrong = (...sentences: readonly string[]): PolicyResult => ({ type: 'wrong', sentences })

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { then?: unknown }).then === 'function'
