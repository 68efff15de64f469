/**
 * How each client is told where the gateway is: its arguments and its environment, one entry per
 * client. Neighbours: `run.ts` starts it, `run-logins.ts` knows whether the person has a credential of
 * their own. Writes into no file: what is set here is gone when the client ends.
 */
import { parseObject, toObject, type JsonObject } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { WireName } from '../event/event.ts'
import { KEY_HEADER } from '../server/access.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What a client must know of the gateway. */
export interface ClientFacts {
  /** Without a slash at the end. */
  readonly url: string
  /**
   * What the client shows on that wire: the gateway's key, or a word in place of a credential that
   * nobody asks for. `undefined`: the person's own credential, which is left as it is.
   */
  credential(wire: WireName): string | undefined
  /** The gateway's key. Where the credential is the person's own, it goes into a header beside it. */
  readonly key: string | undefined
  /** Models that routes name in full. */
  readonly models: readonly string[]
}

interface Launch {
  /** Before those that the person typed. */
  readonly args: readonly string[]
  /** Over the person's environment; `undefined` takes a name out. */
  readonly env: Environment
}

export interface Client {
  readonly command: string
  /** The npm package that brings it; `undefined`: any program. */
  readonly packageName: string | undefined
  launch(facts: ClientFacts, env: Environment): Launch
}

/** Any other program: the names that the vendors' SDKs read, and those of their older relatives. */
export const otherClient = (command: string): Client => ({
  command,
  packageName: undefined,
  launch({ url, credential }) {
    const anthropic = credential('anthropic-messages')
    // One variable for two wires: it is set when neither needs the person's own.
    const openai =
      credential('openai-chat') === undefined ? undefined : credential('openai-responses')
    return {
      args: [],
      env: {
        ANTHROPIC_BASE_URL: url,
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_API_BASE: `${url}/v1`,
        // The SDK sends both when both are set, and the gateway must see one.
        ...(anthropic === undefined
          ? {}
          : { ANTHROPIC_API_KEY: anthropic, ANTHROPIC_AUTH_TOKEN: undefined }),
        ...(openai === undefined ? {} : { OPENAI_API_KEY: openai }),
      },
    }
  },
})

const claude: Client = {
  command: 'claude',
  packageName: '@anthropic-ai/claude-code',
  launch({ url, credential, key }, given) {
    const token = credential('anthropic-messages')
    const env = {
      ANTHROPIC_BASE_URL: url,
      // Each of these would lead around the gateway.
      CLAUDE_CODE_USE_BEDROCK: undefined,
      CLAUDE_CODE_USE_VERTEX: undefined,
      CLAUDE_CODE_USE_FOUNDRY: undefined,
      // As a bearer token: a new API key would be asked about at the start.
      ...(token === undefined ? {} : { ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_API_KEY: undefined }),
      ...(token === undefined && key !== undefined
        ? { ANTHROPIC_CUSTOM_HEADERS: withKeyHeader(given['ANTHROPIC_CUSTOM_HEADERS'], key) }
        : {}),
    }
    // The `env` of a settings file wins over the environment, and would lead around the gateway.
    // Settings on the command line win over both; if the person gives some too, theirs count.
    return { args: ['--settings', JSON.stringify({ env: { ANTHROPIC_BASE_URL: url } })], env }
  },
}

/** The person's own headers and the key, one a line. */
const withKeyHeader = (given: string | undefined, key: string): string =>
  [given ?? '', `${KEY_HEADER}: ${key}`].filter((line) => line !== '').join('\n')

const codex: Client = {
  command: 'codex',
  packageName: '@openai/codex',
  launch({ url, credential, key }, env) {
    const shown = credential('openai-responses')
    const beside = shown === undefined && key !== undefined
    const provider = {
      name: 'Sluice',
      base_url: `${url}/v1`,
      wire_api: 'responses',
      ...(shown === undefined ? ownCodexCredential(env) : { env_key: 'SLUICE_KEY' }),
      ...(beside ? { [`env_http_headers.${KEY_HEADER}`]: 'SLUICE_KEY' } : {}),
    }
    const settings = [
      ['model_provider', 'sluice'],
      ...Object.entries(provider).map(([name, value]) => [`model_providers.sluice.${name}`, value]),
    ]
    return {
      // Values are TOML, where our strings and booleans are written as in JSON.
      args: settings.flatMap(([name, value]) => ['-c', `${name}=${JSON.stringify(value)}`]),
      env: shown === undefined ? {} : { SLUICE_KEY: shown },
    }
  },
}

const ownCodexCredential = (env: Environment): Readonly<Record<string, string | boolean>> =>
  isSet(env, 'OPENAI_API_KEY') ? { env_key: 'OPENAI_API_KEY' } : { requires_openai_auth: true }

const opencode: Client = {
  command: 'opencode',
  packageName: 'opencode-ai',
  launch({ url, credential, key, models }, env) {
    const options = (wire: WireName): JsonObject => {
      const apiKey = credential(wire)
      const baseURL = `${url}/v1`
      if (apiKey !== undefined) return { baseURL, apiKey }
      return { baseURL, ...(key === undefined ? {} : { headers: { [KEY_HEADER]: key } }) }
    }
    const providers = {
      anthropic: { options: options('anthropic-messages') },
      openai: { options: options('openai-responses') },
      sluice: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Sluice',
        options: options('openai-chat'),
        models: Object.fromEntries(models.map((model) => [model, {}])),
      },
    }
    const given = givenConfig(env)
    const content = {
      ...given,
      // Any other provider would be a way around the gateway.
      enabled_providers: Object.keys(providers),
      provider: { ...toObject(given['provider']), ...providers },
    }
    return { args: [], env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(content) } }
  },
}

/** What the person set there already. */
function givenConfig(env: Environment): JsonObject {
  const text = env['OPENCODE_CONFIG_CONTENT']
  if (text === undefined || text === '') return {}
  const config = parseObject(text)
  if (config === undefined)
    throw new SluiceError(
      'wrong-use',
      'Cannot add to OPENCODE_CONFIG_CONTENT: it is set, but not to a JSON object',
    )
  return config
}

const qwen: Client = {
  command: 'qwen',
  packageName: '@qwen-code/qwen-code',
  launch({ url, credential, models }, env) {
    const key = credential('openai-chat')
    return {
      args: [],
      env: {
        OPENAI_BASE_URL: `${url}/v1`,
        ...(key === undefined ? {} : { OPENAI_API_KEY: key }),
        // Only with a model too does it take the environment for a way to log in. `-m` still counts.
        ...(isSet(env, 'OPENAI_MODEL') ? {} : { OPENAI_MODEL: models[0] ?? 'qwen3-coder-plus' }),
      },
    }
  },
}

export const CLIENTS: Readonly<Record<string, Client>> = { claude, codex, opencode, qwen }

/** Set, and not to nothing: programs take an empty variable for none. */
export const isSet = (env: Environment, name: string): boolean => (env[name] ?? '') !== ''
