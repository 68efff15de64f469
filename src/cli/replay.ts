/**
 * `sluice replay`: recordings in place of a provider. A gateway on loopback whose only upstream is the past. Neighbours:
 * `replay/` finds and plays them, `server/` serves, `replay-words.ts` reads what was typed, `replay-lines.ts` says what
 * happens.
 */
import { demoSettings } from '../config/load.ts'
import { toDefaultRoutes } from '../config/routes.ts'
import type { Settings } from '../config/settings.ts'
import type { RecordReader } from '../store/store.ts'
import { startGateway } from '../server/gateway.ts'
import { toClientLines } from './banner.ts'
import type { Command } from './command.ts'
import { openStore } from './open-store.ts'
import { createReplayLines } from './replay-lines.ts'
import { readWords, type ReplayWords } from './replay-words.ts'

const HELP = `Usage: sluice replay ID|FILE|DIR|conversation:ID [options]

Answers from recordings, with no provider: a whole agent session can be run again.

  ID                  an exchange of the records, as "sluice log" lists them
  conversation:ID     all exchanges of one session
  FILE, DIR           streams (.sse) and JSON answers, as "sluice export" writes them

  --speed SPEED       original (default), instant, or a number: 10 is ten times faster
  --match HOW         request: the answer to the same request; order: the next one;
                      auto (default): by request, and where nothing fits, in order
  --answers WHICH     delivered (default): what the client got then;
                      upstream: what came before policies
  --once              give each answer once, by request if not said otherwise, and end when
                      all were given; exit 1 when something was asked that was not recorded,
                      or was recorded and not asked
  --wire WIRE         of files whose bytes do not tell it
  --port N            listen on this port (default 4141; 0: any free one)
  --config FILE       whose store and key; without one ./sluice.yaml, and without that the
                      records of this user
  --store PLACE       a file or a postgres:// URL instead of the config's

All wires are served: what was recorded on one is translated for clients of another.
`

export const replay: Command = {
  help: HELP,
  async run(argv, { out, err }) {
    const words = readWords(argv)
    const store =
      words.from.type === 'store'
        ? await openStore(words.config, { store: words.store })
        : undefined
    try {
      return await serve(words, store?.reader, { out, err })
    } finally {
      await store?.close()
    }
  },
}

async function serve(
  words: ReplayWords,
  reader: RecordReader | undefined,
  { out }: Parameters<Command['run']>[1],
): Promise<number> {
  const lines = createReplayLines(out, words.isOnce)
  const settings = toSettings(words)
  const gateway = await startGateway(settings, {
    replay: {
      reader,
      wire: words.wire,
      isOnce: words.isOnce,
      onReady: lines.ready,
      onAsked: lines.asked,
      onOver: lines.over,
    },
  })
  try {
    await out.write(
      [
        `Replaying ${lines.count()} of ${words.name} on ${out.style('bold', gateway.url)}`,
        '',
        ...toClientLines(gateway.url),
        '',
        '',
      ].join('\n'),
    )
    await Promise.race([untilStopped(), lines.done])
  } finally {
    await gateway.close(CLOSE_MS)
  }
  return await lines.end()
}

/** How long the last connections may take to close. */
const CLOSE_MS = 2000
/** As good as never. */
const DAY = 86_400_000

/** A gateway that adds nothing of its own: no key, no record, no sign of life in silence. */
function toSettings({ from, match, speed, answers, port }: ReplayWords): Settings {
  const settings = demoSettings()
  const [demo] = settings.upstreams
  if (demo === undefined) throw new Error('There is no upstream to begin with')
  const upstreams: Settings['upstreams'] = [
    {
      name: 'replay',
      kind: 'replay',
      wires: demo.wires,
      limits: { connect: DAY, firstByte: DAY, idle: DAY, total: DAY },
      retry: { ...demo.retry, attempts: 1 },
      breaker: { ...demo.breaker, failures: 0 },
      stream: 'client',
      from,
      match,
      speed,
      answers,
    },
  ]
  return {
    ...settings,
    listen: { ...settings.listen, port: port ?? settings.listen.port },
    upstreams,
    routes: toDefaultRoutes(upstreams),
    keepalive: DAY,
    log: { ...settings.log, level: 'silent' },
  }
}

/** Resolves at the first signal; the second ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false
    const stop = (): void => {
      if (isStopping) process.exit(130)
      isStopping = true
      resolve()
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}
