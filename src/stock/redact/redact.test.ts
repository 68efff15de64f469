import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cuts, numbersOf, saltedText, toEscaped } from '../../../test/support/secrets.ts'
import {
  callPart,
  filterEvents,
  human,
  requestOf,
  resultPart,
  runPolicy,
} from '../../../test/support/stock-policy.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { Delta, StreamEvent } from '../../event/event.ts'
import type { Policy } from '../../policy/policy.ts'
import type { ModelRequest } from '../../request/request.ts'
import { redact } from './redact.ts'

const TOKEN = `ghp_${'aB3'.repeat(12)}`
const OTHER = `ghp_${'xY9'.repeat(12)}`
const MARK = '[redacted:github-token]'
const mark = (kind: string): string => `[redacted:${kind}]`

const TEXT: BlockInfo = { type: 'text', id: 'text', index: 0 }
const THINKING: BlockInfo = { type: 'thinking', id: 'thinking', index: 0, redacted: false }
const CALL: BlockInfo = {
  type: 'tool-call',
  id: 'call',
  index: 1,
  name: 'run',
  dialect: 'function',
}
const FREE: BlockInfo = { ...CALL, dialect: 'custom' }

const deltaOf = (block: BlockInfo, text: string): Delta =>
  block.type === 'tool-call'
    ? { type: 'arguments', text }
    : block.type === 'thinking'
      ? { type: 'thinking', text }
      : { type: 'text', text }
const grow = (block: BlockInfo, text: string): StreamEvent => ({
  type: 'block-delta',
  block,
  delta: deltaOf(block, text),
})
const blockOf = (block: BlockInfo, pieces: readonly string[]): readonly StreamEvent[] => [
  { type: 'block-start', block },
  ...pieces.map((piece) => grow(block, piece)),
  { type: 'block-stop', block },
]
const textIn = (events: readonly StreamEvent[], block: BlockInfo): string =>
  events
    .map((event) =>
      event.type === 'block-delta' && event.block === block && 'text' in event.delta
        ? event.delta.text
        : '',
    )
    .join('')

const POLICY = redact()

