/**
 * What a config says, filled in: on real files in a folder of their own.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../test/support/certificate.ts'
import { hashKey } from './keys.ts'
import { demoSettings, findConfig, loadConfig, type Config } from './load.ts'
import type { Environment } from './variables.ts'

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sluice-config-'))
})
afterEach(() => {
  rmSync(cwd, { recursive: true })
})

function load(yaml: string, env: Environment = {}): Config {
  writeFileSync(join(cwd, 'sluice.yaml'), yaml)
  return loadConfig({ env, cwd })
}

const settings = (yaml: string, env: Environment = {}): Config['settings'] =>
  load(yaml, env).settings

const firstUpstream = (
  rest: string,
  env: Environment = {},
): Config['settings']['upstreams'][number] => {
  const [upstream] = settings(
    `upstreams:\n  one:\n    wire: openai-chat\n    baseUrl: https://one.example/v1\n${rest}`,
    env,
  ).upstreams
  if (upstream === undefined) throw new Error('There is no upstream')
  return upstream
}

describe('without a file', () => {
  test('the demo answers on all wires, to this machine only', () => {
    const { settings: found, warnings, file } = loadConfig({ env: {}, cwd })
    const { upstreams, routes, policies: _p, approvals: _a, ...rest } = found
    expect(demoSettings()).toMatchObject(rest)
    expect(upstreams).toMatchObject([
      {
        kind: 'demo',
        name: 'demo',
        wires: ['anthropic-messages', 'openai-chat', 'openai-responses'],
        // Errors of the demo were asked for: no circuit opens on them.
        breaker: { failures: 0 },
      },
      { kind: 'demo', name: 'demo-chat', wires: ['openai-chat'] },
    ])
    expect(routes.map(({ model, to }) => [model, ...to])).toEqual([
      ['chat/*', 'demo-chat'],
      ['*', 'demo'],
    ])
    expect(found).toMatchObject({ listen: { host: '127.0.0.1', port: 4141 }, keys: [] })
    expect([warnings, file]).toEqual([[], undefined])
  })

  test('one policy of the demo acts and one watches, and a person has a minute', () => {
    const { policies, approvals } = loadConfig({ env: {}, cwd }).settings
    expect(policies.map(({ name, installed }) => [name, installed.isShadow])).toEqual([
      ['demo-rules', false],
      ['demo-watch', true],
    ])
    expect(approvals.deadline).toBe(60_000)
  })

  test('spans go where the environment says', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
    expect(loadConfig({ env, cwd }).settings.otlp?.endpoint).toBe('http://127.0.0.1:4318/v1/traces')
  })
})

describe('the file', () => {
  test('is sluice.yaml or sluice.yml where we stand, in this order', () => {
    expect(findConfig(cwd)).toBeUndefined()
    writeFileSync(join(cwd, 'sluice.yml'), 'listen: 1')
    expect(findConfig(cwd)).toBe(join(cwd, 'sluice.yml'))
    writeFileSync(join(cwd, 'sluice.yaml'), 'listen: 2')
    expect(findConfig(cwd)).toBe(join(cwd, 'sluice.yaml'))
    expect(loadConfig({ env: {}, cwd })).toMatchObject({
      settings: { listen: { port: 2 } },
      file: join(cwd, 'sluice.yaml'),
      files: [join(cwd, 'sluice.yaml')],
    })
  })

  test('may be named, and must be there then', () => {
    const missing = { code: 'wrong-use', message: 'Cannot read "no.yaml": there is no such file' }
    expect(() => loadConfig({ file: 'no.yaml', env: {}, cwd })).toThrow(
      expect.objectContaining(missing),
    )
    mkdirSync(join(cwd, 'folder'))
    expect(() => loadConfig({ file: 'folder', env: {}, cwd })).toThrow('it is a folder')
  })

  test.each(['', '# nothing yet\n', '---\n', 'null', '\uFEFF'])(
    'that says nothing (%j) is all defaults, with a warning that the demo answers',
    (yaml) => {
      const found = load(yaml)
      expect(found.settings).toEqual(demoSettings())
      expect(found.warnings).toEqual([
        'sluice.yaml:1:1: there are no upstreams, so the embedded demo answers',
      ])
    },
  )
})

test('every default is as the reference says', () => {
  expect(firstUpstream('')).toEqual({
    kind: 'http',
    name: 'one',
    wires: ['openai-chat'],
    baseUrl: 'https://one.example/v1',
    apiKey: undefined,
    auth: 'auto',
    headers: {},
    query: {},
    proxy: undefined,
    ca: undefined,
    stream: 'client',
    limits: { connect: 10_000, firstByte: 600_000, idle: 300_000, total: 3_600_000 },
    retry: { attempts: 3, backoff: 250, maxBackoff: 8000, maxRetryAfter: 5000 },
    breaker: { failures: 5, cooldown: 30_000 },
  })
  const { upstreams, routes, ...rest } = settings('listen: 4141')
  expect(upstreams).toMatchObject([{ pace: 10 }])
  expect(routes).toHaveLength(1)
  expect(rest).toEqual({
    listen: { host: '127.0.0.1', port: 4141 },
    tls: undefined,
    hosts: [],
    origins: [],
    keys: [],
    policies: [],
    admin: { token: undefined, url: undefined },
    approvals: { deadline: 300_000, max: 1000, remember: 'once', webhooks: [] },
    store: {
      mode: 'bytes',
      location: undefined,
      onFull: 'wait',
      maxWait: 10_000,
      maxAge: 2_592_000_000,
      maxBytes: 10_737_418_240,
      secret: undefined,
      hasSearch: true,
      isSynced: false,
    },
    records: undefined,
    prices: [],
    isStrict: false,
    limits: {
      body: 67_108_864,
      headers: 65_536,
      answer: 67_108_864,
      concurrent: 4096,
      requestTime: 120_000,
    },
    keepalive: 10_000,
    commit: 'auto',
    log: { level: 'info', format: 'auto', redact: true },
    otlp: undefined,
    grace: 30_000,
  })
})

test.each([
  ['4141', '127.0.0.1', 4141],
  ['"4141"', '127.0.0.1', 4141],
  [':80', '127.0.0.1', 80],
  ['127.0.0.1:0', '127.0.0.1', 0],
  ['"[::1]:4141"', '::1', 4141],
  ['LocalHost:4141', 'localhost', 4141],
  ['127.8.8.8:65535', '127.8.8.8', 65_535],
  ['${PORT}', '127.0.0.1', 9999],
  ['${HOST:-127.0.0.1}:${PORT}', '127.0.0.1', 9999],
])('listen: %s is %s, port %i', (listen, host, port) => {
  expect(settings(`listen: ${listen}`, { PORT: '9999' }).listen).toEqual({ host, port })
})

describe('beyond loopback', () => {
  const admin = '\nadmin: { token: a-token-of-some-length }'
  const keys = `\nkeys: { a: { hash: ${'a'.repeat(64)} } }`

  test.each([
    '0.0.0.0:80',
    '"[::]:80"',
    'gateway.example:80',
    '192.168.1.5:80',
    '"[::ffff:8.8.8.8]:80"',
  ])('%s needs keys and an admin token, and says how to make them', (listen) => {
    expect(() => load(`listen: ${listen}`)).toThrow(
      'sluice.yaml:1:9 listen: this address can be reached from the network, and there are no keys: make one with "sluice keys new NAME", or listen on 127.0.0.1',
    )
    expect(() => load(`listen: ${listen}\nkeys: []`)).toThrow('there are no keys')
    expect(() => load(`listen: ${listen}${keys}`)).toThrow(
      'there is no admin token: set admin: { token: "${SLUICE_TOKEN}" }, or listen on 127.0.0.1',
    )
    expect(load(`listen: ${listen}${keys}${admin}`).settings.keys).toHaveLength(1)
  })

  test.each(['127.0.0.1:80', '"[::1]:80"', '"[::ffff:127.0.0.1]:80"', 'localhost:80'])(
    '%s is not',
    (listen) => {
      expect(load(`listen: ${listen}`).settings.keys).toEqual([])
    },
  )
})

describe('an upstream', () => {
  test('takes one wire or several, each once', () => {
    const wires = (wire: string) =>
      settings(`upstreams: { one: { wire: ${wire}, baseUrl: "http://x" } }`).upstreams[0]?.wires
    expect(wires('openai-chat')).toEqual(['openai-chat'])
    expect(wires('[openai-responses, openai-chat, openai-chat]')).toEqual([
      'openai-responses',
      'openai-chat',
    ])
  })

  test('of kind demo needs nothing and takes a pace', () => {
    expect(
      settings('upstreams: { d: { kind: demo, pace: 0, wire: openai-chat } }').upstreams,
    ).toMatchObject([{ kind: 'demo', name: 'd', wires: ['openai-chat'], pace: 0 }])
    expect(settings('upstreams: { d: { kind: demo } }').upstreams[0]?.wires).toHaveLength(3)
  })

  test.each([
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com/v1//', 'https://api.example.com/v1'],
    ['HTTPS://API.example.com:443/v1', 'https://api.example.com/v1'],
    ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
  ])('with the base URL %s asks at %s', (typed, baseUrl) => {
    const yaml = `upstreams: { one: { wire: openai-chat, baseUrl: "${typed}" } }`
    expect(settings(yaml).upstreams).toMatchObject([{ baseUrl }])
  })

  test('has headers in lower case, and a query, both as they were written', () => {
    expect(
      firstUpstream(
        '    headers: { X-Team: blue, x-number: 010, x-on: true, x-key: "${K}" }\n    query: { api-version: 2024-10-21, n: 1.0 }',
        { K: 'v' },
      ),
    ).toMatchObject({
      headers: { 'x-team': 'blue', 'x-number': '010', 'x-on': 'true', 'x-key': 'v' },
      query: { 'api-version': '2024-10-21', n: '1.0' },
    })
  })

  test.each([
    ['none', ''],
    ['""', ''],
    ['http://user:pass@proxy.example:3128', 'http://user:pass@proxy.example:3128/'],
  ])('with proxy: %s has the proxy %j', (typed, proxy) => {
    expect(firstUpstream(`    proxy: ${typed}`)).toMatchObject({ proxy })
  })

  test('takes its own word first, then that of the whole file, then the default', () => {
    const [one, two] = settings(`
timeouts: { idle: 1m, total: 2h }
retry: { attempts: 1 }
breaker: { failures: 0 }
upstreams:
  one: { kind: demo, limits: { idle: 30s }, retry: { backoff: 1s }, breaker: { cooldown: 1m } }
  two: { kind: demo }`).upstreams
    expect(one).toMatchObject({
      limits: { connect: 10_000, firstByte: 600_000, idle: 30_000, total: 7_200_000 },
      retry: { attempts: 1, backoff: 1000 },
      breaker: { failures: 0, cooldown: 60_000 },
    })
    expect(two).toMatchObject({
      limits: { idle: 60_000 },
      breaker: { failures: 0, cooldown: 30_000 },
    })
  })

  test.each([
    [
      'anthropic-messages',
      'https://a.example/v1',
      '/v1/messages is added to it by itself: remove /v1 here',
    ],
    [
      'openai-chat',
      'https://a.example/v1/chat/completions',
      '/chat/completions is added to it by itself: remove it here',
    ],
  ])('on %s with the base URL %s is warned of', (wire, baseUrl, warning) => {
    expect(load(`upstreams: { a: { wire: ${wire}, baseUrl: "${baseUrl}" } }`).warnings).toEqual([
      expect.stringContaining(`upstreams.a.baseUrl: ${warning}`),
    ])
  })
})

test.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['1.5s', 1500],
  ['5m', 300_000],
  ['1H', 3_600_000],
  ['2500', 2500],
  ['"2500"', 2500],
  ['${GRACE}', 7000],
])('a time of %s is %i milliseconds', (typed, milliseconds) => {
  expect(settings(`grace: ${typed}`, { GRACE: '7s' }).grace).toBe(milliseconds)
})

test.each([
  ['64mb', 67_108_864],
  ['16KB', 16_384],
  ['0.5mb', 524_288],
  ['2048', 2048],
  ['4096b', 4096],
  ['1gb', 1_073_741_824],
])('a size of %s is %i bytes', (typed, bytes) => {
  expect(settings(`limits: { body: ${typed} }`).limits.body).toBe(bytes)
})

test('a variable may stand for a number, or for true or false', () => {
  const env = { N: '7', OFF: 'false' }
  const found = settings('limits: { concurrent: "${N}" }\nlog: { redact: "${OFF}" }', env)
  expect([found.limits.concurrent, found.log.redact]).toEqual([7, false])
})

test('a variable adds no structure, whatever is in it', () => {
  const upstream = firstUpstream('    apiKey: ${KEY}', { KEY: 'a, baseUrl: http://evil' })
  expect(upstream).toMatchObject({
    apiKey: 'a, baseUrl: http://evil',
    baseUrl: 'https://one.example/v1',
  })
})

describe('keys', () => {
  const hash = hashKey('slc_0123456789abcdef')

  test('stand in a list or in a map, and are kept as hashes', () => {
    const env = { TEAM_KEY: 'slc_0123456789abcdef' }
    const list = load('keys: [{ name: team, key: "${TEAM_KEY}" }]', env)
    const map = load(`keys: { team: { hash: "sha256:${hash.toUpperCase()}" } }`)
    expect(list.settings.keys).toMatchObject([{ name: 'team', hash }])
    expect(map.settings.keys).toEqual(list.settings.keys)
    expect(JSON.stringify(list.settings)).not.toContain('0123456789abcdef')
  })

  test('have models, a rate, a budget and a number at once', () => {
    const { keys } = settings(`
keys:
  - { name: a, hash: ${'a'.repeat(64)}, models: "claude-*", rate: 60/minute, concurrent: 2 }
  - { name: b, hash: ${'b'.repeat(64)}, models: [x, y], rate: { requests: 5, per: second }, budget: { tokens: 1000000, per: month } }`)
    expect(keys).toMatchObject([
      {
        models: ['claude-*'],
        rate: { requests: 60, per: 60_000 },
        budget: undefined,
        concurrent: 2,
      },
      {
        models: ['x', 'y'],
        rate: { requests: 5, per: 1000 },
        budget: { tokens: 1_000_000, per: 'month' },
      },
    ])
  })

  test('that stand in the file are warned of, and not shown', () => {
    const { warnings } = load('keys: [{ name: team, key: slc_0123456789abcdef }]')
    expect(warnings[1]).toContain('keys[0].key: the key stands in the file')
    expect(warnings.join()).not.toContain('0123456789abcdef')
  })
})

describe('files that a config names', () => {
  test('are read from where the config stands', () => {
    const { cert, key } = makeCertificate()
    mkdirSync(join(cwd, 'sub/tls'), { recursive: true })
    writeFileSync(join(cwd, 'sub/tls/cert.pem'), cert)
    writeFileSync(join(cwd, 'sub/tls/key.pem'), key)
    writeFileSync(join(cwd, 'sub/ca.pem'), `# ours\n${cert}${cert}`)
    writeFileSync(
      join(cwd, 'sub/my.yaml'),
      'tls: { cert: tls/cert.pem, key: ./tls/key.pem }\nupstreams: { a: { wire: openai-chat, baseUrl: "https://a", ca: ca.pem } }',
    )
    const found = loadConfig({ file: 'sub/my.yaml', env: {}, cwd })
    expect(found.settings.tls).toEqual({ cert, key })
    expect(found.settings.upstreams).toMatchObject([{ ca: `# ours\n${cert}${cert}` }])
    expect(found.files).toEqual(
      ['my.yaml', 'tls/cert.pem', 'tls/key.pem', 'ca.pem'].map((name) => join(cwd, 'sub', name)),
    )
  })

  test('must be what they are named for', () => {
    const one = makeCertificate()
    writeFileSync(join(cwd, 'cert.pem'), one.cert)
    writeFileSync(join(cwd, 'key.pem'), makeCertificate().key)
    writeFileSync(join(cwd, 'broken.pem'), one.cert.replace(/^[^-].*$/m, 'AAAA'))
    const tls = (cert: string, key: string) => () => load(`tls:\n  cert: ${cert}\n  key: ${key}`)
    expect(tls('cert.pem', 'key.pem')).toThrow(
      'sluice.yaml:1:1 tls: the private key does not belong to the certificate',
    )
    expect(tls('key.pem', 'cert.pem')).toThrow(
      'sluice.yaml:2:9 tls.cert: the file holds no certificate as PEM\nsluice.yaml:3:8 tls.key: the file holds no private key as PEM',
    )
    expect(tls('broken.pem', 'none.pem')).toThrow(
      'sluice.yaml:2:9 tls.cert: the file holds a certificate that cannot be read\nsluice.yaml:3:8 tls.key: the file cannot be read: there is no such file',
    )
  })
})

describe('spans', () => {
  const otlp = (yaml: string, env: Environment = {}) => settings(yaml, env).otlp

  test.each([
    ['http://127.0.0.1:4318', 'http://127.0.0.1:4318/v1/traces'],
    ['https://otel.example/custom', 'https://otel.example/custom'],
  ])('for %s go to %s', (typed, endpoint) => {
    expect(otlp(`telemetry: { otlp: "${typed}" }`)).toEqual({ endpoint, headers: {} })
    expect(otlp(`telemetry: { otlp: { endpoint: "${typed}", headers: { A: b } } }`)).toEqual({
      endpoint,
      headers: { a: 'b' },
    })
  })

  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, x=1=2',
  }

  test('go where the usual variables say', () => {
    expect(otlp('listen: 1', env)).toEqual({
      endpoint: 'http://collector:4318/base/v1/traces',
      headers: { 'api-key': 'a b', x: '1=2' },
    })
    expect(
      otlp('listen: 1', { ...env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces/x' })
        ?.endpoint,
    ).toBe('http://traces/x')
  })

  test('go nowhere when the config or the environment says so', () => {
    expect(otlp('telemetry: { otlp: none }', env)).toBeUndefined()
    expect(otlp('listen: 1', { ...env, OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
    expect(otlp('listen: 1', { ...env, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined()
  })

  test('of a config do not take the credentials of the environment along', () => {
    expect(otlp('telemetry: { otlp: "http://other:4318" }', env)?.headers).toEqual({})
  })

  test('with a variable that is not right are not sent, and its value is not shown', () => {
    const { settings: found, warnings } = load('listen: 1', {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'secret:4317',
    })
    expect(found.otlp).toBeUndefined()
    expect(warnings.at(-1)).toBe(
      'OTEL_EXPORTER_OTLP_ENDPOINT: it is no http or https URL, so no spans are sent',
    )
  })
})

test('hosts and origins are lists or one, in lower case', () => {
  const found = settings('hosts: [Gateway.Example, "[::1]"]\norigins: https://Tools.example/')
  expect([found.hosts, found.origins]).toEqual([
    ['gateway.example', '::1'],
    ['https://tools.example'],
  ])
})

test('anchors and aliases are as good as what they stand for', () => {
  const { upstreams } = settings(`
upstreams:
  one: &one { wire: openai-chat, baseUrl: "https://one.example/v1", retry: &retry { attempts: 1 } }
  two: *one
  three: { kind: demo, retry: *retry }`)
  expect(upstreams.map(({ name, retry }) => [name, retry.attempts])).toEqual([
    ['one', 1],
    ['two', 1],
    ['three', 1],
  ])
})
