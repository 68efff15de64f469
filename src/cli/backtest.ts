/**
 * `sluice backtest`: what policies would have done to what was recorded. Neighbours: `backtest-words.ts` reads what was
 * typed, `backtest-load.ts` finds the policies, `replay/backtest.ts` runs them by the engine of the gateway,
 * `backtest-lines.ts` says what came of it.
 */
import { readPastFiles } from '../replay/backtest-files.ts'
import { runBacktest } from '../replay/backtest.ts'
import type { BacktestProgress, BacktestResult } from '../replay/backtest-result.ts'
import type { PastSource } from '../replay/backtest-walk.ts'
import { createFileSource } from '../replay/replay-files.ts'
import { createCosts } from '../records/prices.ts'
import { openModelCaller } from '../server/model-caller.ts'
import { loadBacktest } from './backtest-load.ts'
import { toLines, toProgress } from './backtest-lines.ts'
import { readBacktestWords, type BacktestWords } from './backtest-words.ts'
import type { Command, Streams } from './command.ts'
import { openStore } from './open-store.ts'
import type { Output } from './output.ts'

export const backtest: Command = {
  help: `sluice backtest --policies FILE [FOLDER] [options]

Runs policies over recorded exchanges, with the engine of the gateway, and prints what
would be different: newly denied, newly passed, rewritten, by rule and by tool.

FILE is a config (all of its policies), a YAML list of policies, or a policy file (.ts,
.js). FOLDER has recordings in place of a store, as "sluice export" writes them; what was
decided then is not known of them.

  --policy NAME        only this one of the policies; may be given several times
  --config FILE        whose store, upstreams and prices; default FILE if it is a config,
                       or sluice.yaml where you stand
  --store PLACE        a file, or postgres://…, in place of the config's
  --since 7d           from then on; also a date, as in 2026-11-01
  --until 1h           up to then
  --where KEY=VALUE    as "sluice log" takes them: model, tool, key, route, verdict, …
  --limit N            only the newest N
  --against all|own    all: these policies would be the only ones (what a config means);
                       own: they are compared with what policies of the same names said,
                       and what others said stays (what a list or a file means)
  --act                policies in shadow are tried as if they acted; without it as their
                       config says, or as "sluice policy promote" has said since
  --ask pass|deny      what a person would say who is asked (default pass)
  --max-judge-calls N  the most questions to models (default 100); what the same policy
                       said of the same block then is taken from the records
  --examples N         examples of each row (default 3)
  --fail-on WHAT       newly-denied, or any: exit 1 if there is such a change
  --json               print one JSON object

Exit 0 when it is done, 1 when --fail-on says so, 2 when something cannot be read.
Ctrl-C stops it and prints what was found so far; then it is exit 130, or 1.
`,
  async run(argv, streams) {
    const words = readBacktestWords(argv, Date.now())
    const loaded = await loadBacktest(words)
    const store =
      words.folder === undefined
        ? await openStore(loaded.config, { store: words.store })
        : undefined
    const caller = openModelCaller(loaded.settings)
    try {
      const source = store?.reader ?? (await readPastFiles(createFileSource(words.folder ?? '')))
      const past = loaded.toPast((await store?.reader.policyModes()) ?? [])
      const { callModel } = caller
      const result = await tryAll(words, { ...loaded, past, source, callModel }, streams)
      if (words.isJson)
        await streams.out.line(JSON.stringify({ ...toAbout(loaded, past), ...result }))
      else for (const line of toLines(result, streams.out)) await streams.out.line(line)
      return toExit(result, words.failOn)
    } finally {
      await caller.close()
      await store?.close()
    }
  },
}

type Loaded = Awaited<ReturnType<typeof loadBacktest>>
type Past = ReturnType<Loaded['toPast']>

/** What was tried, for whoever reads the result: whether each acted is what it was run as. */
const toAbout = ({ about }: Loaded, { policies }: Past): object => ({
  ...about,
  policies: about.policies.map((one) => ({
    ...one,
    isShadow: policies.some(({ policy, isShadow }) => policy.name === one.name && isShadow),
  })),
})

async function tryAll(
  words: BacktestWords,
  loaded: Loaded & {
    readonly past: Past
    readonly source: PastSource
    readonly callModel: ReturnType<typeof openModelCaller>['callModel']
  },
  { err }: Streams,
): Promise<BacktestResult> {
  const stop = new AbortController()
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(130)
    stop.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  const tell = createTeller(err)
  try {
    return await runBacktest({
      ...loaded.past,
      source: loaded.source,
      query: words.query,
      limit: words.limit,
      against: words.against ?? loaded.against,
      ask: words.ask,
      examples: words.examples,
      maxJudgeCalls: words.maxJudgeCalls,
      callModel: loaded.callModel,
      costOf: createCosts(loaded.settings.prices),
      signal: stop.signal,
      onProgress: tell.progress,
    })
  } finally {
    await tell.clear()
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

/** One line on a terminal that is written over; nothing where nobody looks. */
function createTeller(err: Output): {
  progress(progress: BacktestProgress): void
  clear(): Promise<void>
} {
  const isSeen = process.stderr.isTTY
  let hasSaid = false
  return {
    progress(progress) {
      if (!isSeen) return
      hasSaid = true
      void err.write(`\r${toProgress(progress)}\u001b[K`)
    },
    async clear() {
      if (hasSaid) await err.write('\r\u001b[K')
    },
  }
}

/** As shells say it of what was interrupted: nobody knows what the rest would have said. */
const STOPPED = 130

function toExit({ changes, isPartial }: BacktestResult, failOn: BacktestWords['failOn']): number {
  const counts = failOn === 'any' ? Object.values(changes) : [changes['newly-denied']]
  if (failOn !== undefined && counts.some((count) => count > 0)) return 1
  return isPartial ? STOPPED : 0
}
