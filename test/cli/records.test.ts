/**
 * `sluice log`, `show`, `export` and `records` on a real store that somebody else has open: in this process, because
 * there are many to run, and once each as a person runs them.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SluiceError } from '../../src/base/sluice-error.ts'
import { blocks } from '../../src/cli/blocks.ts'
import type { Command } from '../../src/cli/command.ts'
import { convert } from '../../src/cli/convert.ts'
import { exportCommand } from '../../src/cli/export.ts'
import { lint } from '../../src/cli/lint.ts'
import { log } from '../../src/cli/log.ts'
import type { Output } from '../../src/cli/output.ts'
import { policy } from '../../src/cli/policy.ts'
import { records } from '../../src/cli/records.ts'
import { show } from '../../src/cli/show.ts'
import type { BlockInfo } from '../../src/event/block.ts'
import type { StreamEvent } from '../../src/event/event.ts'
import { createCodec } from '../../src/records/codec.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Piece, WriteItem } from '../../src/store/record.ts'
import type { RecordStore } from '../../src/store/store.ts'
import { toUtf8 } from '../support/bytes.ts'
import { sluice, type Ran } from '../support/command.ts'
import { encode } from '../support/pipeline.ts'
import { DAWN, sampleExchange, sampleVerdict } from '../support/records.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-records-'))
const file = join(folder, 'records.db')
let store: RecordStore

const TEXT: BlockInfo = { type: 'text', id: 's', index: 0 }
const CALL: BlockInfo = { type: 'tool-call', id: 'c', index: 1, name: 'Bash', dialect: 'function' }

const answer = (...blocks: readonly (readonly [BlockInfo, 'text' | 'arguments', string])[]) =>
  encode('anthropic-messages', [
    { type: 'message-start', id: 'msg_1', model: 'm' },
    ...blocks.flatMap(([block, type, text]): StreamEvent[] => [
      { type: 'block-start', block },
      { type: 'block-delta', block, delta: { type, text } },
      { type: 'block-stop', block },
    ]),
    { type: 'finish', reason: 'tool-calls' },
    { type: 'message-stop' },
  ]).bytes

const CAME = answer([TEXT, 'text', 'I will look.'], [CALL, 'arguments', '{"command":"rm -rf x"}'])
const LEFT = answer([TEXT, 'text', 'I will look.'], [{ ...TEXT, id: 'n', index: 1 }, 'text', 'No.'])
const JSON_ANSWER = toUtf8(
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  }),
)

const ASKED = toUtf8(
  JSON.stringify({
    model: 'claude-sonnet-4-5',
    max_tokens: 100,
    stream: true,
    messages: [{ role: 'user', content: 'Tidy up\u001b[2J, please' }],
  }),
)

const piece = (kind: Piece['kind'], bytes: Uint8Array): Piece => ({
  kind,
  seq: 0,
  bytes,
  times: [bytes.length, 250_000],
})

const EXCHANGES: readonly WriteItem[] = [
  sampleExchange(
    'first',
    { startedAt: DAWN },
    {
      pieces: [piece('request', ASKED), piece('upstream', CAME), piece('delivered', LEFT)],
      verdicts: [sampleVerdict()],
      tools: [{ name: 'Bash', count: 1 }],
      text: 'Tidy up please',
    },
  ),
  sampleExchange(
    'second',
    {
      startedAt: DAWN + 60_000,
      wire: 'openai-chat',
      upstreamWire: 'openai-chat',
      endpoint: '/v1/chat/completions',
      model: 'gpt',
      upstreamModel: 'gpt',
      isStream: false,
      key: 'other',
      conversation: 'session-2',
    },
    { pieces: [piece('upstream', JSON_ANSWER)], text: 'Hi' },
  ),
  sampleExchange('third', {
    startedAt: DAWN + 120_000,
    status: 401,
    outcome: 'refused',
    key: 'other',
    record: 'metadata',
    upstreamWire: undefined,
  }),
]

beforeAll(async () => {
  store = await openStore({ type: 'sqlite', file }, { codec: createCodec() })
  await store.write(EXCHANGES)
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const COMMANDS: Readonly<Record<string, Command>> = {
  log,
  show,
  export: exportCommand,
  records,
  blocks,
  lint,
  convert,
  policy,
}

/** As `main.ts` runs it. */
async function here([name = '', ...args]: readonly string[]): Promise<Ran> {
  const [out, err] = [createPage(), createPage()]
  try {
    const code = await COMMANDS[name]?.run(args, { out, err })
    return { code: code ?? null, stdout: out.text(), stderr: err.text() }
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    return { code: 2, stdout: out.text(), stderr: `${err.text()}sluice: ${error.message}\n` }
  }
}

