/**
 * What is asked of a replay, a line each, and what came of it all. Neighbours: `replay.ts`.
 */
import type { ReplayAsked, ReplayFacts } from '../replay/replay-upstream.ts'
import { visible, type Output } from './output.ts'

export interface ReplayLines {
  ready(facts: ReplayFacts): void
  asked(asked: ReplayAsked): void
  over(asked: ReplayAsked, isWhole: boolean): void
  /** What there is, for a sentence: `3 answers`. */
  count(): string
  /** Every answer was given, where each is given once. */
  readonly done: Promise<void>
  /** Sums up, and says how it ends. */
  end(): Promise<number>
}

export function createReplayLines(out: Output, isOnce: boolean): ReplayLines {
  let names: ReadonlySet<string> = new Set()
  const given = new Set<string>()
  let playing = 0
  let strangers = 0
  let finish = (): void => {}
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })
  /** A line does not wait for the one before, and an exchange not for a line. */
  let writing = Promise.resolve()
  const line = (text: string): void => {
    writing = writing.then(() => out.line(text))
  }

  return {
    done,
    count: () => plural(names.size, 'answer'),
    ready(facts) {
      names = facts.names
    },
    asked({ wire, model = '-', match }) {
      const what = `${wire} ${visible(model)}`
      if (match.type === 'none') {
        strangers += 1
        const near = match.nearest === undefined ? '' : `; ${visible(match.nearest)}`
        return line(`${out.style('red', '✗')} ${what}: ${match.why}${near}`)
      }
      playing += 1
      given.add(match.recording.name)
      line(`${out.style('green', '✓')} ${what} → ${visible(match.recording.name)} (${match.how})`)
    },
    over({ match }, isWhole) {
      playing -= 1
      if (!isWhole && match.type === 'match')
        line(
          `${out.style('yellow', '!')} the client left before the end of ${visible(match.recording.name)}`,
        )
      if (isOnce && playing === 0 && given.size >= names.size) finish()
    },
    async end() {
      const left = [...names].filter((name) => !given.has(name))
      line('')
      line(
        `${plural(given.size, 'answer')} given, ${left.length} not asked for, ${plural(strangers, 'request')} not known`,
      )
      await writing
      return isOnce && (strangers > 0 || left.length > 0) ? 1 : 0
    },
  }
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
