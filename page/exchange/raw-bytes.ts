/** What recorded bytes are, by themselves. Neighbours: `raw-body.ts` has them. Knows no page. */

/** `undefined` where the bytes are not text to the byte. */
export function toExactText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** No line of a stream begins so. */
export function isJsonBody(bytes: Uint8Array): boolean {
  let at = 0
  while (SPACES.has(bytes[at])) at += 1
  return bytes[at] === 0x7b || bytes[at] === 0x5b
}

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 30_000)
    text += String.fromCodePoint(...bytes.subarray(at, at + 30_000))
  return btoa(text)
}

/** Letters, digits and lines only: it becomes a path on somebody's disk. */
export const toFileName = (id: string, ending: string): string =>
  `${id.replaceAll(/[^\w-]/g, '_').slice(0, 100) || 'exchange'}.${ending}`
