/**
 * The flows of the SDK tests against real providers: each without a gateway and through one in this
 * process, compared, and what the providers sent written down. Neighbours: `providers.ts` says whom to
 * ask, `recorder.ts` listens, `verdict.ts` judges, `run.ts` is the command.
 */
import {
  allTo,
  httpUpstream,
  route,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { runFlow, type Flow, type Place } from '../support/sdk-flow.ts'
import type { LiveProvider } from './providers.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { judge, type Verdict } from './verdict.ts'

const FLOWS = [
  'text by stream',
  'text by events',
  'text as JSON',
  'tool loop by stream',
  'tool loop as JSON',
  'parallel tools by stream',
  'parallel tools as JSON',
  'thinking by stream',
  'thinking as JSON',
  'wrong key',
  'leaving before the first byte',
  'leaving in mid-stream',
  'leaving the loop',
  'token count',
  'models',
]

export interface LiveOptions {
  readonly providers: readonly LiveProvider[]
  /** Where the recordings go. */
  readonly folder: string
  print(line: string): void
}

export interface LiveResult {
  readonly good: number
  readonly unable: number
  readonly bad: number
  readonly recorded: number
}

export async function runLive({ providers, folder, print }: LiveOptions): Promise<LiveResult> {
  const recorder = createRecorder({ folder, secrets: providers.map(({ apiKey }) => apiKey) })
  const upstreams = providers.map(toUpstream)
  const gateway = await startTestGateway({
    ...allTo(...upstreams),
    // Each client on its own wire, and no other vendor when that fails.
    routes: upstreams.flatMap(({ name, wires }) =>
      wires.map((wire) => ({ ...route('*', name), wire })),
    ),
  })
  const count = { good: 0, unable: 0, bad: 0 }
  try {
    for (const provider of providers) {
      print(`${provider.name} at ${provider.baseUrl} with ${provider.model}`)
      for (const { run, line } of stepsOf(provider, gateway, recorder)) {
        const startedAt = performance.now()
        const verdict = await run()
        count[verdict.type] += 1
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
        print(`  ${verdict.type.padEnd(6)} ${line} (${seconds} s)${toTail(verdict)}`)
      }
    }
  } finally {
    await gateway.close(0)
    recorder.close()
  }
  return { ...count, recorded: recorder.recorded.filter(({ file }) => file !== undefined).length }
}

interface Step {
  readonly line: string
  run(): Promise<Verdict>
}

function stepsOf(provider: LiveProvider, gateway: TestGateway, recorder: Recorder): Step[] {
  const { name, baseUrl, apiKey, model } = provider
  return provider.sdks.flatMap(({ wire, flows, thinking }) =>
    FLOWS.flatMap((flow): Step[] => {
      const found = flows[flow]
      if (found === undefined) return []
      const direct: Place = { baseUrl, apiKey, model, thinking }
      const root = wire === 'anthropic-messages' ? gateway.url : `${gateway.url}/v1`
      const places = { direct, through: { ...direct, baseUrl: root } }
      return [
        {
          line: `${wire}: ${flow}`,
          run() {
            recorder.begin({ provider: name, wire, flow, model })
            return runStep(flow, found, places, { gateway, recorder })
          },
        },
      ]
    }),
  )
}

async function runStep(
  flow: string,
  run: Flow,
  places: { readonly direct: Place; readonly through: Place },
  { gateway, recorder }: { readonly gateway: TestGateway; readonly recorder: Recorder },
): Promise<Verdict> {
  // Whoever leaves has nothing to compare.
  const direct = flow.startsWith('leaving') ? undefined : await runFlow(run, places.direct)
  const firstReport = gateway.reports.length
  const firstAnswer = recorder.recorded.length
  const through = await runFlow(run, places.through)
  // A report follows its answer, and what was left is told a moment later.
  if (flow !== 'models') await gateway.report(firstReport)
  await new Promise((resolve) => setTimeout(resolve, SETTLES_WITHIN))
  const reports = gateway.reports.slice(firstReport)
  return judge({ flow, direct, through, reports, recorded: recorder.recorded.slice(firstAnswer) })
}

const SETTLES_WITHIN = 150

function toTail(verdict: Verdict): string {
  switch (verdict.type) {
    case 'good':
      return verdict.notes.map((note) => `; ${note}`).join('')
    case 'unable':
    case 'bad':
      return `: ${verdict.why}`
  }
}

/** Without a key of its own: the client's is passed on, so a wrong one is refused by the provider. */
const toUpstream = ({ name, baseUrl, sdks }: LiveProvider): ReturnType<typeof httpUpstream> =>
  httpUpstream(baseUrl, {
    name,
    wires: sdks.map(({ wire }) => wire),
    limits: { connect: 10_000, firstByte: 120_000, idle: 120_000, total: 600_000 },
  })
