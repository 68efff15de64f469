/**
 * One exchange before policies, without a gateway: first its request, then its answer, as `exchange/` has it. Neighbours:
 * `exchanges.ts` says what comes, `run.ts` runs the engine, `result.ts` is what is left.
 */
import { createAssembler } from '../block/assemble.ts'
import type { StreamEvent } from '../event/event.ts'
import { Contexts, HALT_GATE } from '../policy/engine.ts'
import type { PolicyHost } from '../policy/host.ts'
import type { Installed, VerdictRecord } from '../policy/policy.ts'
import { judgeRequest, type RequestOutcome } from '../policy/requests.ts'
import type { ModelRequest } from '../request/request.ts'
import { decide, toResult, type Outcome, type RequestResult, type TestResult } from './result.ts'
import { runAnswer, type Ran, type RunOptions } from './run.ts'
import { TestRequest, type TestSetting } from './setting.ts'
import type { World } from './world.ts'

/** What is asked, and in which conversation. */
interface Asked {
  readonly request: ModelRequest
  readonly setting: TestSetting
  readonly conversationId: string
}

export interface ExchangeRunner {
  answer(events: readonly StreamEvent[], asked: Asked): Promise<TestResult>
  judge(asked: Asked): Promise<RequestResult>
}

export function createRunner(world: World, installed: readonly Installed[]): ExchangeRunner {
  let count = 0

  async function open({ request: given, setting, conversationId }: Asked): Promise<Opened> {
    const request = new TestRequest(given, setting, conversationId)
    const records: VerdictRecord[] = []
    const asked = world.questions.length
    const host = world.createHost({
      id: `exchange-${++count}`,
      request,
      client: { key: setting.client?.key, agent: setting.client?.agent },
      onVerdict(record) {
        // The engine's own gate has nothing to say while the switch is not thrown.
        if (record.policy !== HALT_GATE.policy.name || record.type !== 'pass') records.push(record)
      },
    })
    const options = prepare(world, installed, host)
    const startedAt = performance.now()
    const outcome = await judgeRequest(given, options.installed, host, options.contexts)
    if (outcome.type === 'pass') request.change(outcome.request)
    return {
      outcome,
      options,
      async close() {
        // Those who only watch are waited for too: a test wants to see what they did.
        options.contexts.close()
        await options.contexts.settled()
        const questions = world.questions.slice(asked)
        return { records, questions, tookMs: performance.now() - startedAt }
      },
    }
  }

  return {
    async answer(events, asked) {
      const { outcome, options, close } = await open(asked)
      const isRefused = outcome.type === 'deny'
      const ran = isRefused ? noAnswer() : await runAnswer(events, options)
      const about = { events, installed: options.installed, isRefused, now: world.clock.now }
      return toResult(ran, await close(), about)
    },
    async judge(asked) {
      const { outcome, close } = await open(asked)
      const decided = decide(await close())
      return outcome.type === 'deny'
        ? { ...decided, isRefused: true, isChanged: false, request: asked.request }
        : { ...decided, isRefused: false, isChanged: outcome.isChanged, request: outcome.request }
    },
  }
}

interface Opened {
  readonly outcome: RequestOutcome
  readonly options: RunOptions
  close(): Promise<Outcome>
}

function prepare(world: World, installed: readonly Installed[], host: PolicyHost): RunOptions {
  const all = world.haltedBy() === undefined ? installed : [HALT_GATE, ...installed]
  const contexts = new Contexts(host)
  // As in the gateway: one that cannot begin shows before anything is asked.
  for (const one of all) contexts.of(one)
  return { installed: all, host, contexts }
}

const noAnswer = (): Ran => ({ sent: [], state: createAssembler().state })
