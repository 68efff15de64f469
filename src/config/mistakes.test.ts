/**
 * What a person reads when a config is not right: the place, the path, what is wrong, what is allowed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SluiceError } from '../base/sluice-error.ts'
import { loadConfig } from './load.ts'
import type { Environment } from './variables.ts'

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sluice-config-'))
})
afterEach(() => {
  rmSync(cwd, { recursive: true })
})

/** The mistakes, a line each, without the name of the file. */
function mistakes(yaml: string | Uint8Array, env: Environment = {}): readonly string[] {
  writeFileSync(join(cwd, 'sluice.yaml'), yaml)
  try {
    loadConfig({ env, cwd })
    return []
  } catch (error) {
    if (!(error instanceof SluiceError) || error.code !== 'bad-config') throw error
    return error.message.split('\n').map((line) => line.replace(/^sluice\.yaml:/, ''))
  }
}

const WIRES = 'it takes anthropic-messages, openai-chat, openai-responses'
const TIME = 'write 500ms, 10s, 5m, 1h or a number of milliseconds'
const SIZE = 'write 16kb, 64mb, 1gb or a number of bytes'
const ADDRESS =
  'write host:port as in 127.0.0.1:4141 or "[::1]:4141", or a port from 0 to 65535 (0: any free one)'
const OF_UPSTREAM =
  'it takes kind, wire, baseUrl, apiKey, auth, headers, query, proxy, ca, stream, vendor, pace, from, conversation, since, match, speed, answers, limits, retry, breaker'
const OF_CONFIG =
  'it takes listen, tls, hosts, origins, upstreams, routes, keys, policies, admin, approvals, record, store, prices, timeouts, retry, breaker, limits, strict, keepalive, commit, log, telemetry, grace'
const NAME =
  'it is no name: it takes up to 64 letters, digits, dots, dashes and underscores, a letter or digit first'

/** One upstream that is right, up to line 4. */
const ONE = `upstreams:
  openai:
    wire: openai-chat
    baseUrl: https://api.openai.com/v1
`

test('each line names the file as a person would', () => {
  writeFileSync(join(cwd, 'other.yaml'), 'listn: 1')
  const load = (file: string, from: string) => () => loadConfig({ file, env: {}, cwd: from })
  expect(load('./other.yaml', cwd)).toThrow(/^other\.yaml:1:1 listn: there is no such key: /)
  expect(load(join(cwd, 'other.yaml'), cwd)).toThrow(/^other\.yaml:1:1 /)
  const elsewhere = join(cwd, 'other.yaml')
  expect(load(elsewhere, join(cwd, 'a/b'))).toThrow(`${elsewhere}:1:1 listn`)
})

test('all mistakes are told at once, in the order of the file', () => {
  const yaml = `keepalive: 10 seconds
upstreams:
  openai:
    wire: openai-respnses
    baseUrl: api.openai.com
routes:
  - { model: "*", to: opnai }
polices: []
`
  expect(mistakes(yaml)).toEqual([
    `1:12 keepalive: "10 seconds" is no time: ${TIME}`,
    `4:11 upstreams.openai.wire: "openai-respnses" is no wire: ${WIRES}; did you mean openai-responses?`,
    '5:14 upstreams.openai.baseUrl: it is no http or https URL: write it like https://api.example.com/v1',
    '7:23 routes[0].to: "opnai" is no upstream: it takes openai; did you mean openai?',
    `8:1 polices: there is no such key: ${OF_CONFIG}; did you mean policies?`,
  ])
})

