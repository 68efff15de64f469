/**
 * A path → text, with a limit. Neighbours: `load.ts` reads the config with it and what the config names.
 */
import { closeSync, openSync, readSync } from 'node:fs'

/** Far beyond any config, certificate or key. */
export const MAX_FILE_BYTES = 1024 ** 2

export type FileRead =
  | { readonly type: 'text'; readonly text: string }
  /** `why` ends the sentence "it cannot be read: …". */
  | { readonly type: 'unreadable'; readonly why: string; readonly cause: unknown }
  | { readonly type: 'too-large' }
  /** Up to the first byte that is no UTF-8. */
  | { readonly type: 'no-text'; readonly before: string }

export function readText(path: string): FileRead {
  let bytes: Buffer
  try {
    bytes = readBytes(path)
  } catch (cause) {
    return { type: 'unreadable', why: toReason(cause), cause }
  }
  if (bytes.length > MAX_FILE_BYTES) return { type: 'too-large' }
  try {
    return { type: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    const [before = ''] = new TextDecoder().decode(bytes).split('\uFFFD', 1)
    return { type: 'no-text', before }
  }
}

/** Not by its size: a pipe has none, and `/dev/zero` has no end. */
function readBytes(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const parts: Buffer[] = []
    let length = 0
    while (length <= MAX_FILE_BYTES) {
      const part = Buffer.alloc(64 * 1024)
      const read = readSync(file, part)
      if (read === 0) break
      parts.push(part.subarray(0, read))
      length += read
    }
    return Buffer.concat(parts)
  } finally {
    closeSync(file)
  }
}

function toReason(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  return REASONS[code] ?? `the system says ${code}`
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
}
