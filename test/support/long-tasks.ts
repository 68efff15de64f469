/**
 * Tasks of a page that take long, by the time that its main thread has worked on them. A clock on the wall would also count
 * what else the machine does meanwhile, and a test would fail for the work of others. Neighbours: `page.ts`.
 */
import type { Page } from 'playwright-core'
import type { Window } from './page.ts'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds of the thread. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

const CATEGORIES = ['toplevel', '__metadata']

const OVER_MS = 50
const TRIES = 3

/**
 * Opens a window, does in it what shall not be slow, up to three times, and says the long tasks of the best: a collection of
 * garbage or a page fault makes one task long once, what is really slow is slow every time.
 */
export async function findLongTasks(
  open: () => Promise<Window>,
  act: (page: Page) => Promise<void>,
): Promise<readonly number[]> {
  let best: readonly number[] | undefined
  for (let left = TRIES; left > 0 && best?.length !== 0; left--) {
    const { page, faults, close } = await open()
    const stop = await watchTasks(page)
    await act(page)
    const found = await stop()
    await close()
    if (faults.length > 0) throw new Error(`The page had faults: ${faults.join('; ')}`)
    if (best === undefined || found.length < best.length) best = found
  }
  return best ?? []
}

/** Gives back how to stop, which says the milliseconds of each task of over 50. */
async function watchTasks(page: Page): Promise<() => Promise<readonly number[]>> {
  const session = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as readonly TraceEvent[]))
  })
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES },
  })
  return async () => {
    const isOver = new Promise<void>((resolve) => {
      session.once('Tracing.tracingComplete', () => resolve())
    })
    await session.send('Tracing.end')
    await isOver
    await session.detach()
    return toLong(events)
  }
}

function toLong(events: readonly TraceEvent[]): readonly number[] {
  const mains = new Set(events.filter(({ args }) => args.name === 'CrRendererMain').map(toThread))
  const tasks = events.filter(
    (event) => event.ph === 'X' && event.name.endsWith('RunTask') && mains.has(toThread(event)),
  )
  if (tasks.length === 0) throw new Error('The trace has no task: nothing was measured')
  return tasks.map(({ tdur = 0 }) => tdur / 1000).filter((ms) => ms > OVER_MS)
}

const toThread = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`
