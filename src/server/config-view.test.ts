import { describe, expect, test } from 'vitest'
import type { ConfigValue } from '../api/types.ts'
import { hashKey } from '../config/keys.ts'
import { demoSettings, loadConfig } from '../config/load.ts'
import { createNotes } from '../config/notes.ts'
import { parseYaml } from '../config/parse.ts'
import type { Settings } from '../config/settings.ts'
import { toOrigin } from './config-origin.ts'
import { toConfigView } from './config-view.ts'

/** Everything in a config that nobody may see, each found nowhere else. */
const SECRETS = {
  apiKey: 'plain-credential-of-a-provider',
  fromEnv: 'credential-out-of-a-variable',
  header: 'value-of-a-header-1',
  query: 'code-in-a-query',
  proxyPassword: 'word-of-the-proxy',
  token: 'admin-token-in-the-clear',
  webhook: 'T0123456789ABCDEFGHIJ',
  webhookSecret: 'signature-of-a-webhook',
  storePassword: 'postgres-pass-phrase',
  storeKey: 'key-that-encrypts-bodies',
  otlpHeader: 'header-of-the-collector',
  clientKey: 'key-of-a-client-as-it-is',
  hash: hashKey('another client'),
  judgeText: 'sk-ant-api03-abcdefghijklmnop',
  fallback: 'default-of-a-variable',
  pathPart: 'account-0123456789abcdef',
}

const ENV = {
  PROVIDER_KEY: SECRETS.fromEnv,
  LEVEL: 'debug',
  MAX_BODY: '8mb',
  STORE_PASSWORD: SECRETS.storePassword,
  STORE_URL: `postgres://sluice:${SECRETS.storePassword}@db.example/records`,
}

const YAML = `listen: 127.0.0.1:4242
log: { level: "\${LEVEL}" }
limits: { body: "\${MAX_BODY}", concurrent: 12 }
admin: { token: ${SECRETS.token}, url: https://gateway.example }
timeouts: { connect: 3s }
upstreams:
  main:
    wire: anthropic-messages
    baseUrl: https://api.provider.example/v1/${SECRETS.pathPart}
    apiKey: ${SECRETS.apiKey}
    headers: { x-team: ${SECRETS.header} }
    query: { code: ${SECRETS.query} }
    proxy: http://me:${SECRETS.proxyPassword}@proxy.example:3128
    limits: { idle: 7s }
  other:
    wire: [openai-chat, openai-responses]
    baseUrl: https://other.example
    apiKey: "\${PROVIDER_KEY:-${SECRETS.fallback}}"
routes:
  - { model: "claude-*", to: main }
  - { model: "*", wire: openai-chat, to: [other, main], as: { main: claude } }
keys:
  - { name: team, key: ${SECRETS.clientKey} }
  - name: bots
    hash: sha256:${SECRETS.hash}
    rate: 60/minute
approvals:
  webhooks:
    - url: https://hooks.example/services/${SECRETS.webhook}
      secret: ${SECRETS.webhookSecret}
store:
  url: "\${STORE_URL}"
  key: ${SECRETS.storeKey}
telemetry:
  otlp: { endpoint: "http://collector.example:4318", headers: { x-token: ${SECRETS.otlpHeader} } }
policies:
  - use: rules
    deny:
      - tools: Bash
        when: tool.args.command.contains("${SECRETS.apiKey}")
        reason: "Never ${SECRETS.judgeText}, nor ${SECRETS.query}"
`

function view(yaml = YAML, env: Readonly<Record<string, string>> = ENV) {
  const config = loadConfig({ file: 'sluice.yaml', text: yaml, env, cwd: '/' })
  const flagged: Settings = { ...config.settings, listen: { host: '127.0.0.1', port: 5000 } }
  return toConfigView(flagged, toOrigin(config, flagged, { readAt: 5 }))
}

const at = (values: readonly ConfigValue[], path: string): ConfigValue | undefined =>
  values.find((one) => one.path === path)

test('no secret of a rich config is in the answer, wherever it stands and however often', () => {
  const said = JSON.stringify(view())
  const seen = Object.entries(SECRETS).filter(([, secret]) => said.includes(secret))
  expect(seen.map(([name]) => name)).toEqual([])
})

