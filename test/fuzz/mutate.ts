/**
 * Streams that are almost right: legal ones with a few things done to them that networks, proxies and
 * hurried servers do.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WIRE_NAMES, type WireName } from '../../src/index.ts'

export type Random = () => number

/** A random source that gives the same numbers for the same seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const FIXTURES = join(import.meta.dirname, '../fixtures')

export function readSeeds(): { wire: WireName; bytes: Uint8Array }[] {
  return WIRE_NAMES.flatMap((wire) =>
    readdirSync(join(FIXTURES, wire))
      .filter((name) => name.endsWith('.sse'))
      .map((name) => ({ wire, bytes: new Uint8Array(readFileSync(join(FIXTURES, wire, name))) })),
  )
}

const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T

const VALUES = [
  'null',
  '""',
  '0',
  '-1',
  '1e9',
  '[]',
  '{}',
  'true',
  '"x"',
  '[null]',
  '{"type":"text"}',
  '"tool_use"',
  '"[DONE]"',
]

const MUTATIONS: readonly ((text: string, random: Random) => string)[] = [
  // Frames lost, doubled, swapped, cut.
  (text, random) => frames(text, (list) => list.filter(() => random() > 0.1)),
  (text, random) =>
    frames(text, (list) => list.flatMap((frame) => (random() > 0.9 ? [frame, frame] : [frame]))),
  (text, random) =>
    frames(text, (list) =>
      list.map((frame, i) => (random() > 0.9 ? (list[i + 1] ?? frame) : frame)),
    ),
  (text, random) => text.slice(0, Math.floor(random() * text.length)),
  // Values of another kind, keys gone or renamed.
  (text, random) =>
    text.replace(/:("[^"]*"|\d+|null|\[\]|\{\})/g, (all) =>
      random() > 0.97 ? `:${pick(random, VALUES)}` : all,
    ),
  (text, random) => text.replace(/"(\w+)":/g, (all) => (random() > 0.98 ? '"other":' : all)),
  (text, random) =>
    text.replace(/"index":\d+|"output_index":\d+/g, (all) =>
      random() > 0.8 ? all.replace(/\d+/, String(Math.floor(random() * 4))) : all,
    ),
  // Framing.
  (text, random) =>
    text.replace(/\n/g, () => (random() > 0.95 ? '\r\n' : random() > 0.97 ? '\r' : '\n')),
  (text, random) =>
    text.replace(/^(event|data): /gm, (all) =>
      random() > 0.95 ? all.trimEnd() : random() > 0.97 ? 'x: ' : all,
    ),
  (text, random) =>
    splice(
      text,
      random,
      pick(random, [
        '\n\n',
        ': comment\n\n',
        'data: [DONE]\n\n',
        'data:\n\n',
        'event: ping\n\n',
        'error: {"error":"x"}\n\n',
        '\ufeff',
        '\u0000',
        '{',
        'data: {\n\n',
      ]),
    ),
]

const frames = (text: string, change: (list: string[]) => string[]): string =>
  change(text.split(/(?<=\n\n)/)).join('')

function splice(text: string, random: Random, piece: string): string {
  const at = Math.floor(random() * (text.length + 1))
  return text.slice(0, at) + piece + text.slice(at)
}

export function mutate(bytes: Uint8Array, random: Random): Uint8Array {
  let text = new TextDecoder().decode(bytes)
  for (let i = 0; i <= random() * 3; i++) text = pick(random, MUTATIONS)(text, random)
  const out = new TextEncoder().encode(text)
  // Some bytes that are no UTF-8.
  if (random() > 0.9 && out.length > 0)
    out[Math.floor(random() * out.length)] = Math.floor(random() * 256)
  return out
}

export function cutRandomly(bytes: Uint8Array, random: Random): Uint8Array[] {
  const pieces: Uint8Array[] = []
  const mean = pick(random, [1, 3, 20, 200, 5000])
  for (let at = 0; at < bytes.length;) {
    const size = 1 + Math.floor(random() * mean * 2)
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}
