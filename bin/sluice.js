#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'

/*
 * A gateway waits for most of its time, and has to be quick when somebody comes. Eight seconds after a process has become quiet
 * V8 collects garbage so as to give memory back: it forgets the shapes of objects that nobody has at that moment, throws away
 * the code that it compiled for them, and makes the young generation small. The next hundred streams then cost up to twice as
 * much (docs/performance.md). Here it does so after ten quiet minutes. And it collects all of the heap when that has grown by three quarters:
 * left to itself it does after every eight megabytes where little is made. And it collects the young generation when that is full, not
 * when four fifths are: what is in flight is then copied less often. It has to hear of these before its first collection.
 */
setFlagsFromString('--gc-memory-reducer-start-delay-ms=600000')
setFlagsFromString('--heap-growing-percent=75')
setFlagsFromString('--no-minor-gc-task')

const entry = new URL('../dist/cli/main.js', import.meta.url)

if (existsSync(entry)) {
  const { main } = await import(entry.href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  console.error('Cannot find the built program: run npm run build first')
  process.exitCode = 2
}
