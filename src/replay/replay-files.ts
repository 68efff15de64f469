/**
 * Files and folders → recordings: `.sse` streams and `.json` answers as they came, with what `sluice export` writes
 * beside them where it is there. Neighbours: `replay-meta.ts` reads what stands beside, `replay-source.ts` chooses.
 * A file that is no recording stops the start where it was named, and is passed over in a folder.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { parseObject, toList, toObject, toText, type JsonObject } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { WireName } from '../event/event.ts'
import { toStatus } from '../exchange/fault-status.ts'
import { PATHS } from '../exchange/way.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { isWireName, recogniseWires, WIRES } from '../wire/wires.ts'
import { readMeta, type Meta } from './replay-meta.ts'
import {
  MAX_RECORDINGS,
  type Found,
  type RecordedAnswer,
  type Recording,
  type RecordingSource,
} from './replay-recording.ts'

/** Far beyond any answer. */
const MAX_BYTES = 64 * 1024 * 1024
/** Between two frames of a stream whose times nobody kept, in microseconds. */
const PACE = 10_000
const MAX_UNKNOWN_FRAMES = 1000

export interface FilesOptions {
  /** Where the bytes do not tell. */
  readonly wire?: WireName | undefined
}

export function createFileSource(path: string, options: FilesOptions = {}): RecordingSource {
  return {
    read: () => readPath(path, options),
    close: () => Promise.resolve(),
  }
}

async function* readPath(path: string, { wire }: FilesOptions): AsyncGenerator<Found> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new SluiceError('wrong-use', `Cannot read "${path}": there is no such file`, { cause })
  })
  if (!found.isDirectory()) {
    yield await readOne({ path, name: basename(path), wire })
    return
  }
  const files = (await fromIndex(path)) ?? (await filesIn(path))
  let count = 0
  for (const file of files) {
    const one = await readOne({ ...file, wire: wire ?? file.wire }).catch(passOver)
    if (one === undefined) continue
    count += 1
    yield one
  }
  if (count === 0)
    throw new SluiceError(
      'wrong-use',
      `There is no recording in "${path}": they are streams that end with .sse, or answers that end with .json`,
    )
}

function passOver(error: unknown): undefined {
  if (!(error instanceof SluiceError)) throw error
}

interface FileToRead {
  readonly path: string
  /** For people. */
  readonly name: string
  readonly wire: WireName | undefined
}

/** A folder may list its recordings: `[{ "file": …, "wire": … }]`. */
async function fromIndex(folder: string): Promise<readonly FileToRead[] | undefined> {
  const text = await readFile(join(folder, 'INDEX.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  return toList(parseJson(text)).flatMap((entry) => {
    const file = toText(toObject(entry)?.['file'])
    const wire = toText(toObject(entry)?.['wire'])
    if (file === undefined || wire === undefined || !isWireName(wire)) return []
    const path = join(folder, file)
    // Not out of the folder: others may have written the list.
    return relative(folder, path).startsWith('..') ? [] : [{ path, name: file, wire }]
  })
}

