/**
 * The world that policies are tested in: a clock that stands still, people and models who say what the test lets them
 * say, the switch, a memory. Neighbours: `run.ts` runs the real engine in it, `test-policy.ts` makes one for each test.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { PolicyHost } from '../policy/host.ts'
import { createMemories } from '../policy/memories.ts'
import type {
  Decision,
  ModelCall,
  ModelReply,
  PolicyContext,
  Question,
  VerdictRecord,
} from '../policy/policy.ts'
import { checkArguments } from '../stock/check-arguments/check.ts'
import type { TestRequest } from './setting.ts'

/** What a person says to a question. */
export type PersonAnswer =
  | 'pass'
  | 'deny'
  | 'expired'
  | { readonly type: 'pass' | 'deny' | 'expired'; readonly reason?: string; readonly by?: string }
  | {
      readonly type: 'edit'
      readonly args: Readonly<Record<string, unknown>> | string
      readonly by?: string
    }

/** What a model says: a text, an object that is said as JSON, the whole reply, or an error that it fails with. */
export type ModelAnswer = string | Error | ModelReply | Readonly<Record<string, unknown>>

export interface WorldOptions {
  /** What the clock shows at first. It goes on only by `clock.advance`. Default: 2026-01-01, 12:00 UTC. */
  readonly now?: number | Date
  /** Who is asked. Nobody: every question expires. */
  readonly person?: PersonAnswer | ((question: Question) => PersonAnswer | Promise<PersonAnswer>)
  /** Who answers `callModel`: one reply for all, a list that is used up, or a function. */
  readonly replies?:
    | ModelAnswer
    | readonly ModelAnswer[]
    | ((call: ModelCall, signal: AbortSignal) => ModelAnswer | Promise<ModelAnswer>)
  /** Why no tool call may pass: the switch is thrown. */
  readonly halted?: string
}

export interface TestClock {
  /** Milliseconds since 1970. */
  now(): number
  advance(milliseconds: number): void
}

/** What a policy wrote into its log. */
export interface LogLine {
  readonly level: 'info' | 'warn'
  readonly policy: string
  readonly message: string
  readonly fields: Readonly<Record<string, string | number | boolean>>
}

export interface World {
  readonly clock: TestClock
  /** Everything that people were asked, models were called with, and policies logged. */
  readonly questions: readonly Question[]
  readonly modelCalls: readonly ModelCall[]
  readonly logs: readonly LogLine[]
  halt(reason: string): void
  resume(): void
  haltedBy(): string | undefined
  createHost(exchange: {
    readonly id: string
    readonly request: TestRequest
    readonly client: PolicyContext['client']
    onVerdict(record: VerdictRecord): void
  }): PolicyHost
}

const NOON = Date.UTC(2026, 0, 1, 12)

export function createWorld(options: WorldOptions): World {
  let now = Number(options.now ?? NOON)
  let halted = options.halted
  const { replies } = options
  const memories = createMemories()
  const questions: Question[] = []
  const modelCalls: ModelCall[] = []
  const logs: LogLine[] = []

  async function callModel(call: ModelCall, signal: AbortSignal): Promise<ModelReply> {
    modelCalls.push(call)
    const answer: ModelAnswer | undefined =
      typeof replies === 'function'
        ? await replies(call, signal)
        : isList(replies)
          ? replies[modelCalls.length - 1]
          : replies
    if (answer === undefined)
      throw new SluiceError(
        'upstream-refused',
        `There is no model that answers in this test: say what it says, as in { replies: 'text' }`,
      )
    if (answer instanceof Error) throw answer
    return toReply(answer, call)
  }

  async function ask(question: Question): Promise<Decision> {
    questions.push(question)
    const { person = 'expired' } = options
    const answer = typeof person === 'function' ? await person(question) : person
    const said = typeof answer === 'string' ? { type: answer } : answer
    const by = said.type === 'expired' ? undefined : 'tester'
    return { by, ticket: `TEST-${questions.length}`, ...said }
  }

  return {
    clock: {
      now: () => now,
      advance(milliseconds) {
        now += milliseconds
      },
    },
    questions,
    modelCalls,
    logs,
    halt(reason) {
      halted = reason
    },
    resume() {
      halted = undefined
    },
    haltedBy: () => halted,
    createHost: ({ id, request, client, onVerdict }) => ({
      exchangeId: id,
      client,
      request,
      now: () => now,
      tick: () => performance.now(),
      onLeave: () => () => {},
      log: ({ name: policy }) => ({
        info: (message, fields = {}) => void logs.push({ level: 'info', policy, message, fields }),
        warn: (message, fields = {}) => void logs.push({ level: 'warn', policy, message, fields }),
      }),
      memoryOf: (policy) => memories.of(policy, request.conversationId),
      callModel,
      ask,
      checkArguments: (tool, args) =>
        checkArguments(tool, args as Readonly<Record<string, unknown>> | string),
      haltedBy: () => halted,
      onVerdict,
    }),
  }
}

const isList = (replies: WorldOptions['replies']): replies is readonly ModelAnswer[] =>
  Array.isArray(replies)

function toReply(answer: Exclude<ModelAnswer, Error>, call: ModelCall): ModelReply {
  if (typeof answer === 'string') return { text: answer, model: call.model, usage: undefined }
  const isReply = typeof answer['text'] === 'string' && 'usage' in answer
  if (isReply) return answer as ModelReply
  return { text: JSON.stringify(answer), model: call.model, usage: undefined }
}
