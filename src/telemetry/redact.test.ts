import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redact } from './redact.ts'

/** The text, and what is left of it. Every credential here is made up. */
const MASKED: readonly (readonly [string, string])[] = [
  // Keys by their beginning.
  ['Incorrect API key provided: sk-abcdEFGH1234.', 'Incorrect API key provided: [redacted:key].'],
  ['key sk-proj-AbC_123-xyz987 is off', 'key [redacted:key] is off'],
  ['sk-proj-****************wxyz', '[redacted:key]'],
  ['(sk-ant-api03-AAAAbbbb_cccc-DDDD)', '([redacted:key])'],
  ['slc_0123456789abcdef', '[redacted:key]'],
  ['using gsk_abcdefgh12345678', 'using [redacted:key]'],
  ['AKIAIOSFODNN7EXAMPLE', '[redacted:key]'],
  ['id=ASIAIOSFODNN7EXAMPLE;', 'id=[redacted:key];'],
  ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[redacted:key]'],
  ['github_pat_11ABCDEFG0abcdefghij_klmnop', '[redacted:key]'],
  ['xoxb-123456789012-abcdefghijkl', '[redacted:key]'],
  ['AIzaSyA-0123456789_abcdefghijklmnopqrstu', '[redacted:key]'],
  ['hf_abcdefghijklmnopqrst', '[redacted:key]'],
  ['sk_live_abcdefgh12345678', '[redacted:key]'],
  ['OPENAI_API_KEY=sk-abcdefgh12345678', 'OPENAI_API_KEY=[redacted:key]'],
  // Tokens by their form.
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123', '[redacted:jwt]'],
  ['authorization: Bearer abc123def456', 'authorization: Bearer [redacted:token]'],
  ['bearer abcdefghijklmnopqrstuvwx', 'bearer [redacted:token]'],
  ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [redacted:token]'],
  [
    'a -----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY----- b',
    'a [redacted:private-key] b',
  ],
  // Values by their name.
  ['x-api-key: abc123def', 'x-api-key: [redacted:secret]'],
  ['X-Api-Key: "abcdef"', 'X-Api-Key: "[redacted:secret]"'],
  ['{"api_key":"what ever it is","n":1}', '{"api_key":"[redacted:secret]","n":1}'],
  ['{\\"password\\":\\"hunter two\\"}', '{\\"password\\":\\"[redacted:secret]\\"}'],
  ["{'client_secret': 'abc'}", "{'client_secret': '[redacted:secret]'}"],
  ['password=hunter, user=bob', 'password=[redacted:secret], user=bob'],
  ['DB_PASSWORD=hunter2', 'DB_PASSWORD=[redacted:secret]'],
  ['password: hunter2', 'password: [redacted:secret]'],
  ['aws_secret_access_key=abc/def+ghi', 'aws_secret_access_key=[redacted:secret]'],
  ['cookie: session=1234abcd; theme=dark', 'cookie: [redacted:secret]'],
  // In URLs.
  [
    'GET https://host.example/v1?key=abcdef&alt=sse failed',
    'GET https://host.example/v1?key=[redacted:secret]&alt=sse failed',
  ],
  [
    'https://h/p?alt=sse&access_token=a.b-c#x',
    'https://h/p?alt=sse&access_token=[redacted:secret]#x',
  ],
  ['/p?password=a&token=b', '/p?password=[redacted:secret]&token=[redacted:secret]'],
  [
    '?X-Amz-Signature=00ff&X-Amz-Date=20260101',
    '?X-Amz-Signature=[redacted:secret]&X-Amz-Date=20260101',
  ],
  ['https://user:pass@proxy.example:8080/', 'https://[redacted:credentials]@proxy.example:8080/'],
  ['http://user:p@ss@10.0.0.1:3128', 'http://[redacted:credentials]@10.0.0.1:3128'],
  ['postgres://bob@db/x', 'postgres://[redacted:credentials]@db/x'],
  // People.
  ['Account ada.lovelace+test@mail.example.org is off', 'Account [redacted:email] is off'],
  ['<müller@bücher.example>', '<[redacted:email]>'],
  ['a@b.co, c@d.io', '[redacted:email], [redacted:email]'],
  ['call +1 415 555 2671 now', 'call [redacted:phone] now'],
  ['+49 (0)171 2345678', '[redacted:phone]'],
  ['+442079460958', '[redacted:phone]'],
  ['+33 6 12 34 56 78.', '[redacted:phone].'],
  ['(415) 555-2671', '[redacted:phone]'],
  ['415-555-2671', '[redacted:phone]'],
  ['tel 415.555.2671', 'tel [redacted:phone]'],
  ['1-800-555-0199', '[redacted:phone]'],
  ['0171 2345678', '[redacted:phone]'],
  ['020 7946 0958', '[redacted:phone]'],
  ['06 12 34 56 78', '[redacted:phone]'],
  ['card 4111111111111111', 'card [redacted:card]'],
  ['4111 1111 1111 1111', '[redacted:card]'],
  ['5555-5555-5555-4444', '[redacted:card]'],
  ['3782 822463 10005', '[redacted:card]'],
  ['378282246310005', '[redacted:card]'],
  ['6011111111111117, 3530111333300000', '[redacted:card], [redacted:card]'],
  ['order 1234 4111 1111 1111 1111', 'order 1234 [redacted:card]'],
  ['4222222222222', '[redacted:card]'],
  ['6304 0000 0000 0000 000', '[redacted:card]'],
  // After an escape, whose letters are not a part of the word.
  ['{"a":"b\\nsk-abcdefgh12345678"}', '{"a":"b\\n[redacted:key]"}'],
  ['\u001b[31msk-abcdefgh12345678\u001b[0m', '\u001b[31m[redacted:key]\u001b[0m'],
  ['\u001b[2J4111 1111 1111 1111', '\u001b[2J[redacted:card]'],
  ['?q=key%3Dsk-abcdefgh12345678', '?q=key%3D[redacted:key]'],
  ['a\\u000apassword=hunter', 'a\\u000apassword=[redacted:secret]'],
  ['a\\n415-555-2671\\n', 'a\\n[redacted:phone]\\n'],
  // The end is missing, so it goes on to the end of the text.
  ['-----BEGIN PRIVATE KEY-----\\nMIIE and it was cut', '[redacted:private-key]'],
]

