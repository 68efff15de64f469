/**
 * Real provider streams, if the folder with them stands beside the checkout. They are not part of the
 * repository: tests that want them say so when they are absent.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'

const FOLDER = resolve(
  process.env['SLUICE_RECORDINGS'] ?? join(import.meta.dirname, '../../../shared/recordings'),
)

export interface Recording {
  readonly wire: WireName
  readonly name: string
  readonly bytes: Uint8Array
  readonly isLines: boolean
  /** The stream as a client would get it: lines of JSON under the frames that they lost. */
  readonly sse: Uint8Array
}

export const hasRecordings = existsSync(FOLDER)

export const absent = 'no folder of recordings beside the checkout, nor in SLUICE_RECORDINGS'

export function readRecordings(): readonly Recording[] {
  if (!hasRecordings) {
    process.stderr.write(`${absent}: the tests on them are skipped\n`)
    return []
  }
  return WIRE_NAMES.flatMap((wire) =>
    readdirSync(join(FOLDER, wire)).map((name) => {
      const bytes = new Uint8Array(readFileSync(join(FOLDER, wire, name)))
      const isLines = name.endsWith('.jsonl')
      return { wire, name, bytes, isLines, sse: isLines ? toSse(wire, bytes) : bytes }
    }),
  )
}

function toSse(wire: WireName, bytes: Uint8Array): Uint8Array {
  const lines = new TextDecoder()
    .decode(bytes)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const frames = lines.map((line) => {
    const type: unknown = (JSON.parse(line) as Record<string, unknown>)['type']
    return `${wire === 'openai-chat' ? '' : `event: ${String(type)}\n`}data: ${line}\n\n`
  })
  return new TextEncoder().encode(frames.join(''))
}
