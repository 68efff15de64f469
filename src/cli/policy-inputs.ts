/**
 * Recordings, folders of them, or our own samples → answers to try a policy on, one after the other. Neighbours:
 * `input.ts` opens each, `policy-test.ts` runs them.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SluiceError } from '../base/sluice-error.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import { makeAnswer } from '../testkit/made-answer.ts'
import { WIRES } from '../wire/wires.ts'
import { openInput, type Input } from './input.ts'
import { SAMPLES } from './policy-samples.ts'

export type PolicyInput = { readonly name: string } & (
  | {
      readonly type: 'answer'
      /** `undefined`: nobody recorded it. */
      readonly wire: WireName | undefined
      readonly events: readonly StreamEvent[]
    }
  /** It lay in a folder and is no recording. */
  | { readonly type: 'skipped'; readonly why: string }
)

/** More than this is not read in one go. */
const MAX_FILES = 10_000
const ENDINGS = /\.(?:sse|txt|json|jsonl|ndjson)$/i

export async function* readInputs(
  paths: readonly string[],
  wire: WireName | undefined,
): AsyncGenerator<PolicyInput> {
  if (paths.length === 0)
    for (const [at, { name, blocks }] of SAMPLES.entries())
      yield {
        type: 'answer',
        name,
        wire: undefined,
        events: makeAnswer(blocks, { model: 'sample', number: at + 1 }),
      }
  for (const path of paths) {
    const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true
    if (!isFolder) yield await readOne(path, wire)
    else for (const file of await filesIn(path)) yield await readOne(file, wire).catch(skip(file))
  }
}

const skip =
  (name: string) =>
  (error: unknown): PolicyInput => {
    if (!(error instanceof SluiceError)) throw error
    return { type: 'skipped', name, why: error.message }
  }

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const all = entries
    .filter((entry) => entry.isFile() && ENDINGS.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  const names = new Set(all)
  const files = all.filter((path) => !isBeside(path, names))
  if (files.length > MAX_FILES)
    throw new SluiceError(
      'wrong-use',
      `Cannot read more than ${MAX_FILES} recordings at once: "${folder}" has ${files.length}`,
    )
  if (files.length === 0)
    throw new SluiceError(
      'wrong-use',
      `There is no recording in "${folder}": they end with .sse, .json, .jsonl, .ndjson or .txt`,
    )
  return files
}

/** What `sluice export` writes beside a recording is about it. */
const isBeside = (path: string, names: ReadonlySet<string>): boolean =>
  path.endsWith('.about.json') ||
  (path.endsWith('.json') && names.has(path.replace(/\.json$/, '.sse')))

async function readOne(path: string, named: WireName | undefined): Promise<PolicyInput> {
  const input = await openInput(path, named)
  return { type: 'answer', name: path, wire: input.wire, events: await eventsOf(input) }
}

async function eventsOf(input: Input): Promise<readonly StreamEvent[]> {
  const wire = WIRES[input.wire]
  if (input.type === 'answer') return wire.readAnswer(input.body)
  if (input.type !== 'stream') return [{ type: 'error', error: wire.readError(input.body) }]
  const decoder = wire.createDecoder()
  const events: StreamEvent[] = []
  for await (const frames of input.frames)
    for (const frame of frames) for (const event of decoder.push(frame)) events.push(event)
  for (const event of decoder.end()) events.push(event)
  return events
}
