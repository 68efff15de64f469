import { describe, expect, test } from 'vitest'
import type { WireName } from '../event/event.ts'
import {
  CLIENTS,
  otherClient,
  type Client,
  type ClientFacts,
  type Environment,
} from './run-clients.ts'

const URL = 'http://127.0.0.1:4141'

const facts = (shown: string | Partial<Record<WireName, string>> | undefined): ClientFacts => ({
  url: URL,
  credential: (wire) => (typeof shown === 'string' ? shown : shown?.[wire]),
  key: undefined,
  models: [],
})

/** The person's own credential, and a key for the gateway. */
const withKey: ClientFacts = { ...facts(undefined), key: 'key' }

function launch(client: Client | undefined, given: ClientFacts, env: Environment = {}) {
  if (client === undefined) throw new Error('There is no such client')
  return client.launch(given, env)
}

describe('claude', () => {
  const { claude } = CLIENTS

  test('is told the root of the gateway, and keeps the credential of the person', () => {
    const { env } = launch(claude, facts(undefined))
    expect(env['ANTHROPIC_BASE_URL']).toBe(URL)
    expect(env).not.toHaveProperty('ANTHROPIC_AUTH_TOKEN')
    expect(env).not.toHaveProperty('ANTHROPIC_API_KEY')
  })

  test('shows one credential and not two', () => {
    const { env } = launch(claude, facts('word'))
    expect(env).toMatchObject({ ANTHROPIC_AUTH_TOKEN: 'word', ANTHROPIC_API_KEY: undefined })
    expect(env).toHaveProperty('ANTHROPIC_API_KEY')
  })

  test('sends the key beside a credential that must reach the upstream', () => {
    const { env } = launch(claude, withKey, { ANTHROPIC_CUSTOM_HEADERS: 'x-mine: 1' })
    expect(env['ANTHROPIC_CUSTOM_HEADERS']).toBe('x-mine: 1\nx-sluice-key: key')
    expect(env).not.toHaveProperty('ANTHROPIC_AUTH_TOKEN')
  })

  test('is not led around the gateway by a settings file or a cloud', () => {
    const { args, env } = launch(claude, facts(undefined))
    expect(args).toEqual(['--settings', `{"env":{"ANTHROPIC_BASE_URL":"${URL}"}}`])
    expect(env).toHaveProperty('CLAUDE_CODE_USE_BEDROCK', undefined)
  })
})

describe('codex', () => {
  const { codex } = CLIENTS
  const provider = [
    '-c',
    'model_provider="sluice"',
    '-c',
    'model_providers.sluice.name="Sluice"',
    '-c',
    `model_providers.sluice.base_url="${URL}/v1"`,
    '-c',
    'model_providers.sluice.wire_api="responses"',
    '-c',
  ]

  test.each([
    {
      what: 'the key of the gateway',
      shown: 'word',
      given: {},
      last: 'env_key="SLUICE_KEY"',
      env: { SLUICE_KEY: 'word' },
    },
    {
      what: 'its own key',
      shown: undefined,
      given: { OPENAI_API_KEY: 'k' },
      last: 'env_key="OPENAI_API_KEY"',
      env: {},
    },
    {
      what: 'its login',
      shown: undefined,
      given: { OPENAI_API_KEY: '' },
      last: 'requires_openai_auth=true',
      env: {},
    },
  ])('is given a provider with $what', ({ shown, given, last, env }) => {
    expect(launch(codex, facts(shown), given)).toEqual({
      args: [...provider, `model_providers.sluice.${last}`],
      env,
    })
  })
})

test('codex sends the key beside its login', () => {
  expect(launch(CLIENTS['codex'], withKey).args.slice(-3)).toEqual([
    'model_providers.sluice.requires_openai_auth=true',
    '-c',
    'model_providers.sluice.env_http_headers.x-sluice-key="SLUICE_KEY"',
  ])
})

describe('opencode', () => {
  const { opencode } = CLIENTS
  const content = (env: Environment): unknown => JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')

  test('has its providers behind the gateway, and no others', () => {
    const { env } = launch(opencode, { ...facts({ 'openai-chat': 'word' }), models: ['demo'] })
    expect(content(env)).toEqual({
      enabled_providers: ['anthropic', 'openai', 'sluice'],
      provider: {
        anthropic: { options: { baseURL: `${URL}/v1` } },
        openai: { options: { baseURL: `${URL}/v1` } },
        sluice: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Sluice',
          options: { baseURL: `${URL}/v1`, apiKey: 'word' },
          models: { demo: {} },
        },
      },
    })
  })

  test('sends the key beside its login', () => {
    const options = { baseURL: `${URL}/v1`, headers: { 'x-sluice-key': 'key' } }
    expect(content(launch(opencode, withKey).env)).toMatchObject({
      provider: { anthropic: { options } },
    })
  })

  test('keeps what the person had set', () => {
    const given = '{"model":"sluice/x","provider":{"groq":{"options":{}}}}'
    const { env } = launch(opencode, facts(undefined), { OPENCODE_CONFIG_CONTENT: given })
    expect(content(env)).toMatchObject({ model: 'sluice/x', provider: { groq: { options: {} } } })
  })

  test('refuses to put aside what it cannot read', () => {
    expect(() => launch(opencode, facts(undefined), { OPENCODE_CONFIG_CONTENT: '// {}' })).toThrow(
      'Cannot add to OPENCODE_CONFIG_CONTENT: it is set, but not to a JSON object',
    )
  })
})

test('qwen is told a model unless it has one', () => {
  const { qwen } = CLIENTS
  expect(launch(qwen, facts('word'))).toEqual({
    args: [],
    env: {
      OPENAI_BASE_URL: `${URL}/v1`,
      OPENAI_API_KEY: 'word',
      OPENAI_MODEL: 'qwen3-coder-plus',
    },
  })
  expect(launch(qwen, facts(undefined), { OPENAI_MODEL: 'mine' }).env).toEqual({
    OPENAI_BASE_URL: `${URL}/v1`,
  })
})

describe('any other program', () => {
  const other = otherClient('mine')

  test('is told both addresses, each as its SDK wants it', () => {
    expect(launch(other, facts(undefined))).toEqual({
      args: [],
      env: {
        ANTHROPIC_BASE_URL: URL,
        OPENAI_BASE_URL: `${URL}/v1`,
        OPENAI_API_BASE: `${URL}/v1`,
      },
    })
  })

  test('shows the key where it is asked for one', () => {
    expect(launch(other, facts('word')).env).toMatchObject({
      ANTHROPIC_API_KEY: 'word',
      ANTHROPIC_AUTH_TOKEN: undefined,
      OPENAI_API_KEY: 'word',
    })
  })

  test('keeps its own OpenAI key while one of the two wires needs it', () => {
    expect(launch(other, facts({ 'openai-chat': 'word' })).env).not.toHaveProperty('OPENAI_API_KEY')
  })
})
