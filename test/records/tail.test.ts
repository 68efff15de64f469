/** `sluice tail` as a person runs it: on a gateway of its own, through a restart, and into pipes. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { endOf, sluice, start } from '../support/command.ts'
import { allTo, httpUpstream } from '../support/gateway.ts'
import { startRecorded } from '../support/recorded-gateway.ts'

const home = mkdtempSync(join(tmpdir(), 'sluice-tail-'))
const before = process.env['XDG_STATE_HOME']
const children: ChildProcessWithoutNullStreams[] = []
beforeAll(() => void (process.env['XDG_STATE_HOME'] = home))
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGTERM')
    await endOf(child)
  }
})
afterAll(() => {
  if (before === undefined) delete process.env['XDG_STATE_HOME']
  else process.env['XDG_STATE_HOME'] = before
  rmSync(home, { recursive: true })
})

interface Spoken {
  readonly child: ChildProcessWithoutNullStreams
  until(words: RegExp): Promise<string>
}

function run(...args: readonly string[]): Spoken {
  const child = start(...args)
  children.push(child)
  let said = ''
  let wake = (): void => {}
  const hear = (chunk: Buffer): void => {
    said += chunk.toString()
    wake()
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  child.on('exit', () => wake())
  return {
    child,
    async until(words) {
      while (!words.test(said)) {
        if (child.exitCode !== null) throw new Error(`It ended: ${said}`)
        await new Promise<void>((resolve) => (wake = resolve))
      }
      return said
    },
  }
}

async function serve(port = '0'): Promise<{ gateway: Spoken; url: string; port: string }> {
  const gateway = run('serve', '--port', port)
  const said = await gateway.until(/Point a client at it/)
  const url = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said)
  return { gateway, url: url?.[0] ?? '', port: url?.[1] ?? '' }
}

async function ask(url: string, model: string, text = 'Hello'): Promise<string> {
  const tool = { name: 'Bash', input_schema: { type: 'object' } }
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'user-agent': 'tester/1' },
    body: JSON.stringify({
      model,
      max_tokens: 100,
      stream: true,
      messages: [{ role: 'user', content: text }],
      tools: [tool],
    }),
  })
  return await response.text()
}

test('shows exchanges and their blocks, only those that were asked for, also after a restart', async () => {
  const { gateway, url, port } = await serve()
  const tail = run('tail', '--model', 'demo-t*')
  await tail.until(/Watching/)
  await ask(url, 'demo-length')
  await ask(url, 'demo-tool')
  const said = await tail.until(/■/)
  expect(said).toMatch(/→ {2}demo-tool {2}tester\/1 {2}\/v1\/messages/)
  expect(said).toMatch(/tool-call {2}Bash {2}\{/)
  expect(said).toMatch(/■ {2}200 {2}\d+ ms {2}\d+ in, \d+ out/)
  expect(said).not.toContain('demo-length')
  expect(said).not.toContain('\u001b')
  gateway.child.kill('SIGTERM')
  await endOf(gateway.child)
  await tail.until(/The gateway is gone: waiting for it/)
  // With another token, which it finds.
  await serve(port)
  await tail.until(/gone: waiting[^]*Watching/)
  await ask(url, 'demo-thinking')
  await tail.until(/→ {2}demo-thinking[^]*thinking[^]*■/)
}, 60_000)

test('follows one exchange to its end, and says so when it is over', async () => {
  const upstream = await startHeldUpstream()
  const gateway = await startRecorded(allTo(httpUpstream(upstream.url)))
  process.env['SLUICE_URL'] = gateway.url
  process.env['SLUICE_TOKEN'] = gateway.adminToken()
  try {
    const all = run('tail', '--json')
    await all.until(/"event":"state"/)
    const answer = ask(gateway.url, 'm')
    const said = await all.until(/"event":"begun"/)
    const id = /"exchange":\{"id":"(\w+)"/.exec(said)?.[1] ?? ''
    const one = run('tail', id)
    await one.until(/Hello/)
    upstream.go()
    expect(await endOf(one.child)).toBe(0)
    expect(await one.until(/■ {2}200/)).toMatch(/Hello, world\nBye\n/)
    await answer
    const events = await all.until(/"event":"finished"/)
    expect(events.match(/"event":"\w+"/g)).toEqual(
      ['state', 'begun', 'block', 'block', 'finished'].map((event) => `"event":"${event}"`),
    )
    await gateway.kept(1)
    const late = await sluice(['tail', id])
    expect([late.code, late.stderr]).toEqual([1, `sluice: It is over: sluice show ${id}\n`])
    // Who reads along has gone: it ends with the next thing that it says.
    all.child.stdout.destroy()
    await ask(gateway.url, 'm')
    expect(await endOf(all.child)).toBe(0)
  } finally {
    delete process.env['SLUICE_URL']
    delete process.env['SLUICE_TOKEN']
    await gateway.close(0)
    upstream.close()
  }
}, 60_000)

test('says what to do where there is no gateway', async () => {
  const { code, stderr } = await sluice(['tail'])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/No gateway runs here/)])
})

/** An upstream that goes on when it is told to. */
async function startHeldUpstream() {
  let go = (): void => {}
  const gone = new Promise<void>((resolve) => (go = resolve))
  const frame = (data: { type: string; [field: string]: unknown }): string =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
  const text = (index: number, ...pieces: readonly string[]): string[] => [
    frame({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } }),
    ...pieces.map((piece) =>
      frame({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: piece } }),
    ),
  ]
  const stop = (index: number): string => frame({ type: 'content_block_stop', index })
  const message = { id: 'msg_1', role: 'assistant', model: 'm', content: [], usage: {} }
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write([frame({ type: 'message_start', message }), ...text(0, 'Hello')].join(''))
    const [start = '', ...rest] = text(1, 'Bye')
    const last = [
      ...text(0, ', world').slice(1),
      stop(0),
      start,
      ...rest,
      stop(1),
      frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }),
      frame({ type: 'message_stop' }),
    ]
    void gone.then(() => response.end(last.join('')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, go, close: () => void server.close() }
}