describe('an answer', () => {
  test('that something was hidden in leaves in as many pieces as came, and what waited at the end', async () => {
    // Each piece ends in the middle of a word, of which more may make an address.
    const pieces = ['Ask bob@example.com', ' or any', ' one els', 'e who is', ' ther', 'e now']
    const sent = await filterEvents(POLICY, blockOf(TEXT, pieces))
    expect(textIn(sent, TEXT)).toBe(`Ask ${mark('email')} or any one else who is there now`)
    const said = sent.filter(({ type }) => type === 'block-delta')
    expect(said.length).toBeLessThanOrEqual(pieces.length + 1)
  })

  test('leaves as the same events, in their order, when there is nothing to hide', async () => {
    const events: readonly StreamEvent[] = [
      { type: 'message-start', id: 'm', model: 'x' },
      { type: 'block-start', block: TEXT },
      grow(TEXT, 'Hello wor'),
      { type: 'ping' },
      grow(TEXT, 'ld, ask bob'),
      { type: 'other', block: TEXT },
      grow(TEXT, ' or sk-'),
      { type: 'usage', usage: { outputTokens: 3 } },
      { type: 'block-stop', block: TEXT },
      ...blockOf(CALL, ['{"a', '": "b', '\\u00', 'e4", "n":12', '3}']),
      { type: 'finish', reason: 'stop' },
      { type: 'message-stop' },
    ]
    const sent = await filterEvents(POLICY, events)
    expect(sent).toHaveLength(events.length)
    for (const [i, event] of sent.entries()) expect(event).toBe(events[i])
  })

  test('has marks in the place of secrets, in events without a trace of the old ones', async () => {
    const vendor = { seen: TOKEN }
    const events: readonly StreamEvent[] = [
      { type: 'block-start', block: TEXT },
      { ...grow(TEXT, `Use ${TOKEN.slice(0, 9)}`), vendor },
      { ...grow(TEXT, `${TOKEN.slice(9)} now`), vendor },
      { type: 'other', block: TEXT, vendor },
      { type: 'block-stop', block: TEXT, vendor },
      { type: 'other', block: TEXT, vendor },
    ]
    const sent = await filterEvents(POLICY, events)
    expect(textIn(sent, TEXT)).toBe(`Use ${MARK} now`)
    expect(JSON.stringify(sent)).not.toContain(TOKEN.slice(4, 12))
    expect(sent.at(-1)).toEqual({ type: 'block-stop', block: TEXT })
  })

  test('waits with no more than what may become a secret, once something was hidden', async () => {
    const run = runPolicy(POLICY)
    await filterEvents(POLICY, [{ type: 'block-start', block: TEXT }], run)
    await filterEvents(POLICY, [grow(TEXT, `${TOKEN} and then a word`)], run)
    expect(textIn(run.sent, TEXT)).toBe(`${MARK} and then a `)
  })

  test('random secrets, cut at random: never a character too many, and all of it at the end', async () => {
    const answer = fc.tuple(saltedText(4, mark), saltedText(4, mark), fc.nat(), cuts)
    await fc.assert(
      fc.asyncProperty(answer, async ([text, args, seed, cut]) => {
        const json = `{"x":${toEscaped(args.text, numbersOf(seed))},"y":[1,2]}`
        const run = runPolicy(POLICY)
        for (const event of blockOf(TEXT, cut(text.text))) {
          await filterEvents(POLICY, [event], run)
          expect(text.hidden.startsWith(textIn(run.sent, TEXT))).toBe(true)
        }
        await filterEvents(POLICY, blockOf(CALL, cut(json)), run)
        await filterEvents(POLICY, blockOf(FREE, cut(args.text)), run)
        expect(textIn(run.sent, TEXT)).toBe(text.hidden)
        expect(JSON.parse(textIn(run.sent, CALL))).toEqual({ x: args.hidden, y: [1, 2] })
        expect(textIn(run.sent, FREE)).toBe(args.hidden)
      }),
      { numRuns: 150 },
    )
  })

  test('is flushed when it breaks off', async () => {
    const fault: StreamEvent = { type: 'error', error: { kind: 'cut', message: 'Gone' } }
    const events = [{ type: 'block-start', block: TEXT } as const, grow(TEXT, 'Ask bob'), fault]
    expect(await filterEvents(POLICY, events)).toEqual(events)
  })

  test('keeps several choices apart', async () => {
    const second: BlockInfo = { ...TEXT, choice: 1 }
    const sent = await filterEvents(POLICY, [
      { type: 'block-start', block: TEXT },
      { type: 'block-start', block: second },
      grow(TEXT, TOKEN.slice(0, 12)),
      grow(second, 'Hello '),
      grow(TEXT, TOKEN.slice(12)),
      grow(second, `${OTHER}.`),
      { type: 'block-stop', block: TEXT },
      { type: 'block-stop', block: second },
    ])
    expect([textIn(sent, TEXT), textIn(sent, second)]).toEqual([MARK, `Hello ${MARK}.`])
  })

  test('hides a number that is a card, and stays JSON', async () => {
    const sent = await filterEvents(
      POLICY,
      blockOf(CALL, ['{"card": 41111111', '11111111, "n": 1}']),
    )
    expect(JSON.parse(textIn(sent, CALL))).toEqual({ card: '[redacted:card]', n: 1 })
  })

  test('hides in citations too', async () => {
    const event: StreamEvent = {
      type: 'block-delta',
      block: TEXT,
      delta: { type: 'citation', citation: { cited_text: `It is ${TOKEN}` } },
    }
    const sent = await filterEvents(POLICY, [event])
    expect(sent).toMatchObject([{ delta: { citation: { cited_text: `It is ${MARK}` } } }])
  })
})

describe('thinking', () => {
  const seal: StreamEvent = {
    type: 'block-delta',
    block: THINKING,
    delta: { type: 'signature', signature: 'sealed' },
  }
  const start: StreamEvent = { type: 'block-start', block: THINKING }
  const stop: StreamEvent = { type: 'block-stop', block: THINKING }
  const thought = [grow(THINKING, 'It is '), grow(THINKING, `${TOKEN} `), grow(THINKING, 'then. ')]

  test('is not touched where it is signed, whatever is in it', async () => {
    const events = [start, ...thought, seal, stop]
    const sent = await filterEvents(POLICY, events)
    expect(sent).toHaveLength(events.length)
    for (const [i, event] of sent.entries()) expect(event).toBe(events[i])
  })

  test('has its secrets hidden where nobody signed it', async () => {
    const sent = await filterEvents(POLICY, [start, ...thought, stop])
    expect(textIn(sent, THINKING)).toBe(`It is ${MARK} then. `)
  })

  test('flows while it is clean, and waits from the first secret on', async () => {
    const run = runPolicy(POLICY)
    await filterEvents(POLICY, [start, ...thought], run)
    expect(run.sent).toEqual([start, thought[0]])
  })
})

