/**
 * Exchanges as recordings: a file of the answer's bytes, and beside it what must be known of them. Neighbours:
 * `export.ts`; `convert`, `blocks`, `lint` and `policy test` read the first, `replay` both.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SluiceError } from '../base/sluice-error.ts'
import { isJsonBody } from '../replay/body-form.ts'
import type { ExchangeRecord } from '../store/query.ts'
import type { Body } from '../store/record.ts'
import type { KeptBodies, RecordReader } from '../store/store.ts'
import { toExactText } from './export-lines.ts'
import type { Export } from './export.ts'

export interface FileExportOptions {
  readonly folder: string
  /** The answer as it came, or as it left. */
  readonly body: 'upstream' | 'delivered'
}

export function createFileExport(
  reader: RecordReader,
  { folder, body: kind }: FileExportOptions,
): Export {
  return {
    async write(exchanges) {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(refuse(folder))
      const ids = exchanges.map(({ id }) => id)
      let written = 0
      for (const kept of await reader.bodies(ids, ['request', 'sent', 'upstream', 'delivered'])) {
        const record = await reader.find(kept.id)
        const answer = record === undefined ? undefined : answerOf(record, kept, kind)
        if (record === undefined || answer === undefined) continue
        const isJson = isJsonBody(answer.bytes)
        const base = join(folder, record.id)
        const about = toAbout(record, kept, { kind, answer })
        await write(`${base}${isJson ? '.json' : '.sse'}`, answer.bytes)
        await write(
          `${base}${isJson ? '.about.json' : '.json'}`,
          `${JSON.stringify(about, null, 2)}\n`,
        )
        written += 1
      }
      return written
    },
    close: () => Promise.resolve(),
  }
}

/** What left is what came, where nobody kept it apart. */
function answerOf(
  { dropped }: ExchangeRecord,
  { bodies }: KeptBodies,
  kind: FileExportOptions['body'],
): Body | undefined {
  const isSame = kind === 'delivered' && !dropped.includes('delivered')
  const answer = bodies[kind] ?? (isSame ? bodies.upstream : undefined)
  return answer === undefined || answer.bytes.length === 0 ? undefined : answer
}

function toAbout(
  record: ExchangeRecord,
  { bodies }: KeptBodies,
  of: { readonly kind: FileExportOptions['body']; readonly answer: Body },
): object {
  const isUpstream = of.kind === 'upstream'
  const asked = isUpstream ? (bodies.sent ?? bodies.request) : bodies.request
  return {
    id: record.id,
    requestId: record.requestId,
    startedAt: new Date(record.startedAt).toISOString(),
    /** Which of the two answers the file is. */
    body: of.kind,
    wire: record.wire,
    upstreamWire: record.upstreamWire,
    method: record.method,
    endpoint: record.endpoint,
    model: record.model,
    upstreamModel: record.upstreamModel,
    answerModel: record.answerModel,
    answerId: record.answerId,
    conversation: record.conversation,
    status: record.status,
    upstreamStatus: record.upstreamStatus,
    upstreamHeaders: record.upstreamHeaders,
    outcome: record.outcome,
    record: record.record,
    times: of.answer.times,
    request: asked === undefined ? undefined : toExactText(asked.bytes),
  }
}

/** Only its user may read it: it holds what people said. */
const write = async (path: string, content: Uint8Array | string): Promise<void> =>
  await writeFile(path, content, { mode: 0o600 }).catch(refuse(path))

const refuse = (path: string) => (error: unknown) => {
  const why = error instanceof Error ? error.message : String(error)
  throw new SluiceError('wrong-use', `Cannot write "${path}": ${why}`, { cause: error })
}