const KEPT = [
  '',
  'The model is overloaded',
  // Ids.
  'req_011CSHoEeqs5C35K2UUqR7Fy',
  'req_0123456789abcdef01234567',
  'msg_01XFDUDYJgAACzvnptvVoYEL',
  'chatcmpl-9XyZ0123456789abcdefghij',
  'resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b',
  'toolu_01A09q90qw90lq917835lq9',
  '550e8400-e29b-41d4-a716-446655440000',
  '12345678-1234-1234-1234-123456789012',
  '4111-1111-1111-1111-1111',
  '4bf92f3577b34da6a3ce929d0e0e4736',
  'Request ID: 8f14e45fceea167a5a36dedd4bea2543',
  // Times and numbers.
  '2026-11-15',
  '2026-11-15T10:20:30.123Z',
  '2026-11-15 10:20:30+02:00',
  '15.11.2026 10:20',
  '10:20:30',
  'Sun, 15 Nov 2026 10:20:30 GMT',
  'at 1731628800000 ms',
  '1731628800',
  'took 1234.567 ms',
  'max_tokens: 64000, context 200000',
  'prompt is too long: 214018 tokens > 200000 maximum',
  'This model has a maximum context length of 128000 tokens, got 128,512',
  'used 1,234,567 of 2,000,000 tokens per min',
  'Limit 30000, Used 29950, Requested 1200',
  'try again in 6.5s',
  '4111111111111112 is no card',
  '4111 1111 1111 1112',
  'max_tokens=4096&stream=true',
  '?max_tokens=5&top_p=0.5',
  'cached_tokens: 1024',
  'prompt_cache_key: my-session',
  // Names and versions.
  'claude-sonnet-4-5-20250929',
  'claude-3-5-haiku@20241022',
  'gpt-4o-2024-08-06',
  'anthropic/claude-opus-4.5',
  'us.anthropic.claude-sonnet-4-20250514-v1:0',
  'accounts/fireworks/models/llama-v3p1-405b-instruct',
  'claude-cli/2.1.325 (external, cli)',
  'OpenAI/JS 6.49.0',
  '@anthropic-ai/sdk@1.8.0',
  'Node.js v20.20.2',
  '1.2.3-beta.4+build.5',
  // Machines.
  '127.0.0.1:4141',
  '192.168.100.200:8080',
  '[::1]:4141',
  'connect ECONNREFUSED 127.0.0.1:11434',
  'https://api.anthropic.com/v1/messages?beta=true',
  'https://host.example/a@b',
  // Words that are near to a credential.
  'Invalid bearer token',
  'Bearer authentication is required',
  'Basic usage of the API',
  'the cookie: none',
  'token 128000 of 200000',
  'invalid x-api-key',
  'x-api-key header is required',
  'password: must not be empty',
  'You have no access key',
  'task-based-scheduling-of-work',
  'sk-learn',
  'The key is: missing',
  'missing field `token`',
  'tokens per minute (TPM)',
  'status 400 404 500',
]

