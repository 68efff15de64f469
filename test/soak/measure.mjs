/**
 * Loaded into the gateway beside it: collects what nobody holds any more and tells over IPC what is left. Does not keep
 * the process alive, and ends it when nobody is there to ask.
 */
process.on('message', () => {
  globalThis.gc?.()
  // What a finalizer lets go of is collected by the second.
  setImmediate(() => {
    globalThis.gc?.()
    const { heapUsed, external, rss } = process.memoryUsage()
    const handles = {}
    for (const name of process.getActiveResourcesInfo()) handles[name] = (handles[name] ?? 0) + 1
    process.send?.({ held: heapUsed + external, rss, handles })
  })
})
process.channel?.unref()
process.on('disconnect', () => process.exit())