describe('where a value comes from', () => {
  const { values, routes, file, readAt, warnings } = view()

  test('a value of the file has its line', () => {
    expect(at(values, 'limits.concurrent')).toEqual({
      path: 'limits.concurrent',
      value: 12,
      from: 'file',
      where: 'sluice.yaml:3',
    })
    expect(at(values, 'upstreams.main.limits.idle')).toMatchObject({ value: '7s', from: 'file' })
    expect(at(values, 'keys[1].rate')).toMatchObject({
      value: '60/minute',
      where: 'sluice.yaml:26',
    })
    expect([file, readAt]).toEqual(['/sluice.yaml', 5])
    expect(warnings.length).toBeGreaterThan(0)
  })

  test('a default is one, and says what holds', () => {
    expect(at(values, 'grace')).toEqual({ path: 'grace', value: '30s', from: 'default' })
    expect(at(values, 'limits.headers')).toMatchObject({ value: '64kb', from: 'default' })
    expect(at(values, 'store.keep')).toMatchObject({ value: '30d', from: 'default' })
    expect(at(values, 'upstreams.other.retry.attempts')).toMatchObject({ value: 3 })
  })

  test('what is said for all upstreams is theirs, with the line where it is said', () => {
    const said = { value: '3s', from: 'file', where: 'sluice.yaml:5' }
    expect(at(values, 'upstreams.main.limits.connect')).toMatchObject(said)
    expect(at(values, 'upstreams.other.limits.connect')).toMatchObject(said)
  })

  test('of a variable its name is shown, and its value where that is a number or a word to choose', () => {
    expect(at(values, 'limits.body')).toMatchObject({
      value: '8mb',
      from: 'env',
      variable: 'MAX_BODY',
    })
    expect(at(values, 'log.level')).toMatchObject({ value: 'debug', variable: 'LEVEL' })
    expect(at(values, 'store.url')).toMatchObject({ value: '${STORE_URL}', from: 'env' })
  })

  test('of a secret it is shown that it is set, and from which variable', () => {
    expect(at(values, 'upstreams.other.apiKey')).toEqual({
      path: 'upstreams.other.apiKey',
      isSecret: true,
      from: 'env',
      where: 'sluice.yaml:18',
      variable: 'PROVIDER_KEY',
    })
    for (const path of ['upstreams.main.apiKey', 'admin.token', 'keys[0].key', 'keys[1].hash'])
      expect(at(values, path)).toMatchObject({ isSecret: true, from: 'file' })
  })

  test('the command line goes before the file', () => {
    expect(at(values, 'listen')).toEqual({ path: 'listen', value: '127.0.0.1:5000', from: 'flag' })
  })

  test('of an address it is shown where it leads', () => {
    const values = view().values
    expect(at(values, 'upstreams.main.baseUrl')?.value).toBe('https://api.provider.example/v1/…')
    expect(at(values, 'upstreams.main.proxy')?.value).toBe('http://proxy.example:3128')
    expect(at(values, 'approvals.webhooks[0].url')?.value).toBe('https://hooks.example/…')
  })

  test('policies are shown as they stand, without what is secret', () => {
    expect(at(values, 'policies[0].deny[0].when')?.value).toBe(
      'tool.args.command.contains("[redacted:secret]")',
    )
    expect(at(values, 'policies[0].deny[0].reason')?.value).toBe(
      'Never [redacted:key], nor [redacted:secret]',
    )
  })

  test('routes say which upstream serves what', () => {
    expect(routes).toEqual([
      { model: 'claude-*', wire: undefined, to: ['main'], as: {} },
      { model: '*', wire: 'openai-chat', to: ['other', 'main'], as: { main: 'claude' } },
    ])
  })
})

test('an address with a password and a variable is not shown at all', () => {
  const { values } = view(
    'store: "postgres://me:hidden-word@${HOST}/db"\nupstreams: { a: { kind: demo } }\n',
    { HOST: 'db.example' },
  )
  expect(at(values, 'store')).toMatchObject({ isSecret: true, from: 'env', variable: 'HOST' })
  expect(JSON.stringify(values)).not.toContain('hidden-word')
})

test('what functions of a person’s own are handed is shown but for what its name calls a secret', () => {
  const config = loadConfig({ file: 'a.yaml', text: 'listen: 1', env: {}, cwd: '/' })
  const root = parseYaml(OWN, createNotes('a.yaml'))
  if (root === undefined) throw new Error('It must be right')
  const source = { name: 'a.yaml', root }
  const { values } = toConfigView(
    config.settings,
    toOrigin({ ...config, source }, config.settings, { readAt: 1 }),
  )
  const shown = values.filter(({ path }) => path.includes('policies'))
  expect(shown.filter(({ isSecret }) => isSecret !== true).map(({ path }) => path)).toEqual([
    'routes[0].policies.use',
    'policies[0].use',
    'policies[0].keys',
    'policies[0].maxTokens',
    'policies[0].list',
  ])
  expect(JSON.stringify(values)).not.toMatch(/hidden-/)
})

const OWN = `policies:
  - use: ./mine.ts
    keys: [team-*]
    maxTokens: 5
    apiKey: hidden-1
    accessToken: hidden-2
    nested: { password: hidden-3, key: hidden-4 }
    headers: { x-any: hidden-5 }
    passphrase: hidden-8
    webhooks: [https://hooks.example/hidden-9]
    slack: { webhookUrl: https://hooks.example/hidden-10 }
    list: ["Bearer hidden-6-aB3dE5fG7h", plain]
routes:
  - policies: { use: ./mine.ts, secret: hidden-7 }
`

test('without a file there are defaults alone, and of a program what it says', () => {
  const config = loadConfig({ env: {}, cwd: '/nowhere-at-all' })
  const served = toConfigView(config.settings, toOrigin(config, config.settings, { readAt: 1 }))
  expect(new Set(served.values.map(({ from }) => from))).toEqual(new Set(['default']))
  const own = toConfigView({ ...demoSettings(), grace: 5 }, undefined)
  expect(at(own.values, 'grace')).toEqual({ path: 'grace', value: '5ms', from: 'program' })
  expect(at(own.values, 'commit')?.from).toBe('default')
})

test('a file of very many values is cut, and says so', () => {
  const price = '{ input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }'
  const prices = Array.from({ length: 1000 }, (_, i) => `  m${i}: ${price}`)
  const keys = Array.from(
    { length: 600 },
    (_, i) => `  k${i}: { hash: ${hashKey(`${i}`)}, rate: 1/hour }`,
  )
  const { values, notes } = view(`prices:\n${prices.join('\n')}\nkeys:\n${keys.join('\n')}\n`)
  expect(values.filter(({ from }) => from === 'file')).toHaveLength(5000)
  expect(notes.join()).toContain('more than 5000')
})
