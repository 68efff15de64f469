/**
 * What a running gateway leaves for the commands of the same user: where it is, and the admin token if it made one
 * itself. One file for each, which nobody else may read. Neighbours: `service.ts` and `workers.ts` write it, the
 * command line looks for it. A token from the config is not written down: it has a place already.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseObject, toText } from '../base/json.ts'
import type { Environment } from '../config/variables.ts'

export interface RunningGateway {
  readonly url: string
  readonly pid: number
  /** Missing where the config has it. */
  readonly token?: string | undefined
}

/** `~/.local/state/sluice`, or where the system keeps such things. */
export function stateFolder(env: Environment, home = homedir()): string {
  const given = env['XDG_STATE_HOME']
  if (given !== undefined && given.startsWith('/')) return join(given, 'sluice')
  const local = env['LOCALAPPDATA']
  if (process.platform === 'win32' && local !== undefined && local !== '')
    return join(local, 'sluice')
  return join(home, '.local', 'state', 'sluice')
}

/** Gives back how to take it away again. */
export function writeState(folder: string, gateway: RunningGateway): () => void {
  const file = join(folder, `gateway-${gateway.pid}-${new URL(gateway.url).port}.json`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Never over a file or a link that somebody else has put there: that one's rights would hold.
  rmSync(file, { force: true })
  writeFileSync(file, `${JSON.stringify(gateway)}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(file, 0o600)
  return () => rmSync(file, { force: true })
}

const MAX_FILES = 200

/** Those that still run. What the dead have left is taken away. */
export function readStates(folder: string): readonly RunningGateway[] {
  return namesIn(folder)
    .filter((name) => /^gateway-\d+-\d*\.json$/.test(name))
    .slice(0, MAX_FILES)
    .flatMap((name) => {
      const file = join(folder, name)
      const found = readState(file)
      if (found !== undefined && isRunning(found.pid)) return [found]
      rmSync(file, { force: true })
      return []
    })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readState(file: string): RunningGateway | undefined {
  try {
    const read = parseObject(readFileSync(file, 'utf8'))
    const url = toText(read?.['url'])
    const pid = read?.['pid']
    if (url === undefined || !URL.canParse(url) || typeof pid !== 'number') return undefined
    return { url, pid, token: toText(read?.['token']) }
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there, and somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