describe.each<[string, readonly (readonly [yaml: string, ...expected: string[]])[]]>([
  [
    'YAML',
    [
      [
        'a: [1',
        '1:6: the lines from here on are not indented as they must be, or a bracket is not closed',
      ],
      ['a: "x', '1:6: a closing quote, a bracket, a comma or a space is missing here'],
      ['\tlisten: 1', '1:1: the line is indented with a tab: use spaces'],
      [
        'listen: 1\n---\nlisten: 2',
        '2:1: there is a second document (---) in the file: one config is one document',
      ],
      ['listen: 1\nlisten: 2', '2:1: "listen" is there twice: it is in line 1 already'],
      ['listen: @x', '1:9: text that begins with this character must be in quotes'],
      ['listen: !port 1', '1:9: there is a tag (!name) that nobody knows: remove it'],
      [
        'routes: [{ model: *, to: x }]',
        '1:19: text that begins with * or & must be in quotes, as in "*"',
      ],
      ['routes:\n  - model: *', '2:12: text that begins with * or & must be in quotes, as in "*"'],
      [
        'routes:\n  - model: *gpt',
        '2:12: there is no anchor &gpt before this: text that begins with * or & must be in quotes, as in "*"',
      ],
      [
        'listen: a: b',
        '1:9: there is a second key in this value: put text with a colon in quotes, or mend the indentation',
      ],
      [
        'listen:1\nlog: {}',
        '1:1: a key must be on one line: is a colon, or the space after it, missing?',
      ],
      [
        'listen: [::1]:4141',
        '1:14: this cannot stand here: put text with any of { } [ ] , # : in quotes, ${…} included',
      ],
      [
        'upstreams: { a: { apiKey: ${KEY} } }',
        '1:28: this cannot stand here: put text with any of { } [ ] , # : in quotes, ${…} included',
      ],
      ['? [a]\n: 1', '1:3: a key must be text'],
      [': 1', '1:1: a key must be text'],
      ['- listen', `1:1: it takes a map with ${OF_CONFIG.slice(9)}, not a list`],
      ['listen', `1:1: it takes a map with ${OF_CONFIG.slice(9)}, not text`],
      [
        'a: &a [*a]',
        '1:8: there is no anchor &a before this: text that begins with * or & must be in quotes, as in "*"',
      ],
    ],
  ],
  [
    'keys that there are not',
    [
      ['Listen: 1', `1:1 Listen: there is no such key: ${OF_CONFIG}; did you mean listen?`],
      [
        `${ONE}    base_url: x`,
        `5:5 upstreams.openai.base_url: there is no such key: ${OF_UPSTREAM}; did you mean baseUrl?`,
      ],
      [
        `${ONE}    <<: { pace: 1 }`,
        `5:5 upstreams.openai."<<": there is no such key: ${OF_UPSTREAM}`,
      ],
      ['stor: a.db', `1:1 stor: there is no such key: ${OF_CONFIG}; did you mean store?`],
      ['__proto__: 1', `1:1 __proto__: there is no such key: ${OF_CONFIG}`],
      ['"a\\nb": 1', `1:1 "a\\nb": there is no such key: ${OF_CONFIG}`],
      [
        'limits: { bodys: 1mb }',
        '1:11 limits.bodys: there is no such key: it takes body, headers, answer, concurrent, requestTime; did you mean body?',
      ],
    ],
  ],
  [
    'listen',
    [
      ['listen: 65536', `1:9 listen: 65536 is no address: ${ADDRESS}`],
      ['listen: -1', `1:9 listen: -1 is no address: ${ADDRESS}`],
      ['listen: 127.0.0.1', `1:9 listen: "127.0.0.1" is no address: ${ADDRESS}`],
      ['listen: "::1:4141"', `1:9 listen: "::1:4141" is no address: ${ADDRESS}`],
      ['listen: 300.0.0.1:80', `1:9 listen: "300.0.0.1:80" is no address: ${ADDRESS}`],
      [
        'listen: http://127.0.0.1:80',
        `1:9 listen: "http://127.0.0.1:80" is no address: ${ADDRESS}`,
      ],
      ['listen: "*:80"', `1:9 listen: "*:80" is no address: ${ADDRESS}`],
      ['listen: true', '1:9 listen: it takes host:port or a port, not true or false'],
      [
        'listen:',
        '1:8 listen: it is empty: give it a value or remove it; it takes host:port or a port',
      ],
      [
        'hosts: ["a:80"]',
        '1:9 hosts[0]: it is no host name: write it without scheme and port, as in gateway.example',
      ],
      [
        'origins: ["*"]',
        '1:11 origins[0]: it is no origin: write scheme and host as in https://tools.example, one for each page',
      ],
      [
        'tls: { cert: a.pem }',
        '1:1 tls: key is missing: path of the private key as PEM, relative to this file',
        '1:14 tls.cert: the file cannot be read: there is no such file',
      ],
    ],
  ],
  [
    'upstreams',
    [
      ['upstreams: {}', '1:12 upstreams: it is empty: it takes at least one, or remove it'],
      ['upstreams: []', '1:12 upstreams: it takes a map from name to upstream, not a list'],
      [
        'upstreams:\n  a:',
        `2:5 upstreams.a: it is empty: give it a value or remove it; it takes a map with ${OF_UPSTREAM.slice(9)}`,
      ],
      ['upstreams: { a b: { kind: demo } }', `1:14 upstreams."a b": ${NAME}`],
      [
        'upstreams: { a: { kind: relay } }',
        '1:25 upstreams.a.kind: "relay" is no kind: it takes http, demo, replay; did you mean replay?',
      ],
      [
        'upstreams:\n  a: {}',
        `2:3 upstreams.a: wire is missing: ${WIRES}`,
        '2:3 upstreams.a: baseUrl is missing: it takes a URL such as https://api.example.com/v1',
      ],
      [
        'upstreams: { a: { kind: demo, wire: [openai] } }',
        `1:38 upstreams.a.wire[0]: "openai" is no wire: ${WIRES}; did you mean openai-chat?`,
      ],
      [
        'upstreams: { a: { kind: demo, wire: [] } }',
        '1:37 upstreams.a.wire: it is empty: it takes at least one, or remove it',
      ],
      [
        'upstreams: { a: { kind: demo, apiKey: x } }',
        '1:31 upstreams.a.apiKey: only an upstream of kind http has this',
      ],
      [`${ONE}    pace: 1ms`, '5:5 upstreams.openai.pace: only an upstream of kind demo has this'],
      [
        `${ONE}    apiKey: ""`,
        "5:13 upstreams.openai.apiKey: it is empty: give it a value, or remove apiKey to pass the client's own credential on",
      ],
      [
        `${ONE}    apiKey:`,
        '5:12 upstreams.openai.apiKey: it is empty: give it a value or remove it; it takes text',
      ],
      [`${ONE}    apiKey: 12345`, '5:13 upstreams.openai.apiKey: it takes text: put it in quotes'],
      [
        `${ONE}    apiKey: "a\\nb"`,
        '5:13 upstreams.openai.apiKey: it holds a line break or another character that a header cannot carry',
      ],
      [
        `${ONE}    auth: basic`,
        '5:11 upstreams.openai.auth: "basic" is no way to send a credential: it takes auto, bearer, x-api-key, api-key, none',
      ],
      [
        `${ONE}    headers: { "a b": c }`,
        '5:16 upstreams.openai.headers."a b": it is no name of a header',
      ],
      [
        `${ONE}    headers: { Transfer-Encoding: c }`,
        '5:16 upstreams.openai.headers.Transfer-Encoding: this header is made by the gateway: remove it',
      ],
      [
        `${ONE}    headers: { a: [b] }`,
        '5:19 upstreams.openai.headers.a: it takes text, not a list',
      ],
      [
        `${ONE}    proxy: socks5://x`,
        '5:12 upstreams.openai.proxy: it is no http or https URL: write it like http://proxy.example:3128',
      ],
      [
        `${ONE}    ca: ca.pem`,
        '5:9 upstreams.openai.ca: the file cannot be read: there is no such file',
      ],
      [
        `${ONE}    stream: yes`,
        '5:13 upstreams.openai.stream: "yes" is no way to stream: it takes client, always, never',
      ],
      [
        `${ONE}    limits: { idle: 0 }`,
        '5:21 upstreams.openai.limits.idle: 0 is too little: it takes 1ms to 24h',
      ],
      [
        `${ONE}    retry: { attempts: 0 }`,
        '5:24 upstreams.openai.retry.attempts: it takes a whole number from 1 to 10, not 0',
      ],
      [
        `${ONE}    retry: { attempts: 1.5 }`,
        '5:24 upstreams.openai.retry.attempts: it takes a whole number from 1 to 10, not 1.5',
      ],
      [
        `${ONE}    breaker: { failures: .inf }`,
        '5:26 upstreams.openai.breaker.failures: it takes a whole number from 0 to 1000, not .inf',
      ],
    ],
  ],
  [
    'base URLs',
    [
      ['https://user:pass@a.example', 'it has a credential in it: put it into apiKey'],
      ['https://a.example/v1?x=1', 'it has a query: put it into query'],
      ['https://a.example/v1?', 'it has a query: put it into query'],
      ['"https://a.example/v1#x"', 'it has a # in it: remove that part'],
      ['ftp://a.example', 'it is no http or https URL: write it like https://api.example.com/v1'],
      ['localhost:11434', 'it is no http or https URL: write it like https://api.example.com/v1'],
    ].map(([url = '', says = '']) => [
      `upstreams: { a: { wire: openai-chat, baseUrl: ${url} } }`,
      `1:47 upstreams.a.baseUrl: ${says}`,
    ]),
  ],
  [
    'routes',
    [
      [`${ONE}routes: []`, '5:9 routes: it is empty: it takes at least one, or remove it'],
      [`${ONE}routes: { model: x }`, '5:9 routes: it takes a list of routes, not a map'],
      [
        `${ONE}routes:\n  - { to: openai }`,
        '6:5 routes[0]: model is missing: the model that a client asks for; * stands for any characters',
      ],
      [
        `${ONE}routes:\n  - model: x`,
        '6:5 routes[0]: to is missing: the upstream that serves it, or a list: the next is asked when one fails before the answer is committed',
      ],
      [
        `${ONE}routes:\n  - { model: x, to: [openai, openai] }`,
        '6:30 routes[0].to[1]: it is in the list already',
      ],
      [
        `${ONE}routes:\n  - { model: x, to: openai, as: { opnai: y } }`,
        '6:35 routes[0].as.opnai: "opnai" is not in "to" of this route: it takes openai; did you mean openai?',
      ],
      [
        `${ONE}routes:\n  - { model: x, to: openai, wire: chat }`,
        `6:35 routes[0].wire: "chat" is no wire: ${WIRES}; did you mean openai-chat?`,
      ],
      [
        'routes:\n  - { model: x, to: dmeo }',
        '2:21 routes[0].to: "dmeo" is no upstream: it takes demo; did you mean demo?',
      ],
    ],
  ],
  [
    'keys',
    [
      [
        'keys: [{ hash: x }]',
        '1:8 keys[0]: name is missing: a name for logs and metrics',
        '1:16 keys[0].hash: it is no hash: it takes sha256: and 64 hex digits, as "sluice keys new NAME" prints them',
      ],
      [
        'keys: { a: {} }',
        '1:9 keys.a: hash is missing: "sluice keys new NAME" prints a key and its hash',
      ],
      [
        'keys: { a: { key: secret } }',
        '1:19 keys.a.key: it takes 16 characters at least: make one with "sluice keys new NAME"',
      ],
      [
        `keys: { a: { key: "0123456789abcdef", hash: ${'a'.repeat(64)} } }`,
        '1:9 keys.a: it has a hash and a key: remove one of them',
      ],
      [`keys: { a/b: { hash: ${'a'.repeat(64)} } }`, `1:9 keys."a/b": ${NAME}`],
      [
        `keys:\n  - { name: a, hash: ${'a'.repeat(64)} }\n  - { name: a, hash: ${'b'.repeat(64)} }`,
        '3:7 keys[1].name: a key of this name is there already, in line 2',
      ],
      [
        `keys:\n  a: { hash: ${'a'.repeat(64)} }\n  b: { hash: sha256:${'A'.repeat(64)} }`,
        '3:3 keys.b: the same key is there already, in line 2',
      ],
      [
        `keys: { a: { hash: ${'a'.repeat(64)}, rate: 60/min } }`,
        '1:92 keys.a.rate: it is no rate: write it like 60/minute, with second, minute or hour',
      ],
      [
        `keys: { a: { hash: ${'a'.repeat(64)}, rate: 60 } }`,
        '1:92 keys.a.rate: it is no rate: write it like 60/minute, with second, minute or hour',
      ],
      [
        `keys: { a: { hash: ${'a'.repeat(64)}, rate: { requests: 0, per: day } } }`,
        '1:104 keys.a.rate.requests: it takes a whole number from 1 to 1000000, not 0',
        '1:112 keys.a.rate.per: "day" is no period: it takes second, minute, hour',
      ],
      [
        `keys: { a: { hash: ${'a'.repeat(64)}, budget: { tokens: 5 } } }`,
        '1:86 keys.a.budget: per is missing: in a day, in a month, or ever',
      ],
      [
        `keys: { a: { hash: ${'a'.repeat(64)}, models: [] } }`,
        '1:94 keys.a.models: it is empty: it takes at least one, or remove it',
      ],
    ],
  ],
  [
    'times, sizes and the rest',
    [
      ['grace: 2h', '1:8 grace: "2h" is too much: it takes 0 to 1h'],
      ['commit: -1s', `1:9 commit: "-1s" is no time: ${TIME}`],
      ['commit: Auto', '1:9 commit: "Auto" is no word here: did you mean auto?'],
      ['commit: 1.5', `1:9 commit: 1.5 is no time: ${TIME}`],
      ['keepalive: 1ms', '1:12 keepalive: "1ms" is too little: it takes 100ms to 10m'],
      ['limits: { body: 64m }', `1:17 limits.body: "64m" is no size: ${SIZE}`],
      ['limits: { body: 2gb }', '1:17 limits.body: "2gb" is too much: it takes 1kb to 1gb'],
      [
        'limits: { concurrent: "5" }',
        '1:23 limits.concurrent: it takes a whole number from 1 to 1000000, not "5"',
      ],
      [
        'log: { level: trace }',
        '1:15 log.level: "trace" is no level: it takes silent, error, warn, info, debug',
      ],
      ['log: { redact: "false" }', '1:16 log.redact: it takes true or false, not text'],
      ['log: debug', '1:6 log: it takes a map with level, format, redact, not text'],
      [
        'telemetry: { otlp: { headers: {} } }',
        '1:14 telemetry.otlp: endpoint is missing: where spans are sent; /v1/traces is added to a URL without a path',
      ],
    ],
  ],
])('%s', (_, rows) => {
  test.each(rows.map(([yaml, ...expected]) => ({ yaml, expected })))(
    '$yaml',
    ({ yaml, expected }) => {
      expect(mistakes(yaml)).toEqual(expected)
    },
  )
})

