/**
 * `sluice log`: exchanges of the past, a line each. Neighbours: `open-store.ts` opens the records, `log-lines.ts` writes
 * for people, `record-filters.ts` has the flags.
 */
import type { ExchangeSummary } from '../store/query.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { toLogLines } from './log-lines.ts'
import { openStore, STORE_HELP, STORE_OPTIONS } from './open-store.ts'
import { FILTER_HELP, FILTER_OPTIONS, readFilters, readLimit } from './record-filters.ts'

const DEFAULT_LIMIT = 50
/** Of one page of the store; a command asks for as many as it needs. */
const PAGE = 500

export const log: Command = {
  help: `sluice log [filters] [--limit N] [--after CURSOR] [--oldest] [--json]

Lists recorded exchanges, the newest first. "sluice show ID" shows one of them.

${FILTER_HELP}

  --limit N        how many at most (default ${DEFAULT_LIMIT})
  --after CURSOR   go on where the last list ended
  --oldest         the oldest first
  --json           print one JSON object: {"items":[…],"next":CURSOR}
${STORE_HELP}

Exit 1 when there are none.
`,
  async run(argv, { out }) {
    const { values } = readArguments(argv, {
      ...FILTER_OPTIONS,
      ...STORE_OPTIONS,
      limit: { type: 'string' },
      after: { type: 'string' },
      oldest: { type: 'boolean' },
      json: { type: 'boolean' },
    })
    const query = readFilters(values)
    const limit = readLimit(values.limit, DEFAULT_LIMIT)
    const opened = await openStore(values.config, { store: values.store })
    try {
      const items: ExchangeSummary[] = []
      let cursor = values.after
      do {
        const page = await opened.reader.list({
          ...query,
          cursor,
          limit: Math.min(PAGE, limit - items.length),
          isOldestFirst: values.oldest === true,
        })
        items.push(...page.items)
        cursor = page.next
      } while (cursor !== undefined && items.length < limit)
      if (values.json === true) await out.line(JSON.stringify({ items, next: cursor }))
      else {
        for (const line of toLogLines(items, out)) await out.line(line)
        if (items.length === 0) await out.line(`No exchanges in ${opened.where} that fit.`)
        if (cursor !== undefined)
          await out.line(out.style('dim', `… and more: add --after ${cursor}`))
      }
      return items.length === 0 ? 1 : 0
    } finally {
      await opened.close()
    }
  },
}
