/**
 * A gateway waits for most of its time, and has to be quick when somebody comes. Neighbours: the commands that run one call it;
 * whoever embeds a gateway keeps the settings of their own process.
 */
import { setFlagsFromString } from 'node:v8'

/**
 * Eight seconds after a process has become quiet V8 collects garbage so as to give memory back: it forgets the shapes of
 * objects that nobody has at that moment, throws away the code that it compiled for them, and makes the young generation small.
 * The next hundred streams then cost up to twice as much (`docs/performance.md`). Here it does so after ten quiet minutes.
 *
 * And it collects all of the heap when that has doubled: left to itself it does after every eight megabytes, where so little
 * is made that it takes memory to be dearer than time.
 */
export function stayReady(): void {
  setFlagsFromString('--gc-memory-reducer-start-delay-ms=600000')
  setFlagsFromString('--heap-growing-percent=100')
}
