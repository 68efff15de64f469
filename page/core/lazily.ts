/**
 * A view whose script is loaded when it is first shown. Where the gateway cannot be reached it waits until it can, and comes by
 * itself: what `lazy` was once refused, it would never ask for again.
 */
import { lazy, type ComponentType, type LazyExoticComponent } from 'react'

const PAUSE_MS = 1000

export const lazily = <P>(
  load: () => Promise<{ default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> => lazy(() => steady(load))

async function steady<T>(load: () => Promise<T>): Promise<T> {
  let isSecond = false
  for (;;) {
    try {
      return await load()
    } catch (error) {
      // It is there and has no such script: another version runs now, and a reload finds that one.
      const isThere = await isReachable()
      if (isThere && isSecond) throw error
      isSecond = isThere
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}

const isReachable = (): Promise<boolean> =>
  fetch(location.pathname, { cache: 'no-store' }).then(
    () => true,
    () => false,
  )