function createPage(): Output & { text(): string } {
  const parts: Uint8Array[] = []
  const write = (chunk: string | Uint8Array): Promise<void> => {
    parts.push(Buffer.from(chunk))
    return Promise.resolve()
  }
  return {
    write,
    line: (text = '') => write(`${text}\n`),
    style: (_, text) => text,
    isGone: false,
    text: () => Buffer.concat(parts).toString(),
  }
}

const run = (...args: readonly string[]): Promise<Ran> => here([...args, '--store', file])
const json = async (...args: readonly string[]): Promise<Record<string, never>> =>
  JSON.parse((await run(...args, '--json')).stdout) as Record<string, never>

test('they are commands of sluice, and write to a pipe to the byte', async () => {
  const listed = await sluice(['log', '--store', file, '--limit', '1'])
  expect([listed.code, listed.stdout.includes('third')]).toEqual([0, true])
  const raw = await sluice(['show', 'first', '--raw', 'upstream', '--store', file])
  expect(raw.stdout).toBe(new TextDecoder().decode(CAME))
})

describe('sluice log', () => {
  test('lists exchanges, the newest first, a line each', async () => {
    const { stdout, code } = await run('log')
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => /first|second|third/.exec(line)?.[0])).toEqual([
      'third',
      'second',
      'first',
    ])
    expect(lines[2]).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +first +200 +claude-cli +claude-sonnet-4-5 +813ms +100→20 +\$0.0012 +Bash +deny$/,
    )
    expect(lines[0]).toContain('401 refused')
  })

  test.each([
    [['--model', 'gpt*'], ['second']],
    [['--tool', 'Ba*'], ['first']],
    [['--verdict', 'deny'], ['first']],
    [['--policy', 'rules'], ['first']],
    [['--status', 'error'], ['third']],
    [
      ['--key', 'other', '--oldest'],
      ['second', 'third'],
    ],
    [['--conversation', 'session-2'], ['second']],
    [['--text', 'tidy'], ['first']],
    [['--since', '2026-05-13T00:01:00Z', '--until', '2026-05-13T00:01:30Z'], ['second']],
    [['--limit', '1'], ['third']],
  ])('%s finds %s', async (filters, ids) => {
    const { items } = (await json('log', ...filters)) as unknown as { items: { id: string }[] }
    expect(items.map(({ id }) => id)).toEqual(ids)
  })

  test('goes on where the last page ended', async () => {
    const first = (await json('log', '--limit', '2')) as unknown as { next: string }
    const { stdout } = await run('log', '--after', first.next)
    expect(stdout).toMatch(/^\S+ \S+ {2}first/)
    expect((await run('log', '--limit', '2')).stdout).toContain(`--after ${first.next}`)
  })

  test('says so when there are none', async () => {
    const { code, stdout } = await run('log', '--model', 'nobody')
    expect([code, stdout]).toEqual([1, `No exchanges in ${file} that fit.\n`])
  })

  test.each([
    [['--since', 'yesterday'], '--since cannot be "yesterday": it takes'],
    [['--status', '99'], '--status cannot be "99"'],
    [['--limit', '0'], '--limit takes a number from 1 on'],
    [['--modle', 'x'], 'did you mean --model?'],
  ])('%s is a mistake that says what is allowed', async (filters, words) => {
    const { code, stderr } = await run('log', ...filters)
    expect(code).toBe(2)
    expect(stderr).toContain(words)
  })
})

