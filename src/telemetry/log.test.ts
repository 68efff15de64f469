import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ExchangeReport } from '../exchange/report.ts'
import { createLog, type Log, type LogOptions } from './log.ts'
import { attempt, report, verdict } from '../../test/support/sample-report.ts'

const SETTINGS: LogOptions = { level: 'info', format: 'json', redact: true }

const NOW = new Date(Date.UTC(2026, 10, 15, 10, 20, 31, 234))

const KEY = 'sk-ant-api03-abcdefghijklmnop0123'

/** The lines that were written, each with its line end. */
function write(
  settings: Partial<LogOptions>,
  use: (log: Log) => void,
  isTerminal = false,
): string[] {
  const lines: string[] = []
  const target = { write: (line: string) => lines.push(line), isTerminal, now: () => NOW }
  use(createLog({ ...SETTINGS, ...settings }, target))
  return lines
}

const writeJson = (changes: Partial<ExchangeReport>, settings: Partial<LogOptions> = {}): unknown =>
  JSON.parse(write(settings, (log) => log.exchange(report(changes))).join(''))

const writeText = (changes: Partial<ExchangeReport>): string =>
  write({ format: 'text' }, (log) => log.exchange(report(changes)))
    .join('')
    .replace(/^\d\d:\d\d:\d\d /, '')

