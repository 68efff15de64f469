/** Whether this gateway is a demo, and how to run a sample on it. Neighbours: `demo-run.ts` sends it. */
import { useQuery } from '@tanstack/react-query'
import { api, toSentence } from '../core/api.ts'
import { createStore } from '../core/store.ts'
import { KeyNeeded, runSample, type Sample } from './demo-run.ts'

export function useIsDemo(): boolean {
  const { data } = useQuery({ queryKey: ['health'], queryFn: () => api.health() })
  return data?.gateway.isDemo ?? false
}

export interface DemoState {
  /** Ids of samples that run. */
  readonly running: readonly string[]
  /** It waits for a key. */
  readonly asking: Sample | undefined
  readonly fault: string | undefined
}

export const demo = createStore<DemoState>({ running: [], asking: undefined, fault: undefined })

/** Gone with the page. */
let key: string | undefined

export async function runDemo(sample: Sample): Promise<void> {
  demo.set({ ...demo.get(), running: [...demo.get().running, sample.id], fault: undefined })
  try {
    await runSample(sample, key)
  } catch (error) {
    if (error instanceof KeyNeeded) demo.set({ ...demo.get(), asking: sample })
    // Who leaves in the middle, or is cut off by the demo, has seen what there is to see.
    else if (!(error instanceof TypeError || isLeft(error)))
      demo.set({ ...demo.get(), fault: toSentence(error) })
  }
  const running = [...demo.get().running]
  running.splice(running.indexOf(sample.id), 1)
  demo.set({ ...demo.get(), running })
}

const isLeft = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

export function answerKey(typed: string | undefined): void {
  const { asking } = demo.get()
  demo.set({ ...demo.get(), asking: undefined })
  if (typed === undefined || asking === undefined) return
  key = typed.trim() === '' ? undefined : typed.trim()
  void runDemo(asking)
}
