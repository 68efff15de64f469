/**
 * A patch → the files that it adds, changes, deletes and moves: the `*** Begin Patch` form of Codex and the plain
 * unified diff. Neighbours: `read-facts.ts` for tools, `shell/shells.ts` for patches that come through a pipe.
 */
import type { FileUse, Findings } from './findings.ts'

type Resolve = (path: string) => readonly string[]

const MARKS: readonly (readonly [string, FileUse])[] = [
  ['*** Add File: ', 'written'],
  ['*** Update File: ', 'written'],
  ['*** Delete File: ', 'deleted'],
  ['*** Move to: ', 'written'],
  ['rename from ', 'deleted'],
  ['rename to ', 'written'],
]

export function addPatch(findings: Findings, text: string, resolve: Resolve): void {
  if (!findings.spendText(text.length)) return
  let updated: string | undefined
  let old: string | undefined
  const add = (use: FileUse, path: string): void => {
    for (const one of resolve(path.trim())) findings.file(use, one)
  }
  for (const line of text.split('\n')) {
    const mark =
      line.startsWith('*** ') || line.startsWith('rename ')
        ? MARKS.find(([start]) => line.startsWith(start))
        : undefined
    if (mark !== undefined) {
      const [start, use] = mark
      const path = line.slice(start.length)
      if (start === '*** Move to: ' && updated !== undefined) add('deleted', updated)
      updated = start === '*** Update File: ' ? path : undefined
      add(use, path)
    } else if (line.startsWith('--- ')) old = toPath(line)
    else if (line.startsWith('+++ ') && old !== undefined) {
      const next = toPath(line)
      if (next === '/dev/null') add('deleted', old)
      else add('written', next)
      old = undefined
    }
  }
}

/** `--- a/src/x.ts\t2026-01-01` → `src/x.ts`. */
function toPath(line: string): string {
  const path = (line.slice(4).split('\t')[0] ?? '').trim()
  return /^[ab]\//.test(path) ? path.slice(2) : path
}
