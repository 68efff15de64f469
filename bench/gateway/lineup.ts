/**
 * Starts all that take turns on the same request and answer, sees that each gives the right answer, and lets their
 * compilers settle. Neighbours: `contender.ts` starts one; `cost.ts`, `memory.ts`, `growth.ts` and `fresh.ts` measure them.
 */
import { once } from 'node:events'
import { request } from 'node:http'
import { startDirect, startGateway, startOther, startPipe, type Contender } from './contender.ts'
import { benchBody, bodyOf, PATHS } from './frames.ts'
import { runLoad, type Load } from './load.ts'
import { PASS_THROUGH, type Group, type LoadKind } from './modes.ts'
import type { Other } from './options.ts'
import { realStreams } from './real-streams.ts'
import { benchRequest } from './requests.ts'
import { STAMP_MARK } from './stamps.ts'

/** Characters of what was said so far. */
export const REQUEST_SIZES: Readonly<Record<LoadKind, number>> = {
  stream: 2000,
  json: 2000,
  large: 100_000,
}

/** Of an answer, where nothing else is said. */
export const CHUNKS = 100

export interface Lineup {
  readonly contenders: readonly Contender[]
  /** What was to take part and cannot, with the reason. */
  readonly leftOut: readonly string[]
  stop(): Promise<void>
}

export interface LineupOptions {
  readonly upstreamPort: number
  readonly others: readonly Other[]
  /** A folder of streams that were recorded, if those are sent. */
  readonly streams?: string | undefined
  /** Streams that each carries before anything counts. */
  readonly warmUp: number
  onStart(name: string): void
}

export async function startLineup(group: Group, options: LineupOptions): Promise<Lineup> {
  const { upstreamPort, onStart } = options
  const contenders: Contender[] = [startDirect(upstreamPort)]
  const leftOut: string[] = []
  const stop = async (): Promise<void> => {
    for (const contender of contenders) await contender.stop()
  }
  const join = async (name: string, starting: () => Promise<Contender>): Promise<void> => {
    onStart(name)
    const contender = await starting()
    contenders.push(contender)
    await (options.streams === undefined || group.kind === 'json'
      ? checkAnswer(contender, group)
      : checkReal(contender, group, options.streams))
    if (options.warmUp > 0) await settle(contender, group, options.warmUp)
  }
  try {
    await join('pipe', () => startPipe(upstreamPort))
    for (const mode of group.modes) await join(mode.name, () => startGateway(mode, upstreamPort))
    // Who speaks another wire than its clients is no match for them.
    const isSame = group.modes.some(({ from, to }) => from === to)
    for (const other of isSame ? options.others : [])
      await join(other.name, () => startOther(other, upstreamPort)).catch(
        async (error: unknown) => {
          leftOut.push(`${other.name}: ${error instanceof Error ? error.message : String(error)}`)
          if (contenders.at(-1)?.name === other.name) await contenders.pop()?.stop()
        },
      )
  } catch (error) {
    await stop()
    throw error
  }
  return { contenders, leftOut, stop }
}

/** V8's compilers settle after some three thousand exchanges, the pipe's after half of that; the paced way has code of its own. */
async function settle(contender: Contender, group: Group, streams: number): Promise<void> {
  const { port, headers } = contender
  const target = {
    port,
    headers,
    size: REQUEST_SIZES[group.kind],
    wire: contender.wire ?? group.wire,
  }
  const load: Load = {
    name: 'warm-up',
    isStream: group.kind !== 'json',
    chunks: CHUNKS,
    paceMs: 0,
    streams,
    atOnce: 16,
  }
  await runLoad(load, target)
  if (group.kind === 'stream')
    await runLoad({ ...load, paceMs: 4, streams: Math.min(streams, 100), atOnce: 100 }, target)
}

/** What only passes must leave byte for byte as it came; the others must at least say all of the text. */
async function checkAnswer(contender: Contender, { wire, kind }: Group): Promise<void> {
  const isStream = kind !== 'json'
  const body = await fetchBody(contender, { wire, isStream })
  const came = benchBody(wire, CHUNKS)
  const isWhole = isStream ? count(body) >= count(came) : body.at(-1) === '}'.charCodeAt(0)
  const mayChange = contender.mode?.name !== PASS_THROUGH
  if (!isWhole || (isStream && !mayChange && !body.equals(came)))
    throw new Error(
      `${contender.name} gives another answer on ${wire}: ${body.toString('utf8', 0, 300)}`,
    )
}

/** The same for a stream that was recorded, whichever of them it was. */
async function checkReal(contender: Contender, { wire }: Group, folder: string): Promise<void> {
  const body = await fetchBody(contender, { wire, isStream: true })
  const isUntouched = realStreams(folder, wire).some((one) => bodyOf(one).equals(body))
  if (body.length === 0 || (contender.mode?.name === PASS_THROUGH && !isUntouched))
    throw new Error(
      `${contender.name} gives another answer on ${wire}: ${body.toString('utf8', 0, 300)}`,
    )
}

const count = (bytes: Buffer): number =>
  bytes.reduce((sum, byte) => (byte === STAMP_MARK ? sum + 1 : sum), 0)

async function fetchBody(
  { port, wire: from, headers = [] }: Contender,
  { wire, isStream }: { readonly wire: Group['wire']; readonly isStream: boolean },
): Promise<Buffer> {
  const clientWire = from ?? wire
  const wanted = { chunks: CHUNKS, paceMs: 0, isStream }
  const whole = benchRequest({ ...wanted, wire: clientWire, port, size: 1000 })
  const asked = request({
    port,
    host: '127.0.0.1',
    path: PATHS[clientWire],
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer none-needed',
      ...Object.fromEntries(headers.map(toHeader)),
    },
  })
  asked.end(whole.subarray(whole.indexOf('\r\n\r\n') + 4))
  const [response] = (await once(asked, 'response')) as [AsyncIterable<Buffer>]
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece)
  return Buffer.concat(pieces)
}

function toHeader(line: string): readonly [string, string] {
  const at = line.indexOf(':')
  return [line.slice(0, at), line.slice(at + 1).trim()]
}
