/**
 * The real command as a process of its own: what `npm run build` made, run as a person runs it. Knows
 * nothing of ours.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts the command; its standard input stays open. */
export function start(...args: readonly string[]): ChildProcessWithoutNullStreams {
  if (!existsSync(`${ROOT}dist/cli/main.js`))
    throw new Error('Cannot test the command before it is built: run npm run build')
  // Not where a person's own gateways leave word of themselves.
  const env = { XDG_STATE_HOME: stateHome(), ...process.env }
  const child = spawn(process.execPath, [`${ROOT}bin/sluice.js`, ...args], { cwd: ROOT, env })
  // A command that ends before it has read everything is what some tests are about.
  child.stdin.on('error', () => {})
  return child
}

const homes = new Map<string, string>()

/** One for each test file: what a gateway keeps outlives it, and would be found by the next. */
export function stateHome(): string {
  // The long proofs under `bench/` start gateways in the same way, and are no tests.
  const file = process.env['VITEST'] === undefined ? '' : (expect.getState().testPath ?? '')
  const known = homes.get(file)
  if (known !== undefined) return known
  const made = mkdtempSync(join(tmpdir(), 'sluice-test-state-'))
  process.on('exit', () => rmSync(made, { recursive: true, force: true }))
  homes.set(file, made)
  return made
}

/** Runs the command to its end, with that on its standard input. */
export async function sluice(
  args: readonly string[],
  input: string | Uint8Array = '',
): Promise<Ran> {
  const child = start(...args)
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return {
    code,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
  }
}

/** The code that the command ends with, or `'still running'` when it does not end in that time. */
export async function endOf(
  child: ChildProcessWithoutNullStreams,
  milliseconds = 10_000,
): Promise<number | null | 'still running'> {
  if (child.exitCode !== null) return child.exitCode
  const late = AbortSignal.timeout(milliseconds)
  try {
    const [code] = (await once(child, 'exit', { signal: late })) as [number | null]
    return code
  } catch {
    child.kill('SIGKILL')
    return 'still running'
  }
}