describe('sluice show', () => {
  test('shows who asked for what, the blocks, the verdicts and what was changed', async () => {
    const { stdout, code } = await run('show', 'first')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^first {2}.* 200 done$/m)
    expect(stdout).toMatch(/^model +claude-sonnet-4-5 → claude-sonnet-4-5-20250929$/m)
    expect(stdout).toMatch(/user +text +\d+ chars +Tidy up·\[2J, please/)
    expect(stdout).toMatch(/1 +250ms–250ms +tool-call +22 chars +Bash +\{"command":"rm -rf x"\}/)
    expect(stdout).toMatch(/^deny +rules +Bash +Deleting is not allowed here/m)
    expect(stdout).toMatch(/^- +1 .*Bash/m)
    expect(stdout).toMatch(/^\+ +1 .*No\./m)
    // What others wrote cannot clear the screen.
    expect(stdout).not.toContain('\u001b')
  })

  test('is found by its request id, and says all of it as JSON', async () => {
    const view = (await json('show', 'request-first')) as unknown as {
      exchange: { id: string }
      upstream: { blocks: object[] }
      changes: { type: string }[]
    }
    expect(view.exchange.id).toBe('first')
    expect(view.upstream.blocks).toMatchObject([
      { type: 'text', text: 'I will look.', startedAt: 250_000 },
      { type: 'tool-call', arguments: '{"command":"rm -rf x"}' },
    ])
    expect(view.changes.map(({ type }) => type)).toEqual(['same', 'removed', 'added'])
  })

  test('--full shows all of every text', async () => {
    const { stdout } = await run('show', 'second', '--full')
    expect(stdout).toContain('Hi')
    expect(stdout).toMatch(/^Answer$/m)
  })

  test('says what was not kept', async () => {
    const { stdout } = await run('show', 'third')
    expect(stdout).toContain('Nothing of the content was kept')
  })

  test.each([
    ['request', ASKED],
    ['sent', ASKED],
    ['upstream', CAME],
    ['delivered', LEFT],
  ] as const)('--raw %s writes the bytes', async (kind, bytes) => {
    const { stdout } = await run('show', 'first', '--raw', kind)
    expect(stdout).toBe(new TextDecoder().decode(bytes))
  })

  test('--raw of what is not kept says what is', async () => {
    const { code, stderr } = await run('show', 'second', '--raw', 'request')
    expect(code).toBe(1)
    expect(stderr).toContain('"request" of second is not kept: there are upstream')
    expect((await run('show', 'first', '--raw', 'all')).stderr).toContain('there are request, sent')
  })

  test('says so when it is not there', async () => {
    const { code, stderr } = await run('show', 'nobody')
    expect([code, stderr]).toEqual([1, `sluice: There is no exchange "nobody" in ${file}\n`])
  })
})

describe('sluice export', () => {
  test('writes JSON lines with everything, the oldest first', async () => {
    const { stdout } = await run('export')
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { exchange: { id: string }; bodies: object })
    expect(lines.map(({ exchange }) => exchange.id)).toEqual(['first', 'second', 'third'])
    expect(lines[0]?.bodies).toMatchObject({
      upstream: { text: new TextDecoder().decode(CAME), times: [CAME.length, 250_000] },
    })
    expect(lines[0]).toMatchObject({ verdicts: [{ type: 'deny', seq: 1 }] })
    const out = join(folder, 'all.jsonl')
    const ran = await run('export', '--out', out, '--limit', '1')
    expect(ran.stderr).toBe(`1 written to ${out}\n`)
    expect(readFileSync(out, 'utf8')).toBe(`${stdout.split('\n')[0] ?? ''}\n`)
    expect(statSync(out).mode & 0o777).toBe(0o600)
  })

  test('writes recordings that blocks, lint, convert and policy test read', async () => {
    const out = join(folder, 'recordings')
    await run('export', '--format', 'sse', '--out', out)
    expect(readdirSync(out).toSorted()).toEqual([
      'first.json',
      'first.sse',
      'second.about.json',
      'second.json',
    ])
    const stream = join(out, 'first.sse')
    expect(readFileSync(stream)).toEqual(Buffer.from(CAME))
    expect(JSON.parse(readFileSync(join(out, 'first.json'), 'utf8'))).toMatchObject({
      id: 'first',
      body: 'upstream',
      wire: 'anthropic-messages',
      times: [CAME.length, 250_000],
      request: new TextDecoder().decode(ASKED),
    })
    expect((await here(['lint', stream])).code).toBe(0)
    const wire = ['--wire', 'anthropic-messages']
    expect((await here(['blocks', ...wire, stream])).stdout).toContain('Bash')
    const converted = ['convert', '--from', 'anthropic-messages', '--to', 'openai-chat', stream]
    expect((await here(converted)).stdout).toContain('tool_calls')
    const noCalls = join(folder, 'no-calls.mjs')
    writeFileSync(
      noCalls,
      `export default { name: 'no-calls', holds: ['tool-call'], judge: () => ({ type: 'deny', reason: 'no' }) }\n`,
    )
    const tested = await here(['policy', 'test', noCalls, '--on', out])
    expect(tested.stdout + tested.stderr).not.toContain('about.json')
    expect(tested.stdout).toContain('deny')
  })

  test('writes what left instead', async () => {
    const out = join(folder, 'left')
    await run(
      'export',
      '--format',
      'sse',
      '--out',
      out,
      '--body',
      'delivered',
      '--model',
      'claude*',
    )
    expect(readFileSync(join(out, 'first.sse'))).toEqual(Buffer.from(LEFT))
  })

  test.each([
    [['--format', 'sse'], 'Say where to: sluice export --format sse --out DIR'],
    [['--format', 'csv'], '--format takes jsonl or sse: got "csv"'],
    [['--out', '/nowhere/at/all'], 'Cannot write "/nowhere/at/all"'],
  ])('%s is a mistake', async (args, words) => {
    const { code, stderr } = await run('export', ...args)
    expect(code).toBe(2)
    expect(stderr).toContain(words)
  })
})