describe('variables', () => {
  test.each([
    [
      'listen: ${PORT}',
      '1:9 listen: the variable PORT is not set: set it, or give it a default as in ${PORT:-value}',
    ],
    [
      `${ONE}    apiKey: \${OPENAI_API_KEY}`,
      "5:13 upstreams.openai.apiKey: the variable OPENAI_API_KEY is not set: set it, or remove apiKey to pass the client's own credential on",
    ],
    [
      `${ONE}    apiKey: \${EMPTY}`,
      "5:13 upstreams.openai.apiKey: it is empty: give it a value, or remove apiKey to pass the client's own credential on",
    ],
    [
      'keys: { a: { key: "${TEAM_KEY}" } }',
      '1:19 keys.a.key: the variable TEAM_KEY is not set: set it, or give the hash of the key instead',
    ],
    [
      'listen: ${PORT',
      '1:9 listen: "${" begins no variable here: write ${NAME} or ${NAME:-default}, or $${ for the characters',
    ],
  ])('%s', (yaml, expected) => {
    expect(mistakes(yaml, { EMPTY: '' })).toEqual([expected])
  })

  test('that end with a line break, as secrets from files do, are not taken for a credential', () => {
    expect(mistakes(`${ONE}    apiKey: \${KEY}`, { KEY: 'sk-secret\n' })).toEqual([
      '5:13 upstreams.openai.apiKey: it begins or ends with white space',
    ])
  })

  test('that are missing are all told, with the line of each', () => {
    expect(mistakes('listen: ${A}:${B}\ngrace: ${C}').map((line) => line.slice(0, 32))).toEqual([
      '1:9 listen: the variable A is no',
      '1:9 listen: the variable B is no',
      '2:8 grace: the variable C is not',
    ])
  })

  test('are shown by name and never by value, whatever is wrong with them', () => {
    const secret = 'openai-chta secret'
    const fields = [
      'listen: ${V}',
      'hosts: ["${V}"]',
      'origins: "${V}"',
      'grace: ${V}',
      'limits: { body: "${V}", concurrent: "${V}" }',
      'log: { level: "${V}", redact: "${V}" }',
      'telemetry: { otlp: "${V}" }',
      'tls: { cert: "${V}", key: "${V}" }',
      'keys: [{ name: "${V}", hash: "${V}", rate: "${V}" }]',
      'routes: [{ model: "${V}", to: ["${V}", "${V}"], as: "${V}", wire: "${V}" }]',
      'upstreams: { a: { wire: "${V}", baseUrl: "${V}", proxy: "${V}", ca: "${V}", auth: "${V}", retry: { attempts: "${V}" } } }',
    ]
    const found = mistakes(fields.join('\n'), { V: secret })
    expect(found.length).toBeGreaterThan(20)
    expect(found.join('\n')).not.toMatch(/secret|chta|did you mean/)
  })
})

