/**
 * The votes of several judges → one ruling. More than half must let it pass; as soon as it is decided, nobody else is
 * waited for. Neighbours: `ask.ts` gets one vote, `judge.ts` makes a verdict of the ruling.
 */
import type { JudgeAnswer } from './answer.ts'
import { askFor, type Asking, type Vote } from './ask.ts'
import type { JudgeSettings } from './options.ts'

type Outcome = 'pass' | 'ask' | 'deny'

export type Ruling =
  | { readonly type: Outcome; readonly probability: number; readonly reason: string }
  /** They answered, and there is no verdict in it. */
  | { readonly type: 'nonsense' }
  | { readonly type: 'failed'; readonly error: Error }

/** Whoever asked ends the limit when there is a ruling: those who are not needed any more are told to stop by it. */
export function poll(asking: Asking): Promise<Ruling> {
  const { settings } = asking
  const { models } = settings
  const counted: Vote[] = []
  return new Promise<Ruling>((resolve) => {
    for (let at = 0; at < settings.votes; at++)
      void askFor(asking, models[at % models.length] ?? '').then((vote) => {
        counted.push(vote)
        const ruling = count(counted, settings)
        if (ruling !== undefined) resolve(ruling)
      })
  })
}

/** `undefined`: it is still open. What is no verdict counts against it. */
export function count(
  cast: readonly Vote[],
  settings: Pick<JudgeSettings, 'votes' | 'denyAt' | 'askAt'>,
): Ruling | undefined {
  const half = settings.votes / 2
  const answers = cast.flatMap((vote) => (vote.type === 'answer' ? [vote.answer] : []))
  const of = (outcome: Outcome): readonly JudgeAnswer[] =>
    answers.filter((answer) => toOutcome(answer, settings) === outcome)
  const [passes, asks, denies] = [of('pass'), of('ask'), of('deny')]
  const nonsense = cast.filter(({ type }) => type === 'nonsense').length
  if (passes.length > half) return rule('pass', passes)
  if (denies.length + nonsense > half)
    return denies.length > 0 ? rule('deny', denies) : { type: 'nonsense' }
  if (cast.length < settings.votes) return undefined
  if (passes.length + asks.length > half && asks.length > 0) return rule('ask', asks)
  const failed = cast.find((vote) => vote.type === 'failed')
  if (failed !== undefined) return failed
  return denies.length > 0 ? rule('deny', denies) : { type: 'nonsense' }
}

function toOutcome(
  { probability }: JudgeAnswer,
  { denyAt, askAt }: Pick<JudgeSettings, 'denyAt' | 'askAt'>,
): Outcome {
  if (probability >= denyAt) return 'deny'
  return probability >= askAt ? 'ask' : 'pass'
}

/** The words of the one that is surest of harm among those who carried it. */
function rule(type: Outcome, answers: readonly JudgeAnswer[]): Ruling {
  const [first, ...rest] = answers
  const surest = rest.reduce(
    (one, other) => (one !== undefined && one.probability >= other.probability ? one : other),
    first,
  )
  return { type, probability: surest?.probability ?? 1, reason: surest?.reason ?? '' }
}
