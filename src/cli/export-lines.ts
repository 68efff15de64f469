/**
 * Exchanges as JSON lines, with everything that is kept of them. Neighbours: `export.ts`.
 */
import { createWriteStream, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import { SluiceError } from '../base/sluice-error.ts'
import { BODY_KINDS, type Body } from '../store/record.ts'
import type { KeptBodies, RecordReader } from '../store/store.ts'
import type { Export } from './export.ts'
import type { Output } from './output.ts'

/** A thousand are more than an exchange has. */
const MAX_VERDICTS = 1000

/** `target`: the path of a file, or an output. */
export function createLineExport(reader: RecordReader, target: string | Output): Export {
  const file = typeof target === 'string' ? createLineFile(target) : undefined
  const write = (line: string): Promise<void> =>
    file === undefined ? (target as Output).write(line) : file.write(line)
  return {
    async write(exchanges) {
      const ids = exchanges.map(({ id }) => id)
      const kept = await reader.bodies(ids, BODY_KINDS)
      for (const one of kept) await write(`${JSON.stringify(await toLine(reader, one))}\n`)
      return kept.length
    },
    close: async () => await file?.close(),
  }
}

async function toLine(reader: RecordReader, { id, bodies }: KeptBodies): Promise<object> {
  const verdicts = await reader.verdicts({
    exchangeId: id,
    limit: MAX_VERDICTS,
    isOldestFirst: true,
  })
  return {
    exchange: await reader.find(id),
    verdicts: verdicts.items,
    bodies: Object.fromEntries(
      Object.entries(bodies).map(([kind, body]) => [kind, toBodyJson(body)]),
    ),
  }
}

/** As text where it is text to the byte. */
function toBodyJson({ bytes, times }: Body): object {
  const text = toExactText(bytes)
  return text === undefined
    ? { base64: Buffer.from(bytes).toString('base64'), times }
    : { text, times }
}

export function toExactText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Only its user may read it: it holds what people said. */
function createLineFile(path: string) {
  const stream: WriteStream = createWriteStream(path, { mode: 0o600 })
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  const check = (): void => {
    if (failure !== undefined)
      throw new SluiceError('wrong-use', `Cannot write "${path}": ${failure.message}`)
  }
  return {
    async write(line: string) {
      check()
      if (!stream.write(line)) await Promise.race([once(stream, 'drain'), once(stream, 'close')])
      check()
    },
    async close() {
      stream.end()
      if (!stream.closed) await once(stream, 'close').catch(() => {})
      check()
    },
  }
}
