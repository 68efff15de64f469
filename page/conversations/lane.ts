/** So many at once, the newest first: what was asked for last is what somebody looks at. */
export function createLane(width: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0

  function next(): void {
    if (running >= width) return
    waiting.pop()?.()
  }

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        running += 1
        void work()
          .then(resolve, reject)
          .finally(() => {
            running -= 1
            next()
          })
      })
      next()
    })
}
