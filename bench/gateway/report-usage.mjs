/**
 * Loaded into a contender where there is no `/proc`: tells over IPC what the process has used. Does not
 * keep it alive.
 */
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({
    cpuMs: (user + system) / 1000,
    rss: process.memoryUsage.rss(),
    peakRss: process.resourceUsage().maxRSS * 1024,
  })
})
process.channel?.unref()
