/**
 * Text to bytes that are held for long. Node cuts small buffers out of pools of eight kilobytes, and a piece keeps the whole pool
 * alive: what an open stream has for as long as it takes is in memory of its own. Neighbours: `run.ts`, `way.ts`.
 */
export function toOwnBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** Several texts, in one piece of memory. */
export function toOwnPieces<Texts extends readonly string[]>(
  ...texts: Texts
): { [Place in keyof Texts]: Buffer } {
  const all = toOwnBytes(texts.join(''))
  let at = 0
  const pieces = texts.map((text) => all.subarray(at, (at += Buffer.byteLength(text))))
  return pieces as unknown as { [Place in keyof Texts]: Buffer }
}
