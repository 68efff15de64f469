/**
 * `sluice records`: the store itself: how large it is, whether its verdicts are all there, and taking things out of it.
 * Neighbours: `open-store.ts` opens it.
 */
import { createInterface } from 'node:readline/promises'
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { readTime } from '../api/times.ts'
import { readArguments } from './arguments.ts'
import type { Command, Streams } from './command.ts'
import { toBytes, toMoment } from './log-lines.ts'
import { openStore, STORE_HELP, STORE_OPTIONS, type OpenedStore } from './open-store.ts'
import { visible } from './output.ts'

const WORDS = ['size', 'verify', 'delete'] as const

export const records: Command = {
  help: `sluice records [size]            how many exchanges there are, and how much room they take
sluice records verify            whether a verdict was changed or taken out
sluice records delete --id ID | --key NAME | --before TIME

Verdicts form a chain: each carries the hash of the one before. verify walks over it and
prints the last hash; kept elsewhere, it shows later that none was cut off at the end.

Deleting takes out requests, answers and rows. Verdicts keep their place in the chain and
lose what they quote. It asks first on a terminal.

  --id ID         one exchange
  --key NAME      all of one gateway key
  --before TIME   all that began before: 30d ago, or a date such as 2026-11-15
  --yes           do not ask
  --head HASH     verify: the last hash of another day, which must be in the chain still
  --json          print one JSON object
${STORE_HELP}

Exit 1 when the chain is broken, or nothing was there to delete.
`,
  async run(argv, streams) {
    const [word, rest] = toWord(argv)
    const { values } = readArguments(rest, {
      ...STORE_OPTIONS,
      id: { type: 'string' },
      key: { type: 'string' },
      before: { type: 'string' },
      head: { type: 'string' },
      yes: { type: 'boolean' },
      json: { type: 'boolean' },
    })
    const which = word === 'delete' ? readWhich(values) : undefined
    const isJson = values.json === true
    const isWritten = which !== undefined
    const opened = await openStore(values.config, { store: values.store, isWritten })
    try {
      if (which !== undefined)
        return await remove(opened, { which, isJson, isSure: values.yes === true }, streams)
      return word === 'verify'
        ? await verify(opened, { isJson, head: values.head }, streams)
        : await size(opened, isJson, streams)
    } finally {
      await opened.close()
    }
  },
}

function toWord(argv: readonly string[]): [(typeof WORDS)[number], readonly string[]] {
  const [typed, ...rest] = argv
  if (typed === undefined || typed.startsWith('-')) return ['size', argv]
  const word = WORDS.find((one) => one === typed)
  if (word !== undefined) return [word, rest]
  const near = nearest(typed, WORDS)
  throw new SluiceError(
    'wrong-use',
    `There is no "sluice records ${typed}": there are ${WORDS.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`,
  )
}

async function size(opened: OpenedStore, isJson: boolean, { out }: Streams): Promise<number> {
  const found = await opened.reader.size()
  if (isJson) await out.line(JSON.stringify({ where: opened.where, ...found }))
  else {
    const oldest = found.oldestAt === undefined ? '' : `, the oldest of ${toMoment(found.oldestAt)}`
    await out.line(opened.where)
    await out.line(
      `${found.exchanges.toLocaleString('en')} exchanges, ${toBytes(found.bytes)}${oldest}`,
    )
  }
  return 0
}

async function verify(
  { reader }: OpenedStore,
  of: { readonly isJson: boolean; readonly head: string | undefined },
  { out }: Streams,
): Promise<number> {
  const report = await reader.verify()
  const broken = report.broken ?? (await missingHead(reader, of.head))
  if (of.isJson) await out.line(JSON.stringify({ ...report, broken }))
  else if (broken === undefined)
    await out.line(
      `${out.style('green', 'whole:')} ${report.links.toLocaleString('en')} verdicts, the last hash is ${report.head}`,
    )
  else
    await out.line(`${out.style('red', 'broken:')} verdict ${broken.seq}: ${visible(broken.why)}`)
  return broken === undefined ? 0 : 1
}

const PAGE = 1000

/** A hash that was the last one on another day must still be there. */
async function missingHead(
  reader: OpenedStore['reader'],
  head: string | undefined,
): Promise<{ readonly seq: number; readonly why: string } | undefined> {
  if (head === undefined) return undefined
  let cursor: string | undefined
  let seq = 0
  do {
    const page = await reader.verdicts({ cursor, limit: PAGE, isOldestFirst: true })
    if (page.items.some(({ hash }) => hash === head)) return undefined
    seq = page.items.at(-1)?.seq ?? seq
    cursor = page.next
  } while (cursor !== undefined)
  return { seq: seq + 1, why: 'the hash that was kept is not in the chain: verdicts are missing' }
}

type Which = Parameters<OpenedStore['store']['remove']>[0]

function readWhich({
  id,
  key,
  before,
}: {
  readonly id?: string | undefined
  readonly key?: string | undefined
  readonly before?: string | undefined
}): Which {
  const said = [id, key, before].filter((one) => one !== undefined)
  if (said.length !== 1)
    throw new SluiceError(
      'wrong-use',
      'Say what to delete with one of these: --id ID, --key NAME or --before TIME',
    )
  if (id !== undefined) return { id }
  if (key !== undefined) return { key }
  const time = readTime(before ?? '', Date.now())
  if (time !== undefined) return { before: time }
  throw new SluiceError(
    'wrong-use',
    `--before ${before} is no time: it takes 30m, 12h or 7d ago, or a date such as 2026-11-15`,
  )
}

async function remove(
  opened: OpenedStore,
  of: { readonly which: Which; readonly isJson: boolean; readonly isSure: boolean },
  { out, err }: Streams,
): Promise<number> {
  const { which } = of
  const found = await countOf(opened, which)
  if (found > 0 && !of.isSure && !(await agrees(found, opened.where))) {
    await err.line('Nothing was deleted.')
    return 1
  }
  const removed = found === 0 ? 0 : await opened.store.remove(await toExact(opened, which))
  if (of.isJson) await out.line(JSON.stringify({ removed }))
  else await out.line(removed === 0 ? 'There is nothing to delete.' : `${removed} deleted`)
  return removed === 0 ? 1 : 0
}

/** An exchange may be named by its request id. */
async function toExact({ reader }: OpenedStore, which: Which): Promise<Which> {
  return 'id' in which ? { id: (await reader.find(which.id))?.id ?? which.id } : which
}

const MANY = 1_000_000

async function countOf({ reader }: OpenedStore, which: Which): Promise<number> {
  if ('id' in which) return (await reader.find(which.id)) === undefined ? 0 : 1
  if ('key' in which) return await reader.count({ key: which.key }, MANY)
  return await reader.count({ until: which.before }, MANY)
}

async function agrees(count: number, where: string): Promise<boolean> {
  const what = `${count.toLocaleString('en')} exchange${count === 1 ? '' : 's'}`
  if (!process.stdin.isTTY)
    throw new SluiceError('wrong-use', `This deletes ${what} in ${where}: add --yes`)
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const typed = await asking.question(`Delete ${what} in ${where}? This cannot be undone [y/N] `)
    return /^y(?:es)?$/i.test(typed.trim())
  } finally {
    asking.close()
  }
}