describe('a request', () => {
  const change = async (policy: Policy, request: ModelRequest): Promise<ModelRequest> => {
    const verdict = await policy.onRequest?.(request, runPolicy(policy).ctx)
    return verdict?.type === 'change' ? verdict.request : request
  }

  test('has its secrets hidden in what was said, in calls and in results', async () => {
    const request = requestOf([
      human(`Deploy with ${TOKEN}`),
      {
        role: 'assistant',
        parts: [callPart('run', { command: `login ${TOKEN}`, note: 'a"b' }, 'c1')],
      },
      { role: 'user', parts: [resultPart('c1', `Logged in as bob@example.com with ${TOKEN}`)] },
    ])
    const { turns } = await change(POLICY, request)
    const written = JSON.stringify(turns)
    expect(written).not.toContain(TOKEN)
    expect(turns[1]?.parts[0]).toMatchObject({
      arguments: JSON.stringify({ command: `login ${MARK}`, note: 'a"b' }),
    })
    expect(turns[2]?.parts[0]).toMatchObject({
      parts: [{ text: `Logged in as [redacted:email] with ${MARK}` }],
    })
  })

  test.each(['data', 'signature', 'encrypted_content'])(
    'has a secret hidden that a call names "%s": only what a vendor sealed is left alone',
    async (name) => {
      const vendor = { type: 'tool_use', id: 'c1', name: 'put', input: { [name]: `x ${TOKEN}` } }
      const call = { ...callPart('put', vendor.input, 'c1'), vendor }
      const request = requestOf([human('Go on'), { role: 'assistant', parts: [call] }])
      const verdict = await POLICY.onRequest?.(request, runPolicy(POLICY).ctx)
      expect(JSON.stringify(verdict)).toContain(MARK)
      expect(JSON.stringify(verdict)).not.toContain(TOKEN)
    },
  )

  test('passes when there is nothing to hide', async () => {
    const request = requestOf([human('Hello')])
    expect(await POLICY.onRequest?.(request, runPolicy(POLICY).ctx)).toBeUndefined()
  })

  test('keeps its system prompt unless that is asked for', async () => {
    const request = { ...requestOf([]), system: [{ type: 'text' as const, text: TOKEN }] }
    expect((await change(POLICY, request)).system[0]?.text).toBe(TOKEN)
    expect((await change(redact({ system: true }), request)).system[0]?.text).toBe(MARK)
  })

  test('keeps thinking that is signed, and everything in it', async () => {
    const vendor = { type: 'thinking', thinking: TOKEN, signature: 's' }
    const seal = { wire: 'anthropic-messages' as const, signature: 's' }
    const signed = { type: 'thinking' as const, text: TOKEN, seal, vendor }
    const turn = {
      role: 'assistant' as const,
      parts: [signed, { type: 'text' as const, text: TOKEN }],
      vendor: { role: 'assistant', content: [vendor, { type: 'text', text: TOKEN }] },
    }
    const [made] = (await change(POLICY, requestOf([turn]))).turns
    expect(made?.parts).toEqual([signed, { type: 'text', text: MARK }])
    expect(made?.vendor).toEqual({
      role: 'assistant',
      content: [vendor, { type: 'text', text: MARK }],
    })
  })

  test('reports how much of what was hidden, and nothing of what it was', async () => {
    const request = requestOf([human(`${TOKEN} ${OTHER} bob@example.com`)])
    expect(await POLICY.onRequest?.(request, runPolicy(POLICY).ctx)).toMatchObject({
      tags: ['redacted'],
      details: { 'github-token': 2, email: 1 },
    })
  })
})

