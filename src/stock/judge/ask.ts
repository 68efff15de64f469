/**
 * One judge's vote: a question, and the same again after an error that may pass or an answer that is none, while
 * there is time. Neighbours: `poll.ts` counts votes, `prompt.ts` and `answer.ts` are question and answer.
 */
import { isObject, toCount } from '../../base/json.ts'
import { SluiceError } from '../../base/sluice-error.ts'
import type { ModelCall, ModelReply } from '../../policy/policy.ts'
import { readAnswer, type JudgeAnswer } from './answer.ts'
import type { Bill } from './bill.ts'
import { pause, toError, untilAborted, type Limit } from './limit.ts'
import type { JudgeSettings } from './options.ts'
import { toCall } from './prompt.ts'
import type { Subject } from './subject.ts'

/** What the judge needs of the world. */
export interface JudgeWorld {
  /** A code that nobody could know before: letters and digits. */
  createMark(): string
  /** 0 to 1, for pauses that do not all end at once. */
  random(): number
}

export interface Asking {
  readonly settings: JudgeSettings
  readonly subject: Subject
  readonly world: JudgeWorld
  readonly limit: Limit
  readonly bill: Bill
  callModel(call: ModelCall): Promise<ModelReply>
}

export type Vote =
  | { readonly type: 'answer'; readonly answer: JudgeAnswer }
  /** It answered, but gave no verdict. */
  | { readonly type: 'nonsense' }
  /** It could not be asked. */
  | { readonly type: 'failed'; readonly error: Error }

const FIRST_PAUSE_MS = 200

export async function askFor(asking: Asking, model: string): Promise<Vote> {
  const { settings, limit } = asking
  for (let tries = 0; ; tries++) {
    const vote = await askOnce(asking, model)
    if (vote.type === 'answer' || tries >= settings.retries || limit.signal.aborted) return vote
    if (vote.type === 'failed' && !mayPass(vote.error)) return vote
    const waitMs = waitBefore(tries, vote, asking.world)
    if (waitMs >= limit.leftMs()) return vote
    try {
      await pause(waitMs, limit.signal)
    } catch (error) {
      return { type: 'failed', error: toError(error) }
    }
  }
}

async function askOnce(asking: Asking, model: string): Promise<Vote> {
  const { settings, subject, world, limit, bill } = asking
  try {
    limit.signal.throwIfAborted()
    const mark = world.createMark()
    const call = toCall(settings, subject, { model, mark })
    const asked = asking.callModel({ ...call, signal: limit.signal })
    const { text, usage } = await untilAborted(asked, limit.signal)
    bill.add(usage)
    const answer = readAnswer(text, mark)
    return answer === undefined ? { type: 'nonsense' } : { type: 'answer', answer }
  } catch (error) {
    return { type: 'failed', error: toError(error) }
  }
}

const mayPass = (error: Error): boolean =>
  !(error instanceof SluiceError && error.code === 'upstream-refused')

/** Doubled each time, with half of it left to chance; longer where the upstream asked for it. */
function waitBefore(tries: number, vote: Vote, world: JudgeWorld): number {
  const backoff = FIRST_PAUSE_MS * 2 ** tries * (0.5 + world.random() / 2)
  const cause = vote.type === 'failed' ? vote.error.cause : undefined
  const asked = isObject(cause) ? toCount(cause['retryAfterMs']) : undefined
  return Math.max(backoff, asked ?? 0)
}
