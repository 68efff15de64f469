/**
 * The command in a pipe: what comes in goes out while it comes, a reader may leave, and a long input
 * takes no more memory than a short one.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { endOf, start as startCommand } from '../support/command.ts'
import { SMALL } from '../support/small-streams.ts'

const PAIRS = WIRE_NAMES.flatMap((from) => WIRE_NAMES.map((to) => ({ from, to })))

const started: ReturnType<typeof startCommand>[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

function start(...args: readonly string[]): ReturnType<typeof startCommand> {
  const child = startCommand(...args)
  started.push(child)
  return child
}

/** What the command has written when that text has come out of it. */
async function until(stream: NodeJS.ReadableStream, text: string): Promise<string> {
  let seen = ''
  while (!seen.includes(text)) seen += String(((await once(stream, 'data')) as [Buffer])[0])
  return seen
}

describe('as the input comes', () => {
  test.each(PAIRS)(
    'convert writes the first text of $from to $to before the rest is there',
    async ({ from, to }) => {
      const child = start('convert', '--from', from, '--to', to)
      const sse = SMALL[from]
      const half = sse.indexOf('\n\n', sse.indexOf('It rains.')) + 2
      child.stdin.write(sse.slice(0, half))
      const first = await until(child.stdout, 'It rains.')
      expect(first).not.toContain('weather')
      child.stdin.end(sse.slice(half))
      await until(child.stdout, 'weather')
      expect(await endOf(child)).toBe(0)
    },
  )

  test('blocks shows a block when it is complete', async () => {
    const child = start('blocks', '--wire', 'anthropic-messages')
    const sse = SMALL['anthropic-messages']
    const half = sse.indexOf('event: content_block_start', sse.indexOf('It rains.'))
    child.stdin.write(sse.slice(0, half))
    expect(await until(child.stdout, '\n')).toBe('  0  text               9 chars  It rains.\n')
    child.stdin.end(sse.slice(half))
    child.stdout.resume()
    expect(await endOf(child)).toBe(0)
  })

  test('lint says a finding when it is found', async () => {
    const child = start('lint')
    const [first = '', second = ''] = SMALL['openai-chat'].split(/(?<=\n\n)/)
    child.stdin.write(first)
    child.stdin.write(`event: chunk\n${second}`)
    expect(await until(child.stdout, '\n')).toMatch(/^frame {4}2 {2}warning {2}S5/)
    child.stdin.end()
    child.stdout.resume()
    expect(await endOf(child)).toBe(1)
  })

  test('a wrong wire is said at once, without waiting for the end', async () => {
    const child = start('blocks', '--wire', 'anthropic-messages')
    child.stdin.write(SMALL['openai-chat'].split('\n\n')[0] + '\n\n')
    expect(await until(child.stderr, '\n')).toContain('not anthropic-messages but openai-chat')
    expect(await endOf(child)).toBe(2)
  })
})

/** A Chat stream of that many chunks, in buffers of a thousand. */
function* longStream(chunks: number): Generator<string> {
  const delta = (content: string): string =>
    `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}\n\n`
  yield delta('').replace('"content":""', '"role":"assistant","content":""')
  for (let i = 0; i < chunks; i += 1000) yield delta('word ').repeat(1000)
  yield delta('')
    .replace('"content":""', '')
    .replace('"finish_reason":null', '"finish_reason":"stop"')
  yield 'data: [DONE]\n\n'
}

/** One whole call, which ends the one before it. */
function toCall(index: number): string {
  const call = {
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  }
  const choice = { index: 0, delta: { tool_calls: [call] }, finish_reason: null }
  return `data: ${JSON.stringify({ id: 'c', model: 'm', object: 'chat.completion.chunk', choices: [choice] })}\n\n`
}

describe('a reader that leaves early', () => {
  test.each([
    ['convert', ['convert', '--from', 'openai-chat', '--to', 'anthropic-messages']],
    ['convert on the same wire', ['convert', '--from', 'openai-chat', '--to', 'openai-chat']],
  ])('%s ends quietly, though the input goes on', async (_, args) => {
    const child = start(...args)
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += String(chunk)))
    for (const piece of longStream(50_000)) child.stdin.write(piece)
    await once(child.stdout, 'data')
    child.stdout.destroy()
    expect(await endOf(child)).toBe(0)
    expect(stderr).toBe('')
  })

  test.each([
    ['lint', ['lint'], () => SMALL['openai-chat'].replaceAll('data: {', 'event: x\ndata: {')],
    // Another call each time: what is over is not said again, and only who writes hears of the end.
    ['blocks', ['blocks', '--wire', 'openai-chat'], toCall],
    // Again, if its last word happened to be written before the reader left: then it hears of nothing.
  ])('%s ends quietly, though the input goes on', { retry: 2 }, async (_, args, toSse) => {
    const child = start(...args)
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += String(chunk)))
    let count = 0
    const writing = setInterval(() => child.stdin.write(toSse(count++)), 20)
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const code = await endOf(child)
    clearInterval(writing)
    expect(code).not.toBe('still running')
    expect(stderr).toBe('')
  })
})

describe('a long input', () => {
  /** The most memory that the process has had, in bytes; 0 where the system does not say. */
  const peakOf = async (pid: number | undefined): Promise<number> => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
  }

  test.each([
    ['convert', ['convert', '--from', 'openai-chat', '--to', 'openai-responses']],
    ['convert on the same wire', ['convert', '--from', 'openai-chat', '--to', 'openai-chat']],
    ['lint', ['lint']],
    ['blocks', ['blocks', '--wire', 'openai-chat']],
  ])('%s reads 50 MB in bounded memory', async (_, args) => {
    const child = start(...args)
    child.stdout.resume()
    let sent = 0
    for (const piece of longStream(370_000)) {
      sent += piece.length
      if (!child.stdin.write(piece)) await once(child.stdin, 'drain')
    }
    const peak = await peakOf(child.pid)
    child.stdin.end()
    expect(await endOf(child, 60_000)).toBe(0)
    expect(sent).toBeGreaterThan(50_000_000)
    expect(peak).toBeLessThan(200 * 1024 * 1024)
  })
})