describe('pseudonyms', () => {
  const policy = redact({ restore: true })

  test('are the same for the same value, over the exchanges of a conversation', async () => {
    const memory = policy.memory?.()
    const ask = async (text: string): Promise<string> => {
      const { ctx } = runPolicy(policy, { memory })
      const verdict = await policy.onRequest?.(requestOf([human(text)]), ctx)
      return verdict?.type === 'change' ? JSON.stringify(verdict.request.turns) : ''
    }
    expect(await ask(`${TOKEN} ${OTHER} ${TOKEN}`)).toContain(
      '[redacted:github-token:1] [redacted:github-token:2] [redacted:github-token:1]',
    )
    expect(await ask(OTHER)).toContain('[redacted:github-token:2]')
  })

  test('become the values again in calls to the client that gave them, and nowhere else', async () => {
    const run = runPolicy(policy)
    const secret = 'pass"word\\1'
    const url = `postgres://app:${secret.replace('"', '')}@db/x`
    await policy.onRequest?.(requestOf([human(`Use ${TOKEN} and ${url}`)]), run.ctx)
    const said = 'Use [redacted:github-token:1] now, not [redacted:github-token:7]'
    const args = '{"c":"login [redacted:github-token:1] postgres://app:[redacted:password:1]@db/x"}'
    const pieces = args.match(/.{1,5}/gs) ?? []
    const sent = await filterEvents(
      policy,
      [...blockOf(TEXT, [said]), ...blockOf(CALL, pieces)],
      run,
    )
    expect(textIn(sent, TEXT)).toBe(said)
    expect(JSON.parse(textIn(sent, CALL))).toEqual({ c: `login ${TOKEN} ${url}` })
    // A secret of the model's own is hidden all the same.
    const own = await filterEvents(policy, blockOf(FREE, [`x ${OTHER}`]), run)
    expect(textIn(own, FREE)).toBe('x [redacted:github-token:2]')
  })

  test('are no secrets themselves when they come back', async () => {
    const own = redact({
      pseudonyms: true,
      find: ['assigned', 'secrets'],
      patterns: [{ name: 'pin', pattern: 'pin=(?P<secret>\\S+)' }],
    })
    const text = 'pin=[redacted:pin:1] token=[redacted:secret:2] x://a:[redacted:password:1]@b'
    expect(await own.onRequest?.(requestOf([human(text)]), runPolicy(own).ctx)).toBeUndefined()
  })
})

describe('options', () => {
  const hide = async (policy: Policy, text: string): Promise<string> =>
    textIn(await filterEvents(policy, blockOf(TEXT, text.match(/.{1,3}/gs) ?? [])), TEXT)

  test('own patterns and words are hidden, under their names', async () => {
    const policy = redact({
      find: [],
      patterns: [{ name: 'ticket', pattern: 'ACME-\\d{4}' }],
      words: ['Project (X)'],
    })
    expect(await hide(policy, 'See ACME-1234 of Project (X), bob@example.com')).toBe(
      'See [redacted:ticket] of [redacted:word], bob@example.com',
    )
  })

  test('secrets that are assigned are found by name, where that is asked for', async () => {
    const policy = redact({ find: ['assigned'] })
    const text = 'API_KEY = "a8Fk29xLq0" and password: must not be empty'
    expect(await hide(policy, text)).toBe(
      'API_KEY = "[redacted:secret]" and password: must not be empty',
    )
    const sent = await filterEvents(policy, blockOf(CALL, ['{"api_key": "a8Fk29', 'xLq0"}']))
    expect(textIn(sent, CALL)).toBe('{"api_key": "[redacted:secret]"}')
  })

  test('a private key is found in every spelling, and words about keys are not', async () => {
    const line = 'MIIEpAIBAAKCAQEAx7Vb9sT2'
    const keys = [
      `-----BEGIN RSA PRIVATE KEY-----\n${line}\n${line}\n-----END RSA PRIVATE KEY-----`,
      `-----BEGIN PRIVATE KEY-----\\n${line}\\n-----END PRIVATE KEY-----`,
      `-----BEGIN PRIVATE KEY-----\\n" +\n  "${line}\\n" +\n  "-----END PRIVATE KEY-----`,
      `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${line}\n\n${line}\n-----END RSA PRIVATE KEY-----`,
      `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v1.4.5 (GNU/Linux)\n\n${line}\n=a1b2\n-----END PGP PRIVATE KEY BLOCK-----`,
    ]
    for (const key of keys)
      expect(await hide(POLICY, `k = "${key}"; then`)).toBe('k = "[redacted:private-key]"; then')
    const words = 'It begins with "-----BEGIN PRIVATE KEY-----" and ends with the same: so be it.'
    expect(await hide(POLICY, words)).toBe(words)
  })

  test('phones are found where that is asked for', async () => {
    const policy = redact({ find: ['phones'] })
    expect(await hide(policy, 'Call +49 171 2345678 or (415) 555-2671.')).toBe(
      'Call [redacted:phone] or [redacted:phone].',
    )
  })

  test('the mark can be any other', async () => {
    expect(await hide(redact({ replacement: '***' }), `a ${TOKEN} b`)).toBe('a *** b')
  })

  test('only one of the two ways, where that is asked for', () => {
    expect(redact({ in: ['requests'] }).onChunk).toBeUndefined()
    expect(redact({ in: ['answers'] }).onRequest).toBeUndefined()
  })

  test('what cannot work is refused', () => {
    expect(() => redact({ restore: true, replacement: '***' })).toThrow('{kind}')
    expect(() => redact({ patterns: [{ name: 'x', pattern: 'a(' }] })).toThrow('"x"')
    expect(() => redact({ patterns: [{ name: 'x', pattern: '(?P<secret>a)b*' }] })).toThrow(
      'always be as long',
    )
  })
})
