/**
 * Text in an encoding, read as a model can read it: base64, hex, escapes. Neighbours: `scan-text.ts` looks at what comes
 * out. Linear: a run is decoded only if its beginning comes out as words.
 */

export interface Decoded {
  readonly text: string
  readonly name: string
  readonly start: number
  readonly end: number
}

const ENCODINGS: readonly {
  readonly name: string
  readonly pattern: RegExp
  /** `undefined`: it is not so encoded. */
  decode(run: string): string | undefined
}[] = [
  {
    name: 'base64',
    pattern: /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,}={0,2}/g,
    decode: (run) => fromBytes(Buffer.from(run, 'base64')),
  },
  {
    name: 'hex',
    pattern: /(?<![0-9a-fA-F])[0-9a-fA-F]{48,}/g,
    decode: (run) => fromBytes(Buffer.from(run, 'hex')),
  },
  {
    name: 'escapes',
    pattern: /(?:\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\\u00[0-9a-fA-F]{2}){12,}/g,
    decode: (run) => fromBytes(Buffer.from(run.replace(/\\x|%|\\u00/g, ''), 'hex')),
  },
  {
    name: 'entities',
    pattern: /(?:&#x?[0-9a-fA-F]{2,5};){12,}/g,
    decode: (run) =>
      run.replace(/&#(x?)([0-9a-fA-F]+);/g, (_all, hex: string, digits: string) =>
        String.fromCharCode(Number.parseInt(digits, hex === '' ? 10 : 16)),
      ),
  },
]

/** Enough to see whether it is text. */
const PROBE = 64

export function decodeRuns(text: string): readonly Decoded[] {
  return ENCODINGS.flatMap(({ name, pattern, decode }) => {
    const found: Decoded[] = []
    for (const { 0: run, index } of text.matchAll(pattern)) {
      if (name !== 'entities' && decode(run.slice(0, PROBE * 2)) === undefined) continue
      const inside = decode(run)
      if (inside !== undefined)
        found.push({ text: inside, name, start: index, end: index + run.length })
    }
    return found
  })
}

/** Bytes that are words: most of them letters and spaces. */
function fromBytes(bytes: Buffer): string | undefined {
  let plain = 0
  const length = Math.min(bytes.length, PROBE)
  for (let i = 0; i < length; i++) {
    const byte = bytes[i] ?? 0
    if ((byte >= 0x20 && byte < 0x7f) || byte === 10 || byte === 13 || byte === 9) plain += 1
  }
  return plain >= length * 0.9 ? bytes.toString('utf8') : undefined
}
