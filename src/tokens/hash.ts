/**
 * Bytes to a short key, fast and the same everywhere. For memory only: it says nothing about who sent the
 * bytes, and a stranger could make two bodies with one key. Neighbours: whoever has a body before it is
 * parsed. Knows no request.
 */

/** 64 bits of hash and the length. Four bytes at a time. */
export function hashBytes(bytes: Uint8Array): string {
  const { byteOffset, byteLength } = bytes
  const view = new DataView(bytes.buffer, byteOffset, byteLength)
  let one = 0x9e3779b9
  let two = 0x85ebca6b
  let at = 0
  for (; at + 4 <= byteLength; at += 4) {
    const word = view.getUint32(at, true)
    one = Math.imul(one ^ word, 0x85ebca77)
    one ^= one >>> 15
    two = Math.imul(two ^ word, 0xc2b2ae3d)
    two ^= two >>> 13
  }
  for (; at < byteLength; at++) {
    const byte = view.getUint8(at)
    one = Math.imul(one ^ byte, 0x85ebca77)
    two = Math.imul(two ^ byte, 0xc2b2ae3d)
  }
  one = Math.imul(one ^ (two >>> 16), 0x27d4eb2f)
  two = Math.imul(two ^ (one >>> 13), 0x165667b1)
  return `${byteLength.toString(36)}.${(one >>> 0).toString(36)}.${(two >>> 0).toString(36)}`
}
