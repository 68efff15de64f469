/**
 * A PNG as a browser writes it → the same with a palette of 256 colours, a third of its size. For pictures of the page, which
 * have few colours. Neighbours: `page-screenshots.ts`. Knows 8-bit RGB and RGBA without interlacing, and drops the alpha.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const MAX_COLOURS = 256
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

export function toPalettePng(png: Buffer): Buffer {
  const { width, height, pixels } = readPixels(png)
  const counts = new Map<number, number>()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const palette = choosePalette(counts)
  const places = new Map([...counts.keys()].map((colour) => [colour, nearest(colour, palette)]))
  // A line begins with its filter: none, which suits palettes.
  const lines = Buffer.alloc((width + 1) * height)
  for (let at = 0; at < pixels.length; at++)
    lines[at + Math.floor(at / width) + 1] = places.get(pixels[at] ?? 0) ?? 0
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    SIGNATURE,
    toChunk('IHDR', head),
    toChunk('PLTE', Buffer.from(palette.flatMap(toParts))),
    toChunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    toChunk('IEND', Buffer.alloc(0)),
  ])
}

/** The commonest first, then always the one that would be missed most: rare ones may be marks. */
function choosePalette(counts: ReadonlyMap<number, number>): readonly number[] {
  const colours = [...counts].toSorted((one, other) => other[1] - one[1])
  const missed = colours.map(() => Infinity)
  const palette: number[] = []
  while (palette.length < Math.min(MAX_COLOURS, colours.length)) {
    let next = 0
    let most = -1
    for (const [at, [, count]] of colours.entries()) {
      const weight = (missed[at] ?? 0) * Math.sqrt(count)
      if (weight > most) [next, most] = [at, weight]
    }
    const chosen = colours[next]?.[0] ?? 0
    palette.push(chosen)
    for (const [at, [colour]] of colours.entries())
      missed[at] = Math.min(missed[at] ?? 0, distance(colour, chosen))
  }
  return palette
}

interface Pixels {
  readonly width: number
  readonly height: number
  /** `0xRRGGBB`, line by line. */
  readonly pixels: Uint32Array
}

function readPixels(png: Buffer): Pixels {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const size = png[25] === 6 ? 4 : 3
  const data: Buffer[] = []
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const raw = inflateSync(Buffer.concat(data))
  const stride = width * size
  const pixels = new Uint32Array(width * height)
  let above = new Uint8Array(stride)
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1)
    const line = unfilter(raw[start] ?? 0, raw.subarray(start + 1, start + 1 + stride), above, size)
    for (let x = 0; x < width; x++)
      pixels[y * width + x] =
        ((line[x * size] ?? 0) << 16) | ((line[x * size + 1] ?? 0) << 8) | (line[x * size + 2] ?? 0)
    above = line
  }
  return { width, height, pixels }
}

/** What the format adds to each byte, by the number of the filter. */
function unfilter(
  filter: number,
  bytes: Uint8Array,
  above: Uint8Array,
  size: number,
): Uint8Array<ArrayBuffer> {
  const line = new Uint8Array(bytes.length)
  for (let at = 0; at < bytes.length; at++) {
    const left = line[at - size] ?? 0
    const up = above[at] ?? 0
    const corner = above[at - size] ?? 0
    const added = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0
    line[at] = (bytes[at] ?? 0) + added
  }
  return line
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}

function nearest(colour: number, palette: readonly number[]): number {
  let best = 0
  let least = Infinity
  for (const [at, other] of palette.entries()) {
    const far = distance(colour, other)
    if (far < least) [best, least] = [at, far]
  }
  return best
}

function distance(one: number, other: number): number {
  const [r, g, b] = toParts(one)
  const [red, green, blue] = toParts(other)
  return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2
}

const toParts = (colour: number): readonly [number, number, number] => [
  colour >> 16,
  (colour >> 8) & 255,
  colour & 255,
]

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([size, body, sum])
}
