/**
 * How soon V8 compiles what runs again and again. Neighbours: `serve.ts` asks for it; `bin/sluice.js` has the settings that
 * must be there from the first line on. A setting of the whole process, so nothing but a command of ours comes here.
 */
import { setFlagsFromString } from 'node:v8'

/** Of V8, which names its flags anew from release to release. Node 20 has this one. */
const MEASURED_ON = '11.3.'

/**
 * V8 counts the bytes of code that a function has run through, and thinks of compiling it after so many: 67,584 if nothing is
 * said. A gateway has three to four hundred functions on the way of an exchange, most of which run once for each: that takes two
 * thousand exchanges at two to three times their later cost. With this it takes some four hundred, for the same CPU in all
 * (`docs/performance.md`).
 */
const SOON = 6000

/** Not from the first line on: what a start runs through once would be compiled too. */
export function compileSooner(v8: string = process.versions.v8): void {
  if (v8.startsWith(MEASURED_ON)) setFlagsFromString(`--interrupt-budget=${SOON}`)
}
