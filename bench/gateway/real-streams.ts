/**
 * Streams that were recorded, in place of those that are made: real ones are framed in ways that nobody would think of.
 * Neighbours: `upstream.ts` sends them in turn, `cost.ts` knows how long they are, `lineup.ts` whether one came through.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFrameDecoder, type WireName } from '../../src/index.ts'
import { WIRES } from '../../src/wire/wires.ts'
import { answerOf, benchAnswer, type BenchAnswer } from './frames.ts'

/** Shorter ones measure the request, and longer ones take a turn too long at a pace. */
const MIN_FRAMES = 40
const MAX_FRAMES = 250
const MOST = 12

const known = new Map<string, readonly BenchAnswer[]>()

/** Whole streams of that wire: `FOLDER/<wire>/*.sse`, the first dozen by their names. */
export function realStreams(folder: string, wire: WireName): readonly BenchAnswer[] {
  const of = join(folder, wire)
  const read = known.get(of) ?? readStreams(of, wire)
  known.set(of, read)
  return read
}

function readStreams(folder: string, wire: WireName): readonly BenchAnswer[] {
  const names = existsSync(folder) ? readdirSync(folder).toSorted() : []
  const streams: BenchAnswer[] = []
  for (const name of names) {
    const frames = name.endsWith('.sse') ? readWhole(join(folder, name), wire) : []
    if (frames.length < MIN_FRAMES || frames.length > MAX_FRAMES) continue
    streams.push(answerOf(frames))
    if (streams.length === MOST) return streams
  }
  if (streams.length > 0) return streams
  throw new Error(
    `--streams: no whole stream of ${MIN_FRAMES} to ${MAX_FRAMES} frames in ${folder}`,
  )
}

/** Its frames, if it ends as it should. */
function readWhole(file: string, wire: WireName): readonly Uint8Array[] {
  const frames = createFrameDecoder().push(new Uint8Array(readFileSync(file)))
  const decoder = WIRES[wire].createDecoder()
  const events = frames.flatMap((frame) => decoder.push(frame))
  return events.at(-1)?.type === 'message-stop' ? frames.map(({ raw }) => Uint8Array.from(raw)) : []
}

/** How many frames an answer has: of real ones at the mean. */
export function chunksOf(folder: string | undefined, wire: WireName, chunks: number): number {
  if (folder === undefined) return benchAnswer(wire, chunks).chunks
  const streams = realStreams(folder, wire)
  return Math.round(streams.reduce((sum, one) => sum + one.chunks, 0) / streams.length)
}