describe('sluice records', () => {
  test('tells its size, and that its chain is whole', async () => {
    expect((await run('records')).stdout).toMatch(/^.*records\.db\n3 exchanges, .* KB, the oldest/)
    expect(await json('records', 'size')).toMatchObject({ where: file, exchanges: 3 })
    const { head } = (await json('records', 'verify')) as unknown as { head: string }
    expect((await run('records', 'verify')).stdout).toBe(
      `whole: 1 verdicts, the last hash is ${head}\n`,
    )
    expect((await run('records', 'verify', '--head', head)).code).toBe(0)
    const gone = await run('records', 'verify', '--head', 'f'.repeat(64))
    expect([gone.code, gone.stdout]).toEqual([
      1,
      'broken: verdict 2: the hash that was kept is not in the chain: verdicts are missing\n',
    ])
  })

  test('deletes only when it is told so, and keeps the place of verdicts', async () => {
    await store.write([
      sampleExchange('fourth', { key: 'gone' }, { verdicts: [sampleVerdict()] }),
      sampleExchange('fifth', { startedAt: 1000 }),
    ])
    const asked = await run('records', 'delete', '--key', 'gone')
    expect(asked.code).toBe(2)
    expect(asked.stderr).toContain('This deletes 1 exchange')
    expect(await store.find('fourth')).toBeDefined()
    const done = await run('records', 'delete', '--key', 'gone', '--yes')
    expect([done.code, done.stdout]).toEqual([0, '1 deleted\n'])
    expect(await store.find('fourth')).toBeUndefined()
    expect((await store.verify()).broken).toBeUndefined()
    const before = await run('records', 'delete', '--before', '2000-01-01', '--yes')
    expect(before.stdout).toBe('1 deleted\n')
    const again = await run('records', 'delete', '--id', 'fifth', '--yes')
    expect([again.code, again.stdout]).toEqual([1, 'There is nothing to delete.\n'])
  })

  test.each([
    [['delete'], 'Say what to delete with one of these'],
    [['delete', '--id', 'a', '--key', 'b'], 'Say what to delete with one of these'],
    [['delete', '--before', 'soon'], '--before soon is no time'],
    [['verfy'], 'did you mean verify?'],
  ])('%s is a mistake', async (args, words) => {
    const { code, stderr } = await run('records', ...args)
    expect(code).toBe(2)
    expect(stderr).toContain(words)
  })
})

describe('where the records are', () => {
  test('is what the config says, though it has variables that are not set here', async () => {
    const config = join(folder, 'sluice.yaml')
    writeFileSync(
      config,
      'upstreams: { a: { wire: openai-chat, baseUrl: "https://a.example", apiKey: "${NOT_SET_HERE}" } }\nstore: records.db\n',
    )
    expect((await here(['log', '--config', config])).code).toBe(0)
    writeFileSync(config, 'store: { fiel: records.db }\n')
    expect((await here(['log', '--config', config])).stderr).toContain('did you mean file?')
  })

  test.each([
    [join(folder, 'none.db'), 'There are no records in'],
    [
      'postgres://user:pa55word@127.0.0.1:1/db',
      'Cannot open the records in "postgres://127.0.0.1:1/db"',
    ],
    ['mysql://user:pa55word@host/db', 'Cannot use what --store says'],
  ])('%s has none, which is said without a password', async (place, words) => {
    const { code, stderr } = await here(['log', '--store', place])
    expect(code).toBe(2)
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('pa55word')
  })

  test('a file that is no store says so', async () => {
    const other = join(folder, 'other.db')
    writeFileSync(other, 'this is a text and no database, of some length')
    const { code, stderr } = await here(['log', '--store', other])
    expect(code).toBe(2)
    expect(stderr).toMatch(/no SQLite file|not a database/)
  })
})
