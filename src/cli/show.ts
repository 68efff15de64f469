/**
 * `sluice show`: all of one recorded exchange. Neighbours: `replay/read-record.ts` reads it, `show-lines.ts` writes it
 * for people, `open-store.ts` opens the records.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { readRecord } from '../replay/read-record.ts'
import { BODY_KINDS } from '../store/record.ts'
import { readArguments } from './arguments.ts'
import type { Command, Streams } from './command.ts'
import { openStore, STORE_HELP, STORE_OPTIONS, type OpenedStore } from './open-store.ts'
import { visible } from './output.ts'
import { showJson } from './show-json.ts'
import { toShowLines } from './show-lines.ts'

export const show: Command = {
  help: `sluice show ID [--full] [--json]
sluice show ID --raw request|sent|upstream|delivered

Shows one exchange: who asked for what, the blocks of the answer with the time of
their first and last byte, what policies decided, and what left other than it came.
ID is of "sluice log", or an x-request-id: then the newest with it.

  --full       all of every text; without it their beginning
  --raw KIND   write the bytes as they passed: the request, what the upstream got where
               that differs, its answer, and what left where that differs
  --json       print one JSON object
${STORE_HELP}

Exit 1 when it is not there.
`,
  async run(argv, streams) {
    const { values, file: id } = readArguments(argv, {
      ...STORE_OPTIONS,
      full: { type: 'boolean' },
      raw: { type: 'string' },
      json: { type: 'boolean' },
    })
    if (id === undefined)
      throw new SluiceError('wrong-use', 'Say which: sluice show ID, as "sluice log" lists them')
    const opened = await openStore(values.config, { store: values.store })
    try {
      if (values.raw !== undefined) return await writeRaw(opened, id, values.raw, streams)
      const view = await readRecord(opened.reader, id)
      if (view === undefined) return await notThere(id, opened, streams)
      if (values.json === true) await streams.out.line(JSON.stringify(showJson(view)))
      else
        for (const line of toShowLines(view, { out: streams.out, isFull: values.full === true }))
          await streams.out.line(line)
      return 0
    } finally {
      await opened.close()
    }
  },
}

async function writeRaw(
  { reader, where }: OpenedStore,
  id: string,
  typed: string,
  { out, err }: Streams,
): Promise<number> {
  const kind = BODY_KINDS.find((one) => one === typed)
  if (kind === undefined)
    throw new SluiceError(
      'wrong-use',
      `There is no body "${typed}": there are ${BODY_KINDS.join(', ')}`,
    )
  const record = await reader.find(id)
  if (record === undefined) return await notThere(id, { where }, { out, err })
  // What left is what came, where nobody kept it apart.
  const isSame = kind === 'delivered' && !record.dropped.includes('delivered')
  const body =
    (await reader.body(record.id, kind)) ??
    (isSame ? await reader.body(record.id, 'upstream') : undefined) ??
    (kind === 'sent' && !record.dropped.includes('sent')
      ? await reader.body(record.id, 'request')
      : undefined)
  if (body !== undefined) {
    await out.write(body.bytes)
    return 0
  }
  const kept = Object.keys(record.bodies).join(', ')
  await err.line(
    `${err.style('red', 'sluice:')} "${kind}" of ${record.id} is not kept: there ${kept === '' ? 'is nothing' : `are ${kept}`}`,
  )
  return 1
}

async function notThere(
  id: string,
  { where }: Pick<OpenedStore, 'where'>,
  { err }: Streams,
): Promise<number> {
  await err.line(`${err.style('red', 'sluice:')} There is no exchange "${visible(id)}" in ${where}`)
  return 1
}
