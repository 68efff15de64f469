/**
 * A policy file → every file that it is made of, and a digest of them. Neighbours: `policy-file.ts` runs it,
 * `watch.ts` watches what is found. Runs nothing, so that a file that is broken, or was never right, is known too.
 */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { readText } from './files.ts'

export interface PolicySources {
  /** Absolute, the policy file first. One that is imported and not there is among them: it may come. */
  readonly files: readonly string[]
  /** Packages that they import. */
  readonly packages: readonly string[]
  /** SHA-256 of all of them, in hex. */
  readonly digest: string
  /** More files than are followed. */
  readonly isTooMany: boolean
}

/** More is a program, and belongs into a package. */
export const MAX_SOURCES = 256

export function readSources(entry: string): PolicySources {
  const files = new Set([entry])
  const packages = new Set<string>()
  const hash = createHash('sha256')
  // A set is walked in the order in which it grows, what is added meanwhile included.
  for (const file of files) {
    const read = readText(file)
    if (read.type !== 'text') continue
    hash.update(`${relative(dirname(entry), file)}\0${read.text}\0`)
    if (!isCode(file)) continue
    for (const name of packagesIn(read.text)) packages.add(name)
    for (const found of filesIn(read.text, file)) {
      if (files.size > MAX_SOURCES) break
      files.add(found)
    }
  }
  return {
    files: [...files],
    packages: [...packages],
    digest: hash.digest('hex'),
    isTooMany: files.size > MAX_SOURCES,
  }
}

const CODE = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']

const isCode = (file: string): boolean => CODE.includes(extname(file))

/**
 * Whatever is quoted and begins as a relative path does: imports in every form, `require`, `new URL`. What only looks
 * like one costs a look and no more.
 */
const RELATIVE = /(['"`])(\.{1,2}\/[^'"`\n]{1,300})\1/g

function filesIn(text: string, file: string): readonly string[] {
  const found = [...text.matchAll(RELATIVE)].map(([, , path = '']) => path)
  return [...new Set(found)].flatMap((path) => find(resolve(dirname(file), path)) ?? [])
}

/** As an import finds it: the file itself, the `.ts` that a `.js` is made from, without its ending, in a folder. */
function find(path: string): string | undefined {
  const source = path.replace(/\.([cm]?)js$/, '.$1ts')
  const folder = CODE.map((ending) => join(path, `index${ending}`))
  const tried = [path, source, ...CODE.map((ending) => path + ending), ...folder]
  return tried.find(isFile) ?? (isCode(path) ? path : undefined)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

const BARE = /(?:from|import|require\(|import\()\s*(['"])([^'"./\s][^'"\s]{0,213})\1/g

function packagesIn(text: string): readonly string[] {
  return [...text.matchAll(BARE)].flatMap(([, , id = '']) => {
    const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(id) ?? []
    return name === undefined || name.startsWith('node:') ? [] : [name]
  })
}
