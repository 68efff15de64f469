/**
 * What the settings name → recordings: files, or the records of a gateway. Neighbours: `replay-files.ts`,
 * `replay-store.ts`; `replay-upstream.ts` reads what comes back.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { WireName } from '../event/event.ts'
import type { RecordReader } from '../store/store.ts'
import type { ReplayUpstreamSettings } from '../upstream/settings.ts'
import { createFileSource } from './replay-files.ts'
import type { RecordingSource } from './replay-recording.ts'
import { readStore } from './replay-store.ts'

export interface SourceOptions {
  /** The records; `undefined` where there are none. */
  readonly reader: RecordReader | undefined
  /** Of files whose bytes do not tell. */
  readonly wire?: WireName | undefined
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export function openSource(
  { name, from, answers }: ReplayUpstreamSettings,
  { reader, wire, now = Date.now }: SourceOptions,
): RecordingSource {
  if (from.type === 'path') return createFileSource(from.path, { wire })
  if (reader === undefined)
    throw new SluiceError(
      'wrong-use',
      `Upstream "${name}" answers from the records, and none are kept here: do not say "record: off", or name a folder`,
    )
  const { id, conversation, maxAge } = from
  return {
    read: () =>
      readStore(reader, {
        id,
        answers,
        except: name,
        query: {
          // What is recorded from now on is not played.
          until: now(),
          ...(maxAge === undefined ? {} : { since: now() - maxAge }),
          ...(conversation === undefined ? {} : { conversation }),
        },
      }),
    // It belongs to whoever opened it.
    close: () => Promise.resolve(),
  }
}
