/**
 * A program in the foreground, as if the person had started it: its terminal is ours, its end is ours.
 * Neighbours: `run.ts` says which. Knows no client and no gateway.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

export type Ended =
  | { readonly type: 'ended'; readonly code: number }
  | { readonly type: 'not-found' }
  | { readonly type: 'not-allowed' }

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The terminal sends these to every program in the foreground, so the other one has them already. */
const FROM_THE_TERMINAL = ['SIGINT', 'SIGQUIT'] as const
const PASSED_ON = ['SIGTERM', 'SIGHUP'] as const

/** Runs it to its end. A program that a signal ended has the code that a shell would give it. */
export async function runInForeground({ command, args, env }: Program): Promise<Ended> {
  const child = spawn(command, args, { stdio: 'inherit', env })
  const stay = (): void => {}
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal)
  for (const signal of FROM_THE_TERMINAL) process.on(signal, stay)
  for (const signal of PASSED_ON) process.on(signal, passOn)
  try {
    return await new Promise<Ended>((resolve, reject) => {
      child.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') resolve({ type: 'not-found' })
        else if (error.code === 'EACCES') resolve({ type: 'not-allowed' })
        else reject(error)
      })
      child.on('exit', (code, signal) =>
        resolve({
          type: 'ended',
          code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
        }),
      )
    })
  } finally {
    for (const signal of FROM_THE_TERMINAL) process.off(signal, stay)
    for (const signal of PASSED_ON) process.off(signal, passOn)
  }
}