test('a literal credential is not shown, wherever it was put', () => {
  const secret = 'sk-live-0123456789'
  const found = [
    `upstreams: { a: "apiKey:${secret}" }`,
    `upstreams: { a: { wire: openai-chat, baseUrl: "https://u:${secret}@x y" } }`,
    `upstreams: { a: { wire: openai-chat, baseUrl: "https://x", apiKey: ["${secret}"] } }`,
    `upstreams: { a: { wire: openai-chat, baseUrl: "https://x", headers: { a: "${secret}\\n" } } }`,
    `upstreams: { a: { wire: openai-chat, baseUrl: "https://x", proxy: "socks://${secret}" } }`,
    `keys: { a: { hash: ${secret} } }`,
    `keys: [${secret}]`,
    `apiKey: ${secret}: x`,
    `apiKey: [${secret}`,
  ].flatMap((yaml) => mistakes(yaml))
  expect(found.length).toBeGreaterThanOrEqual(9)
  expect(found.join('\n')).not.toContain(secret)
})

test('a file that is no text says where', () => {
  expect(mistakes(Buffer.from('listen: 1\nlog: \xff', 'latin1'))).toEqual([
    '2:6: this is no UTF-8 text: save the file as UTF-8',
  ])
})

test('after a hundred mistakes the others are counted', () => {
  const found = mistakes(Array.from({ length: 250 }, (_, i) => `k${i}: 1`).join('\n'))
  expect(found).toHaveLength(101)
  expect(found.at(-1)).toBe(' and 150 more')
})
