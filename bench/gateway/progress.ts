/**
 * Says on stderr what is being measured and how long it may still take. Neighbours: `run.ts` knows how much there is to
 * do, the parts say what they do. A terminal gets one line that changes; a log gets a line whenever something new begins.
 */
export interface Progress {
  /** So many seconds of work are planned, about. */
  plan(seconds: number): void
  /** This begins now, and was planned with so many seconds; `detail` alone is not worth a line in a log. */
  begin(what: string, seconds: number, detail?: string): void
  end(): void
}

export function createProgress(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  now: () => number = () => performance.now(),
): Progress {
  let planned = 0
  let done = 0
  let current = 0
  let last = ''
  const start = now()

  const status = (): string => {
    const seconds = (now() - start) / 1000
    const share = planned === 0 ? 0 : Math.min(0.99, done / planned)
    // What is done so far says how far the plan is off.
    const left = planned - done <= 0 ? 0 : (planned - done) * (done === 0 ? 1 : seconds / done)
    return `${String(Math.round(share * 100)).padStart(3)} %  ${toClock(seconds)}, about ${toClock(left)} left`
  }
  return {
    plan(seconds) {
      planned += seconds
    },
    begin(what, seconds, detail = '') {
      done += current
      current = seconds
      if (stream.isTTY) stream.write(`\r\u001B[2K${status()}  ${what} ${detail}`)
      else if (what !== last) stream.write(`${status()}  ${what}\n`)
      last = what
    },
    end() {
      if (stream.isTTY) stream.write('\r\u001B[2K')
    },
  }
}

const toClock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
