/**
 * Paths as text: made absolute, with `.` and `..` resolved, and whether they lie in a folder. Neighbours:
 * `findings.ts` and `shell/*` ask. Knows no disk: a link that leads elsewhere is not seen.
 */

/** Whether it says by itself where it is, without a folder to start from. */
export const isRooted = (path: string): boolean =>
  path.startsWith('/') || path.startsWith('~') || isDrive(path) || path.startsWith('\\\\')

/** Whether its beginning is only known when it runs, or it is no path of this machine. */
export const isUnplaced = (path: string): boolean =>
  path.startsWith('$') ||
  path.startsWith('`') ||
  path.startsWith('<(') ||
  path.startsWith('{}') ||
  isAddress(path)

const isAddress = (path: string): boolean => {
  const at = path.indexOf('://')
  return at > 0 && at < 20 && !path.startsWith('file:')
}

const isDrive = (path: string): boolean =>
  path.charCodeAt(1) === 58 && /^[A-Za-z]:(?:[\\/]|$)/.test(path)

/**
 * A path as it stands seen from `folder`; an empty folder is one that is not known. What has no place stays as it
 * was written. A path that begins at a root is tidied in any case: `/tmp/../etc` is `/etc`.
 */
export function resolvePath(folder: string, written: string): string {
  const path = written.startsWith('file://') ? written.slice(7) : written
  if (isUnplaced(path)) return path
  if (isRooted(path)) return tidy(path)
  if (folder === '') return path
  return tidy(`${folder}/${path}`)
}

/** Whether `path` is `folder` or lies in it. Both as `resolvePath` gave them back. */
export function isInside(folder: string, path: string): boolean {
  const [outer, inner] = isDrive(folder)
    ? [folder.toLowerCase(), path.toLowerCase()]
    : [folder, path]
  return (
    inner === outer ||
    (inner.startsWith(outer) && (outer.endsWith('/') || inner[outer.length] === '/'))
  )
}

/** The home of whoever works in that folder, where the folder shows it; else empty. */
export function homeOf(folder: string): string {
  const home = /^(?:\/(?:home|Users)\/[^/]+|\/root|[A-Za-z]:\/Users\/[^/]+)(?=\/|$)/.exec(folder)
  return home?.[0] ?? ''
}

const SLASH = 0x2f
const BACKSLASH = 0x5c
const DOT = 0x2e

/** Whether there is nothing to tidy: it begins at a root, and no piece is empty or begins with a dot. */
function isPlain(path: string): boolean {
  if (path.charCodeAt(0) !== SLASH || path.length === 1) return false
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at)
    if (code === BACKSLASH) return false
    if (code !== SLASH) continue
    const next = path.charCodeAt(at + 1)
    // Behind the end there is none.
    if (next === SLASH || next === DOT || Number.isNaN(next)) return false
  }
  return true
}

function tidy(path: string): string {
  if (isPlain(path)) return path
  const isWindows = isDrive(path) || path.startsWith('\\\\')
  const pieces = (isWindows ? path.replaceAll('\\', '/') : path).split('/')
  const root = pieces[0] ?? ''
  const kept: string[] = []
  for (const piece of pieces.slice(1)) {
    if (piece === '' || piece === '.') continue
    if (piece !== '..') kept.push(piece)
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (root.startsWith('~')) kept.push('..')
  }
  return kept.length === 0 && !root.startsWith('~') ? `${root}/` : [root, ...kept].join('/')
}

/** The last piece of a path. */
export function baseName(path: string): string {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end)
}