async function filesIn(folder: string): Promise<readonly FileToRead[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && /\.(?:sse|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  const all = new Set(paths)
  // What stands beside an answer is about it.
  const own = paths.filter((path) => !answersOf(path).some((answer) => all.has(answer)))
  if (own.length > MAX_RECORDINGS)
    throw new SluiceError(
      'wrong-use',
      `Cannot replay more than ${MAX_RECORDINGS} recordings at once: "${folder}" has ${own.length}`,
    )
  return own.map((path) => ({ path, name: relative(folder, path), wire: undefined }))
}

/** Answers that a file may stand beside: `a.sse` of `a.json`, and `a.json` or `a.sse` of `a.about.json`. */
const answersOf = (path: string): readonly string[] =>
  [
    path.replace(/\.json$/, '.sse'),
    path.replace(/\.[a-z]{1,20}\.json$/, '.sse'),
    path.replace(/\.[a-z]{1,20}\.json$/, '.json'),
  ].filter((answer) => answer !== path)

async function readOne({ path, name, wire: named }: FileToRead): Promise<Found> {
  const bytes = await readBytes(path)
  const meta = await readMeta(path)
  const wire = recogniseWire(bytes, name, named ?? meta?.wire)
  const recording: Recording = {
    name: meta?.id ?? name,
    wire,
    path: meta?.path ?? PATHS[wire],
    conversation: meta?.conversation,
    model: meta?.model,
    answerId: meta?.answerId,
    load: async () => toAnswer(await readBytes(path), wire, meta),
  }
  return { recording, request: meta?.request }
}

async function readBytes(path: string): Promise<Buffer> {
  const { size } = await stat(path)
  if (size > MAX_BYTES)
    throw new SluiceError(
      'frame-too-large',
      `Cannot replay a recording over ${MAX_BYTES} bytes: "${path}" has ${size}`,
    )
  return await readFile(path)
}

function toAnswer(bytes: Buffer, wire: WireName, meta: Meta | undefined): RecordedAnswer {
  const json = startsAsJson(bytes) ? parseObject(bytes.toString('utf8')) : undefined
  const isError = json !== undefined && WIRES[wire].recognise(json) === 'error'
  const type = json === undefined ? 'text/event-stream' : 'application/json'
  const named = meta?.headers['content-type']
  const times = meta?.times ?? (json === undefined ? toTimes(bytes) : [])
  return {
    status: meta?.status ?? (isError ? toStatus(WIRES[wire].readError(json).kind, wire) : 200),
    headers: { ...meta?.headers, 'content-type': named?.startsWith(type) === true ? named : type },
    bytes,
    times,
    ending: meta?.ending ?? 'end',
  }
}

/** A stream of which only the bytes are known comes frame by frame, as the demo's do. */
function toTimes(bytes: Uint8Array): readonly number[] {
  const decoder = createFrameDecoder()
  let at = 0
  return [...decoder.push(bytes), ...decoder.end()].flatMap(({ raw }) => {
    at += PACE
    return [raw.length, at]
  })
}

/** `named`: believed where the bytes do not tell, as of a stream that was cut at once. */
function recogniseWire(bytes: Buffer, name: string, named: WireName | undefined): WireName {
  const isJson = startsAsJson(bytes)
  const found = isJson ? ofBody(bytes) : ofStream(bytes)
  const [only] = found
  if (named !== undefined && (found.includes(named) || (found.length === 0 && !isJson)))
    return named
  if (named === undefined && only !== undefined && found.length === 1) return only
  throw new SluiceError(
    'not-a-stream',
    only === undefined
      ? `"${name}" is no answer of any wire: it takes a stream of server-sent events, or a JSON answer`
      : named === undefined
        ? `"${name}" may be ${found.join(' or ')}: name the wire with --wire`
        : `"${name}" is not ${named} but ${found.join(' or ')}`,
  )
}

const ofJson = (json: JsonObject): readonly WireName[] =>
  recogniseWires(json).map(({ wire }) => wire)

function ofBody(bytes: Buffer): readonly WireName[] {
  const json = parseObject(bytes.toString('utf8'))
  const found = json === undefined ? [] : recogniseWires(json)
  return found.filter(({ as }) => as !== 'chunk').map(({ wire }) => wire)
}

function ofStream(bytes: Buffer): readonly WireName[] {
  const decoder = createFrameDecoder()
  let several: readonly WireName[] = []
  const frames = [...decoder.push(bytes), ...decoder.end()]
  for (const { data } of frames.slice(0, MAX_UNKNOWN_FRAMES)) {
    const json = data === undefined ? undefined : parseObject(data)
    const names = json === undefined ? [] : ofJson(json)
    if (names.length === 1) return names
    if (names.length > 1) several = names
  }
  return several
}

const OPEN_BRACE = 0x7b

const startsAsJson = (bytes: Uint8Array): boolean =>
  bytes.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) ===
  OPEN_BRACE

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
