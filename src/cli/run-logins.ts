/**
 * Whether the person can show a credential of their own to a vendor: a variable that is set, or a login
 * that a client keeps. Neighbours: `run.ts` asks, so that nobody's login is put aside for a word of
 * ours. Looks whether a login is there; what it says goes nowhere.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WireName } from '../event/event.ts'
import { isSet, type Environment } from './run-clients.ts'

/** A file that speaks of a login when it holds that word. */
type Login = readonly [file: string, word: string]

/** Where a client keeps its logins for a vendor. */
type Logins = (env: Environment, home: string, vendor: Vendor) => readonly Login[]

type Vendor = 'anthropic' | 'openai'

const VENDORS: Readonly<Record<WireName, Vendor>> = {
  'anthropic-messages': 'anthropic',
  'openai-chat': 'openai',
  'openai-responses': 'openai',
}

const VARIABLES: Readonly<Record<Vendor, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  openai: ['OPENAI_API_KEY'],
}

const LOGINS: Readonly<Record<string, Logins>> = {
  claude(env, home) {
    const folder = env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude')
    return [
      [join(folder, '.credentials.json'), 'Token'],
      [join(folder, 'settings.json'), 'apiKeyHelper'],
      // On a Mac the token is in the keychain, and only the account is in a file.
      [join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json'), 'oauthAccount'],
    ]
  },
  codex: (env, home) => [[join(env['CODEX_HOME'] ?? join(home, '.codex'), 'auth.json'), 'token']],
  opencode: (env, home, vendor) => [
    [join(env['XDG_DATA_HOME'] ?? join(home, '.local/share'), 'opencode/auth.json'), `"${vendor}"`],
  ],
}

export interface LoginPlace {
  readonly env: Environment
  readonly home: string
}

/** Whether the person has a credential that this client would show on that wire. */
export function hasOwnCredential(
  client: string,
  wire: WireName,
  { env, home }: LoginPlace,
): boolean {
  const vendor = VENDORS[wire]
  if (VARIABLES[vendor].some((name) => isSet(env, name))) return true
  const logins = Object.hasOwn(LOGINS, client) ? LOGINS[client] : undefined
  return (logins?.(env, home, vendor) ?? []).some(([file, word]) => holds(file, word))
}

function holds(file: string, word: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes(word)
  } catch {
    // No such file, or none for us to read: no login that we know of.
    return false
  }
}
