import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'

const MODULE = new URL('./compile-sooner.ts', import.meta.url).href

/** In turn with what runs, and never in the middle of it: so that calls can be counted. */
const PLAIN = ['--allow-natives-syntax', '--no-concurrent-recompilation', '--no-use-osr']

/** How often a function is called before V8 has compiled it, in a process of its own. */
function callsUntilCompiled(isSooner: boolean, v8 = process.versions.v8): number {
  const program = `
    const { compileSooner } = await import(${JSON.stringify(MODULE)})
    if (${isSooner}) compileSooner(${JSON.stringify(v8)})
    const work = (given) => {
      let sum = given
      for (let step = 0; step < 20; step++) sum = (sum * 31 + step) % 1000
      return sum
    }
    const COMPILED = 1 << 4
    let calls = 0
    while (calls < 1_000_000 && (%GetOptimizationStatus(work) & COMPILED) === 0) work(calls++)
    console.log(calls)`
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...PLAIN, '--import', 'tsx', '--input-type=module', '--eval', program],
    { encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  return Number(stdout)
}

// Other releases of V8 count in another way.
describe.runIf(process.versions.v8.startsWith('11.3.'))('What runs again and again', () => {
  test('is compiled after a fifth of the calls, or less', () => {
    expect(callsUntilCompiled(true) * 5).toBeLessThanOrEqual(callsUntilCompiled(false))
  })

  test('is compiled as usual where the release of V8 is another one', () => {
    expect(callsUntilCompiled(true, '12.4.254.21')).toBeGreaterThan(callsUntilCompiled(true) * 3)
  })
})

test('nothing is said on a release of V8 that has no such flag', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      `(await import(${JSON.stringify(MODULE)})).compileSooner()`,
    ],
    { encoding: 'utf8' },
  )
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
