/**
 * The ways to put something before policies: a call, a text, an answer, a recording, a request. Neighbours:
 * `test-policy.ts` and `conversation.ts` offer them, `exchange.ts` runs each.
 */
import type { StreamEvent } from '../event/event.ts'
import type { Turn } from '../request/request.ts'
import type { ExchangeRunner } from './exchange.ts'
import { makeAnswer, type TestBlock, type TestCall } from './made-answer.ts'
import { readStream, type TestStream } from './read-stream.ts'
import type { RequestResult, TestResult } from './result.ts'
import { readBody, toRequest, type RequestBody, type TestSetting } from './setting.ts'

/** Of an answer that a test makes up. */
export interface AnswerSetting extends TestSetting {
  /** How many characters each piece of it has. Default 5. */
  readonly pieces?: number
}

export type CallSetting = AnswerSetting & Pick<TestCall, 'id' | 'dialect' | 'namespace'>

export interface Exchanges {
  /** The model calls one tool. */
  onToolCall(name: string, args?: TestCall['args'], setting?: CallSetting): Promise<TestResult>
  /** The model says a text. */
  onText(text: string, setting?: AnswerSetting): Promise<TestResult>
  /** The model says several blocks. */
  onAnswer(blocks: readonly TestBlock[], setting?: AnswerSetting): Promise<TestResult>
  /** An answer that was recorded. Its wire is found out, unless `wire` says it. */
  onStream(stream: TestStream, setting?: TestSetting): Promise<TestResult>
  /** A client asks: a body of any wire, or a request in our own tongue. */
  onRequest(body: RequestBody, setting?: TestSetting): Promise<RequestResult>
}

/** The conversation that the next exchange is part of. */
export interface Talk {
  readonly id: string
  /** What stands before the turns that its setting names. */
  readonly turns: readonly Turn[]
  /** Told of what the client got. */
  heard?(result: TestResult, request: readonly Turn[]): void
}

export function createExchanges(
  runner: ExchangeRunner,
  common: TestSetting,
  nextTalk: () => Talk,
): Exchanges {
  let answers = 0

  async function answer(
    setting: TestSetting,
    toEvents: (model: string) => readonly StreamEvent[],
  ): Promise<TestResult> {
    const talk = nextTalk()
    const all = { ...common, ...setting }
    const request = toRequest({ ...all, turns: [...talk.turns, ...(all.turns ?? [])] })
    const events = toEvents(request.model)
    const result = await runner.answer(events, { request, setting: all, conversationId: talk.id })
    talk.heard?.(result, request.turns)
    return result
  }

  const onAnswer: Exchanges['onAnswer'] = (blocks, setting = {}) =>
    answer(setting, (model) =>
      makeAnswer(blocks, { model, number: ++answers, pieces: setting.pieces }),
    )

  return {
    onAnswer,
    onText: (text, setting) => onAnswer([text], setting),
    onToolCall: (name, args = {}, setting = {}) =>
      onAnswer([{ ...withDialect(name, setting), name, args }], setting),
    async onStream(stream, setting = {}) {
      const { events, wire } = await readStream(stream, setting.wire)
      return await answer({ ...setting, ...(wire === undefined ? {} : { wire }) }, () => events)
    },
    async onRequest(body, setting = {}) {
      const all = { ...common, ...setting }
      const request = readBody(body, setting.wire)
      return await runner.judge({ request, setting: all, conversationId: nextTalk().id })
    },
  }
}

/** A tool that was declared as one of free text is called with free text. */
function withDialect(name: string, setting: CallSetting): Omit<TestCall, 'name' | 'args'> {
  const { id, namespace, tools = [] } = setting
  const isFree = tools.some(
    (tool) =>
      typeof tool !== 'string' && 'type' in tool && tool.type === 'custom' && tool.name === name,
  )
  const dialect = setting.dialect ?? (isFree ? 'custom' : undefined)
  return {
    ...(id === undefined ? {} : { id }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(dialect === undefined ? {} : { dialect }),
  }
}
