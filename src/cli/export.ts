/**
 * `sluice export`: recorded exchanges as JSON lines, or as recordings that the other commands read. Neighbours:
 * `open-store.ts` opens the records, `export-files.ts` and `export-lines.ts` write.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { ExchangeQuery, ExchangeSummary } from '../store/query.ts'
import type { RecordReader } from '../store/store.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { createFileExport } from './export-files.ts'
import { createLineExport } from './export-lines.ts'
import { openStore, STORE_HELP, STORE_OPTIONS } from './open-store.ts'
import { FILTER_HELP, FILTER_OPTIONS, readFilters, readLimit } from './record-filters.ts'

export interface Export {
  /** Gives back how many were written. */
  write(exchanges: readonly ExchangeSummary[]): Promise<number>
  close(): Promise<void>
}

/** So many bodies are held at once. */
const PAGE = 20

export const exportCommand: Command = {
  help: `sluice export [filters] [--format jsonl] [--out FILE] [--limit N]
sluice export [filters] --format sse --out DIR [--body upstream|delivered] [--limit N]

Writes recorded exchanges, the oldest first. JSON lines have all that is known of an
exchange: its row, its verdicts, and its bodies as text (as base64 where they are none).
With sse, every answer is a file of its bytes as they passed, which convert, blocks, lint,
policy test and replay read: ID.sse, beside it ID.json with its wire, model, request and
times. An answer that came as JSON is ID.json, beside it ID.about.json.

${FILTER_HELP}

  --format WORD   jsonl or sse (default jsonl)
  --out PATH      where to; JSON lines go to standard output without it
  --body WORD     with sse: the answer as it came (upstream, the default), or as it left
  --limit N       how many at most
${STORE_HELP}

Exit 1 when there was nothing to write.
`,
  async run(argv, { out, err }) {
    const { values } = readArguments(argv, {
      ...FILTER_OPTIONS,
      ...STORE_OPTIONS,
      format: { type: 'string' },
      out: { type: 'string' },
      body: { type: 'string' },
      limit: { type: 'string' },
    })
    const query = readFilters(values)
    const limit = readLimit(values.limit, Number.POSITIVE_INFINITY)
    const format = readWord('--format', values.format, ['jsonl', 'sse'])
    const body = readWord('--body', values.body, ['upstream', 'delivered'])
    const folder = format === 'sse' ? values.out : undefined
    if (format === 'sse' && folder === undefined)
      throw new SluiceError('wrong-use', 'Say where to: sluice export --format sse --out DIR')
    const opened = await openStore(values.config, { store: values.store })
    const target =
      folder === undefined
        ? createLineExport(opened.reader, values.out ?? out)
        : createFileExport(opened.reader, { folder, body })
    try {
      const written = await walk(opened.reader, query, {
        limit,
        target,
        isGone: () => out.isGone,
      })
      if (written === 0) await err.line(`No exchanges in ${opened.where} that could be written.`)
      else if (values.out !== undefined) await err.line(`${written} written to ${values.out}`)
      return written === 0 ? 1 : 0
    } finally {
      await target.close()
      await opened.close()
    }
  },
}

async function walk(
  reader: RecordReader,
  query: ExchangeQuery,
  of: { readonly limit: number; readonly target: Export; readonly isGone: () => boolean },
): Promise<number> {
  let cursor: string | undefined
  let seen = 0
  let written = 0
  do {
    const limit = Math.min(PAGE, of.limit - seen)
    const page = await reader.list({ ...query, cursor, limit, isOldestFirst: true })
    seen += page.items.length
    written += await of.target.write(page.items)
    cursor = page.next
  } while (cursor !== undefined && seen < of.limit && !of.isGone())
  return written
}

function readWord<const Word extends string>(
  option: string,
  typed: string | undefined,
  words: readonly [Word, ...Word[]],
): Word {
  if (typed === undefined) return words[0]
  const found = words.find((word) => word === typed)
  if (found !== undefined) return found
  throw new SluiceError('wrong-use', `${option} takes ${words.join(' or ')}: got "${typed}"`)
}
