/**
 * The test kit: policies on answers and requests that a test makes up, with the engine that runs in the gateway, and no
 * gateway. Neighbours: `world.ts` has clock, people and models, `exchanges.ts` the ways to ask, `result.ts` what a test
 * looks at, `conversation.ts` several exchanges. Works in every test runner: it asserts nothing itself.
 */
import { install } from '../policy/installed.ts'
import type { Installed, Policy } from '../policy/policy.ts'
import { createConversation, type TestConversation } from './conversation.ts'
import { createRunner } from './exchange.ts'
import { createExchanges, type Exchanges } from './exchanges.ts'
import type { TestSetting } from './setting.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

/** How policies are tested: the world around them, and what all their exchanges have in common. */
export interface TestOptions extends WorldOptions, TestSetting {
  /** What happens when a policy throws or is too slow. Default `deny`, as in the gateway. */
  readonly onError?: Installed['onError']
  /** Milliseconds for one decision. Default 2000: a test is not to wait as long as a client does. */
  readonly timeoutMs?: number
  /** Whether it only watches. */
  readonly isShadow?: boolean
}

/** Each exchange is the first of its own conversation, so none sees what another left. */
export interface PolicyTest extends Exchanges, Omit<World, 'createHost' | 'haltedBy'> {
  /** Exchanges that follow each other, with one memory and with turns that grow. */
  conversation(setting?: TestSetting): TestConversation
}

/** Policies, in their order, as they are or as they are installed. */
export type Tested = Policy | Installed | readonly (Policy | Installed)[]

const TIMEOUT_MS = 2000

export function testPolicy(tested: Tested, options: TestOptions = {}): PolicyTest {
  const world = createWorld(options)
  const installed = toList(tested).map((one) => toInstalled(one, options))
  const runner = createRunner(world, installed)
  let conversations = 0
  const nextId = (): string => `conversation-${++conversations}`
  const { clock, questions, modelCalls, logs, halt, resume } = world
  return {
    ...createExchanges(runner, options, () => ({ id: nextId(), turns: [] })),
    conversation: (setting) => createConversation(runner, { ...options, ...setting }, nextId()),
    clock,
    questions,
    modelCalls,
    logs,
    halt,
    resume,
  }
}

const toList = (tested: Tested): readonly (Policy | Installed)[] =>
  isList(tested) ? tested : [tested]

const isList = (tested: Tested): tested is readonly (Policy | Installed)[] => Array.isArray(tested)

function toInstalled(one: Policy | Installed, options: TestOptions): Installed {
  if ('policy' in one) return one
  const { onError = 'deny', timeoutMs = TIMEOUT_MS, isShadow = false } = options
  return install(one, { onError, timeoutMs, isShadow })
}