describe('an exchange in JSON', () => {
  test('is one line with everything that is known', () => {
    const lines = write({}, (log) => log.exchange(report()))
    expect(lines).toEqual([
      '{"level":"info","time":"2026-11-15T10:20:31.234Z",' +
        `"pid":${process.pid},"id":"req_0123456789abcdef01234567",` +
        '"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","method":"POST","endpoint":"/v1/messages",' +
        '"wire":"anthropic-messages","upstreamWire":"openai-responses","key":"laptop",' +
        '"route":"claude-*","upstream":"openai","model":"claude-sonnet-4-5",' +
        '"upstreamModel":"gpt-5.5","answerModel":"gpt-5.5-2026-10-01","answerId":"resp_1",' +
        '"stream":true,"status":200,"outcome":"done","finish":"tool-calls","inputTokens":100,' +
        '"cacheReadTokens":900,"outputTokens":50,"reasoningTokens":20,"attempts":1,' +
        '"firstByteMs":310,"ms":1235,"bytesIn":2048,"bytesOut":4096,' +
        '"client":"claude-cli/2.1.325","msg":"exchange"}\n',
    ])
  })

  test('has only fields that the page about it explains', () => {
    const page = readFileSync(
      join(import.meta.dirname, '../../docs/reference/telemetry.md'),
      'utf8',
    )
    const table = page.slice(page.indexOf('### Fields'), page.indexOf('### What is masked'))
    const explained = [...table.matchAll(/^\| (`.*?) +\|/gm)].flatMap(
      ([, names = '']) => names.match(/\w+/g) ?? [],
    )
    const fault = { kind: 'internal', message: 'a', code: 'b' } as const
    const line = writeJson({
      fault,
      isUsageEstimated: true,
      usage: {
        inputTokens: 1,
        cacheReadTokens: 1,
        cacheWriteTokens: 1,
        outputTokens: 1,
        reasoningTokens: 1,
      },
      attempts: [attempt({ fault })],
      losses: [{ kind: 'dropped', what: 'a', count: 1 }],
      verdicts: [verdict()],
      violations: 1,
    })
    expect(Object.keys(line as object).toSorted()).toEqual(explained.toSorted())
  })

  test('says no model twice', () => {
    const line = writeJson({ upstreamModel: 'claude-sonnet-4-5', answerModel: 'claude-sonnet-4-5' })
    expect(line).not.toHaveProperty('upstreamModel')
    expect(line).not.toHaveProperty('answerModel')
  })

  test('says what failed, and what was lost', () => {
    const fault = { kind: 'overloaded', message: 'Overloaded', code: 'overloaded_error' } as const
    const line = writeJson({
      status: 529,
      outcome: 'upstream-error',
      fault,
      attempts: [
        attempt({ upstream: 'anthropic', status: 529, fault, durationMs: 80.4 }),
        attempt({
          upstream: 'openai',
          status: undefined,
          fault: { kind: 'timeout', message: 'x' },
        }),
        attempt(),
      ],
      losses: [
        { kind: 'dropped', what: 'citation', count: 2 },
        { kind: 'approximated', what: 'finish pause_turn', count: 1 },
      ],
      violations: 3,
    })
    expect(line).toMatchObject({
      level: 'warn',
      fault: 'overloaded',
      faultCode: 'overloaded_error',
      faultMessage: 'Overloaded',
      attempts: 3,
      failed: [
        { upstream: 'anthropic', status: 529, fault: 'overloaded', ms: 80 },
        { upstream: 'openai', fault: 'timeout', ms: 1200 },
      ],
      losses: ['dropped citation ×2', 'approximated finish pause_turn'],
      violations: 3,
    })
  })

  test('says what policies decided, and nothing of what it was about', () => {
    const given = [
      verdict({ type: 'pass', policy: 'approve' }),
      verdict(),
      verdict(),
      verdict({ policy: 'judge', isShadow: true }),
    ]
    const line = writeJson({ verdicts: given })
    const words = ['deny rules ×2', 'would deny judge', 'pass approve']
    expect(line).toMatchObject({ verdicts: words })
    expect(JSON.stringify(line)).not.toMatch(/rm -rf|Never|danger|no-delete|Bash|call_1/)
    expect(writeText({ verdicts: given })).toContain('policies: deny rules ×2, would deny judge ')
    expect(writeText({ verdicts: given.slice(0, 1) })).not.toContain('policies')
    const many = Array.from({ length: 50 }, (_, at) => verdict({ policy: `p${at}` }))
    expect(writeJson({ verdicts: many })).toMatchObject({ verdicts: { length: 20 } })
  })

  test.each([
    ['done', 200, 'info'],
    ['client-left', 499, 'info'],
    ['refused', 400, 'warn'],
    ['refused', 429, 'warn'],
    ['refused', 503, 'error'],
    ['upstream-error', 429, 'warn'],
    ['upstream-error', 502, 'warn'],
    ['broken', 200, 'error'],
  ] as const)('%s with %i is at level %s', (outcome, status, level) => {
    expect(writeJson({ outcome, status })).toMatchObject({ level, outcome, status })
  })

  test('is written only from the level that was asked for', () => {
    const all = (log: Log): void => {
      log.exchange(report())
      log.exchange(report({ outcome: 'refused', status: 401 }))
      log.exchange(report({ outcome: 'broken' }))
      log.debug('d')
    }
    const count = (level: LogOptions['level']): number => write({ level }, all).length
    expect([count('debug'), count('info'), count('warn'), count('error'), count('silent')]).toEqual(
      [4, 3, 2, 1, 0],
    )
  })
})

describe('what came from outside', () => {
  const OUTSIDE: Partial<ExchangeReport> = {
    id: `id.${KEY}`,
    model: `model ${KEY}`,
    upstreamModel: `${KEY}-model`,
    answerModel: `answer ${KEY}`,
    answerId: KEY,
    client: KEY,
    fault: { kind: 'internal', code: KEY, message: `Bad key ${KEY} of ada@mail.example` },
    losses: [{ kind: 'dropped', what: `server-tool ${KEY}`, count: 1 }],
  }

  test('is masked in every field', () => {
    const json = JSON.stringify(writeJson(OUTSIDE))
    expect(json).not.toMatch(/abcdefghijklmnop|ada@/)
    expect(writeText(OUTSIDE)).not.toMatch(/abcdefghijklmnop|ada@/)
    expect(writeJson(OUTSIDE)).toMatchObject({
      faultMessage: 'Bad key [redacted:key] of [redacted:email]',
      answerId: '[redacted:key]',
    })
  })

  test('is not masked if that is switched off, and still bounded and on one line', () => {
    const message = `ada@mail.example\n${'x'.repeat(400)}`
    const line = writeJson({ fault: { kind: 'internal', message } }, { redact: false })
    expect(line).toMatchObject({
      faultMessage: `ada@mail.example\\n${'x'.repeat(281)}…`,
    })
  })

  test('does not break the line, colour the terminal or grow, whatever it is', () => {
    const nasty = fc.string({ unit: 'binary', maxLength: 400 })
    const property = fc.property(nasty, (text) => {
      const changes: Partial<ExchangeReport> = {
        id: text,
        model: text,
        upstreamModel: `a${text}`,
        answerModel: text,
        answerId: text,
        client: text,
        fault: { kind: 'internal', message: text, code: text },
        losses: [{ kind: 'dropped', what: text, count: 1 }],
      }
      for (const format of ['json', 'text'] as const) {
        const lines = write({ format }, (log) => log.exchange(report(changes)))
        expect(lines).toHaveLength(1)
        expect(lines[0]?.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        expect(lines[0]?.length).toBeLessThan(5000)
        if (format === 'json') JSON.parse(lines[0] ?? '')
      }
    })
    fc.assert(property, { numRuns: 300 })
  })
})

describe('an exchange in text', () => {
  test('is one short line', () => {
    expect(writeText({})).toBe(
      '200 POST /v1/messages claude-sonnet-4-5 → gpt-5.5 (openai) tool-calls ' +
        '1235 ms, first 310 ms, 1000 in, 50 out req_0123456789abcdef01234567\n',
    )
  })

  test('says why it failed', () => {
    const fault = { kind: 'rate-limit', message: 'Slow down' } as const
    const line = writeText({
      status: 429,
      outcome: 'upstream-error',
      upstream: undefined,
      upstreamModel: undefined,
      fault,
      finishReason: undefined,
      firstByteMs: undefined,
      usage: undefined,
      attempts: [attempt({ status: 429, fault }), attempt({ status: 429, fault })],
      losses: [{ kind: 'dropped', what: 'citation', count: 1 }],
      violations: 1,
    })
    expect(line).toBe(
      '429 POST /v1/messages claude-sonnet-4-5 upstream-error after 2 failed of 2 attempts ' +
        'rate-limit: Slow down 1235 ms, losses: dropped citation, violations: 1 ' +
        'req_0123456789abcdef01234567\n',
    )
  })

  test('is what a terminal gets by itself, in colour', () => {
    const use = (log: Log): void => log.exchange(report())
    const [coloured] = write({ format: 'auto' }, use, true)
    expect(coloured).toContain('\u001b[32m200\u001b[39m')
    expect(write({ format: 'auto' }, use, false)[0]).toMatch(/^\{/)
    expect(write({ format: 'json' }, use, true)[0]).toMatch(/^\{/)
  })
})

describe('a message', () => {
  test('has its fields', () => {
    const use = (log: Log): void =>
      log.info('Listening', { url: 'http://127.0.0.1:4141', port: 4141 })
    expect(JSON.parse(write({}, use).join(''))).toEqual({
      level: 'info',
      time: NOW.toISOString(),
      pid: process.pid,
      url: 'http://127.0.0.1:4141',
      port: 4141,
      msg: 'Listening',
    })
    expect(write({ format: 'text' }, use)[0]?.slice(9)).toBe(
      'info Listening url=http://127.0.0.1:4141 port=4141\n',
    )
  })

  test('is cleaned, with its fields', () => {
    const use = (log: Log): void => log.warn(`Bad\n${KEY}`, { names: ['a\u001b', KEY], of: KEY })
    expect(JSON.parse(write({}, use).join(''))).toMatchObject({
      level: 'warn',
      msg: 'Bad\\n[redacted:key]',
      names: ['a\\u001b', '[redacted:key]'],
      of: '[redacted:key]',
    })
  })

  test('tells of an error its name, message, code and stack, and nothing that hangs on it', () => {
    const error = Object.assign(new TypeError(`No ${KEY}`), {
      code: 'ERR_X',
      headers: { secret: 'abc' },
    })
    const lines = write({}, (log) => log.error('Crashed', { error }))
    const line: unknown = JSON.parse(lines.join(''))
    expect(line).toMatchObject({
      level: 'error',
      error: { name: 'TypeError', message: 'No [redacted:key]', code: 'ERR_X' },
    })
    expect(lines.join('')).toMatch(/"stack":\["at /)
    expect(lines.join('')).not.toMatch(/headers|abcdefghijklmnop/)
  })
})

describe('standard error', () => {
  const ROOT = join(import.meta.dirname, '../..')

  /** Runs a script that has `log`, in a process of its own, with its standard error on a pipe. */
  function run(script: string): ChildProcess {
    const head = `import { createLog } from './src/telemetry/log.ts'
      const log = createLog({ level: 'info', format: 'json', redact: true })\n`
    const argv = ['--import', 'tsx', '--input-type=module', '-e', head + script]
    return spawn(process.execPath, argv, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  }

  async function readAll(stream: NodeJS.ReadableStream | null): Promise<string> {
    const chunks: Buffer[] = []
    for await (const chunk of stream ?? []) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString()
  }

  test('gets all lines in order, also those just before the end', async () => {
    const child = run(`for (let i = 0; i < 5000; i++) log.info('line', { i })
      await log.close()
      log.info('after the end')`)
    const lines = (await readAll(child.stderr)).trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { i: number }).i)).toEqual(
      Array.from({ length: 5000 }, (_, i) => i),
    )
  })

  test('gets lines that follow each other together, and each within a moment', async () => {
    const child = run(`let i = 0
      const timer = setInterval(() => (i < 300 ? log.info('line', { i: i++ }) : clearInterval(timer)), 1)
      setTimeout(() => {}, 60_000)`)
    let text = ''
    let reads = 0
    for await (const chunk of child.stderr ?? []) {
      text += String(chunk)
      reads += 1
      // The process goes on: nothing but time has brought the last one.
      if (text.includes('"i":299,')) break
    }
    child.kill()
    expect(text.trimEnd().split('\n')).toHaveLength(300)
    expect(reads).toBeLessThan(150)
  })

  test('gets the last words of a process that exits at once', async () => {
    const child = run(`log.error('The last words'); process.exit(3)`)
    expect(await readAll(child.stderr)).toContain('"msg":"The last words"')
  })

  test('may be closed by its reader without harm', async () => {
    const child = run(`setInterval(() => log.info('tick'), 1)
      setTimeout(async () => { await log.flush(); console.log('alive'); process.exit(0) }, 400)`)
    child.stderr?.destroy()
    const [said, [code]] = await Promise.all([readAll(child.stdout), once(child, 'exit')])
    expect(said).toBe('alive\n')
    expect(code).toBe(0)
  })

  test('may be read slowly: the process goes on, and says how many lines it dropped', async () => {
    const child = run(`const text = 'x'.repeat(900)
      for (let i = 0; i < 20_000; i++) log.info(text)
      setTimeout(() => console.log('on time'), 100)
      setTimeout(async () => { await log.close(); console.log('closed') }, 1500)`)
    const [first] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    expect(first.toString()).toBe('on time\n')
    const lines = (await readAll(child.stderr)).trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(1000)
    expect(lines.length).toBeLessThan(20_000)
    const last = JSON.parse(lines.at(-1) ?? '') as { msg: string; count: number }
    expect(last.msg).toBe('Log lines were dropped because nobody read them fast enough')
    expect(last.count + lines.length - 1).toBe(20_000)
  })
})
