/**
 * Parts of a request that are no text to about how many tokens they are. Vendors count an image by its
 * pixels, a document by its pages and a sound by its seconds; here is only the size of what was sent, and for
 * PNG its header. Neighbours: `estimate.ts`. What is only named, by URL or id, gets the cost of a usual one.
 */
import { toObject, toText, type JsonObject } from '../base/json.ts'

/** Anthropic: width × height / 750, and no more than about this after scaling down; OpenAI is near it. */
const PIXELS_A_TOKEN = 750
const MAX_IMAGE = 1600
const MIN_IMAGE = 70
/** An image of which nothing is known: 1000 × 1000. */
const USUAL_IMAGE = 1300
/** OpenAI's price of an image that is to be looked at coarsely. */
const COARSE_IMAGE = 85
/** A photo has about two bits a pixel. */
const BYTES_A_TOKEN_OF_PHOTO = PIXELS_A_TOKEN / 4

/** A page of a PDF is some 50 kB and 1500 to 3000 tokens. */
const BYTES_A_TOKEN_OF_FILE = 22
const USUAL_FILE = 2500
const MAX_FILE = 250_000

/** Ten tokens a second; a second of MP3 is some 16 kB. */
const BYTES_A_TOKEN_OF_SOUND = 1600

/** The frame of a sealed reasoning, and what it has for each token: measured on seven of OpenAI's. */
const SEAL = 850
const SEALED_A_TOKEN = 7

export function weighImage(part: JsonObject): number {
  const url = toText(part['image_url']) ?? toText(toObject(part['image_url'])?.['url'])
  const source = toObject(part['source'])
  const detail = toText(part['detail']) ?? toText(toObject(part['image_url'])?.['detail'])
  if (detail === 'low') return COARSE_IMAGE
  const data = source === undefined ? fromDataUrl(url) : toText(source['data'])
  if (data === undefined) return USUAL_IMAGE
  const tokens = pngTokens(data) ?? toBytes(data) / BYTES_A_TOKEN_OF_PHOTO
  return Math.min(MAX_IMAGE, Math.max(MIN_IMAGE, tokens))
}

/** `weigh` is for a document that is made of text or of parts. */
export function weighFile(part: JsonObject, weigh: (content: unknown) => number): number {
  const source = toObject(part['source'])
  const named = weigh(part['title']) + weigh(part['context'])
  if (source?.['type'] === 'text') return named + weigh(source['data'])
  if (source?.['content'] !== undefined) return named + weigh(source['content'])
  const given = toText(part['file_data']) ?? toText(toObject(part['file'])?.['file_data'])
  const data = source === undefined ? (fromDataUrl(given) ?? given) : toText(source['data'])
  if (data === undefined) return named + USUAL_FILE
  return named + Math.min(MAX_FILE, toBytes(data) / BYTES_A_TOKEN_OF_FILE)
}

export function weighSound(part: JsonObject): number {
  const data = toText(toObject(part['input_audio'])?.['data']) ?? toText(part['data']) ?? ''
  return toBytes(data) / BYTES_A_TOKEN_OF_SOUND
}

/** What only its vendor can open: a redacted thinking, an encrypted reasoning. */
export const weighSealed = (value: unknown): number =>
  typeof value === 'string' ? Math.max(0, (value.length - SEAL) / SEALED_A_TOKEN) : 0

const toBytes = (base64: string): number => base64.length * 0.75

function fromDataUrl(url: string | undefined): string | undefined {
  if (url === undefined || !url.startsWith('data:')) return undefined
  const comma = url.indexOf(',')
  return comma < 0 ? undefined : url.slice(comma + 1)
}

/** The header of a PNG says its size in bytes 16 to 23. */
const PNG = 'iVBORw0KGgo'

function pngTokens(base64: string): number | undefined {
  if (!base64.startsWith(PNG) || base64.length < 32) return undefined
  try {
    const header = atob(base64.slice(0, 32))
    const number = (at: number): number =>
      header.charCodeAt(at) * 0x1000000 +
      header.charCodeAt(at + 1) * 0x10000 +
      header.charCodeAt(at + 2) * 0x100 +
      header.charCodeAt(at + 3)
    return (number(16) * number(20)) / PIXELS_A_TOKEN
  } catch {
    return undefined
  }
}