describe('redact', () => {
  test.each(MASKED)('masks %j', (text, masked) => {
    expect(redact(text)).toBe(masked)
  })

  test.each(KEPT)('leaves %j as it is', (text) => {
    expect(redact(text)).toBe(text)
  })

  test.each(MASKED)('masks in the middle of a sentence: %j', (text, masked) => {
    if (text.includes('it was cut')) return
    expect(redact(`It says "${text}" there`)).toBe(`It says "${masked}" there`)
  })

  test.each(KEPT)('leaves it in the middle of a sentence: %j', (text) => {
    expect(redact(`It says "${text}", at 5`)).toBe(`It says "${text}", at 5`)
  })

  test('masks once: what is masked stays', () => {
    for (const [, masked] of MASKED) expect(redact(masked)).toBe(masked)
  })

  test('finds each of many in one text', () => {
    const kinds = redact(MASKED.map(([text]) => text).join('\n')).match(/\[redacted:[a-z-]+\]/g)
    const expected = MASKED.map(([, masked]) => masked)
      .join('\n')
      .match(/\[redacted:[a-z-]+\]/g)
    expect(kinds).toEqual(expected)
  })

  test('leaves no key of any length in any text', () => {
    const key = fc.tuple(
      fc.constantFrom('sk-', 'sk-ant-', 'sk-proj-', 'slc_', 'ghp_', 'github_pat_', 'xoxb-', 'hf_'),
      fc.stringMatching(/^[A-Za-z0-9]{30,60}$/),
    )
    const around = fc.stringMatching(/^[ -~]{0,20}$/)
    const hidden = fc.property(key, around, around, ([start, rest], before, after) => {
      expect(redact(`${before} ${start}${rest} ${after}`)).not.toContain(rest)
    })
    fc.assert(hidden)
  })
})

/** A megabyte of what makes a careless pattern go back over the text again and again. */
const HOSTILE = [
  'a',
  'a.',
  'a@',
  'a@a.',
  'a.a-a@a.a-',
  '@',
  '1',
  '4',
  '4 ',
  '4111 1111 1111 1112 ',
  '4111-',
  '+1',
  '+1 ',
  '+',
  '(4',
  '415-555-',
  '0',
  '012 ',
  '01 23 ',
  'sk-',
  'sk-a',
  'eyJ',
  'eyJ.',
  'eyJaaaaaaaa.',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY----- -----END ',
  'Bearer ',
  'bearer a',
  'password',
  'password=',
  'password="',
  'password:',
  'password: ',
  '"password\\":\\"',
  '://',
  '://a',
  'http://a:b',
  '?key=',
  '?',
  '?a',
  '&key',
  'api_key_',
  'x-api-key',
  ' ',
  '\\',
  '\\n',
  '\\neyJ',
  '%ab',
  '%abeyJ',
  '\u001b[',
  '\u001b[1;',
  '"',
  '\n',
  'é',
  '\u{1f600}',
]

describe('redact takes time in step with the text', () => {
  test.each(HOSTILE)('for a megabyte of %j', { retry: 2 }, (piece) => {
    const size = 1_000_000
    const text = piece.repeat(Math.ceil(size / piece.length))
    const started = performance.now()
    redact(text)
    redact(`x${text}`)
    redact(`sk-abcdefgh12345678 ${text} @`)
    // Linear takes well under a second for all three; quadratic would take many minutes.
    expect(performance.now() - started).toBeLessThan(5000)
  })

  test('for any mix of them', { retry: 2 }, () => {
    const mix = fc.array(fc.constantFrom(...HOSTILE), { minLength: 1, maxLength: 6 })
    const quick = fc.property(mix, (pieces) => {
      const piece = pieces.join('')
      const text = piece.repeat(Math.ceil(200_000 / piece.length))
      const started = performance.now()
      redact(`${text}@`)
      expect(performance.now() - started).toBeLessThan(1500)
    })
    fc.assert(quick, { numRuns: 60 })
  })
})
