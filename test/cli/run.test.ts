/**
 * `sluice run` as a person uses it: a client on the PATH, a gateway for the time of the run, and
 * everything else as if the client had been started without us.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fetchRaw } from '../support/raw-client.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const SLUICE = fileURLToPath(new URL('../../bin/sluice.js', import.meta.url))

/** A client that tells what it was given, and does what the variable FAKE says. */
const FAKE = `
const { FAKE: todo, ...env } = process.env
const tell = (more) => console.log(JSON.stringify({ args: process.argv.slice(2), env, ...more }))
const base = env.ANTHROPIC_BASE_URL
if (todo === 'ask') {
  const health = await (await fetch(base + '/health')).json()
  const answer = await fetch(base + '/v1/messages', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer ' + env.ANTHROPIC_AUTH_TOKEN,
    },
    body: JSON.stringify({
      model: 'demo',
      max_tokens: 99,
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  })
  tell({ health, status: answer.status, answer: await answer.text() })
} else if (todo === 'echo') {
  process.stdin.pipe(process.stdout)
  process.stderr.write('to stderr')
} else if (todo === 'wait') {
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'])
    process.on(signal, () => {
      console.log(signal)
      process.exit(5)
    })
  setInterval(() => {}, 1000)
  tell({})
} else if (todo === 'die') process.kill(process.pid, 'SIGKILL')
else {
  tell({})
  process.exitCode = Number(todo ?? 0)
}
`

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-run-'))
  await mkdir(join(folder, 'home'))
  await writeFile(join(folder, 'fake.mjs'), FAKE)
  for (const name of ['claude', 'codex', 'opencode', 'qwen', 'mine']) {
    const script = `#!/bin/sh\nexec "${process.execPath}" "${join(folder, 'fake.mjs')}" "$@"\n`
    await writeFile(join(folder, name), script)
    await chmod(join(folder, name), 0o755)
  }
  await writeFile(join(folder, 'no-program'), 'nothing')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let upstreams: TestUpstream[] = []
afterEach(async () => {
  for (const upstream of upstreams) await upstream.close()
  upstreams = []
})

/** A server that says of itself what it is asked to. */
async function startOther(health: string): Promise<TestUpstream> {
  const upstream = await startUpstream()
  upstreams.push(upstream)
  upstream.always({ body: health, headers: { 'content-type': 'application/json' } })
  return upstream
}

async function writeConfig(yaml: string): Promise<string> {
  const file = join(folder, 'some.yaml')
  await writeFile(file, yaml)
  return file
}

type Variables = Readonly<Record<string, string>>

/** Where nothing listens, so that a gateway on the usual port of this machine is not found. */
const NOWHERE = ['--port', '0']

function start(args: readonly string[], env: Variables = {}): ChildProcess {
  return spawn(process.execPath, [SLUICE, 'run', ...args], {
    cwd: folder,
    env: { PATH: folder, HOME: join(folder, 'home'), ...env },
  })
}

interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

async function run(args: readonly string[], env?: Variables, input = ''): Promise<Ran> {
  const child = start(args, env)
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (piece: Buffer) => (texts[name] += piece.toString()))
  child.stdin?.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...texts }
}

interface Told {
  readonly args: readonly string[]
  readonly env: Variables
  readonly health?: unknown
  readonly status?: number
  readonly answer?: string
}

async function told(args: readonly string[], env?: Variables): Promise<Told> {
  const { stdout, stderr } = await run(args, env)
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Told
}

describe('the client', () => {
  test('gets its arguments as they were typed', async () => {
    const args = ['', 'a b', '--help', '-h', '--', '--config', 'x', '*', '"$HOME"', 'é\n', '-']
    expect((await told([...NOWHERE, 'mine', ...args].toSpliced(2, 0, '--'))).args).toEqual(args)
    expect((await told([...NOWHERE, 'qwen', ...args])).args).toEqual(args)
  })

  test('has the terminal: its input, its output and its exit code are ours', async () => {
    const input = 'one\ntwo'
    expect(await run([...NOWHERE, 'codex'], { FAKE: 'echo' }, input)).toEqual({
      code: 0,
      stdout: input,
      stderr: 'to stderr',
    })
    expect((await run([...NOWHERE, 'codex'], { FAKE: '7' })).code).toBe(7)
  })

  test('that a signal ended has the code of a shell', async () => {
    expect((await run([...NOWHERE, 'codex'], { FAKE: 'die' })).code).toBe(137)
  })

  test.each(['SIGTERM', 'SIGHUP'] as const)('is sent the %s that we get', async (signal) => {
    const child = start([...NOWHERE, 'claude'], { FAKE: 'wait' })
    await once(child.stdout ?? child, 'data')
    child.kill(signal)
    const [heard] = (await once(child.stdout ?? child, 'data')) as [Buffer]
    expect(heard.toString()).toBe(`${signal}\n`)
    expect(await once(child, 'close')).toEqual([5, null])
  })

  test('has the SIGINT of the terminal already, and we wait for its end', async () => {
    const child = start([...NOWHERE, 'claude'], { FAKE: 'wait' })
    await once(child.stdout ?? child, 'data')
    child.kill('SIGINT')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(child.exitCode ?? child.signalCode).toBeNull()
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([5, null])
  })
})

describe('the gateway', () => {
  test('is there for the time of the run, on the demo if nothing else is said', async () => {
    const { health, status, answer, env } = await told([...NOWHERE, 'claude'], { FAKE: 'ask' })
    expect(health).toMatchObject({ name: 'sluice' })
    expect({ status, answer }).toMatchObject({ status: 200 })
    expect(answer).toContain('message_stop')
    expect(await fetchRaw(`${env['ANTHROPIC_BASE_URL']}/health`)).toMatchObject({ end: 'failed' })
  })

  test('that already answers is used, and left running', async () => {
    const other = await startOther('{"name":"sluice"}')
    const { env } = await told(['--port', String(other.port), 'claude'])
    expect(env['ANTHROPIC_BASE_URL']).toBe(other.url)
    expect(other.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /health'])
  })

  test.each(['{"name":"else"}', 'nothing'])(
    'is not something else that answers %s there',
    async (says) => {
      const other = await startOther(says)
      const config = await writeConfig(`listen: 127.0.0.1:${other.port}\n`)
      const { env, health } = await told(['--config', config, 'claude'], { FAKE: 'ask' })
      expect(env['ANTHROPIC_BASE_URL']).not.toBe(other.url)
      expect(health).toMatchObject({ name: 'sluice' })
    },
  )

  test('sends the credential of the person to an upstream that has none', async () => {
    const provider = await startOther('{}')
    const config = await writeConfig(`
upstreams:
  real: { wire: anthropic-messages, baseUrl: "${provider.url}" }
routes:
  - { model: "*", to: real }
`)
    const { env } = await told([...NOWHERE, '--config', config, 'claude'])
    expect(env).not.toHaveProperty('ANTHROPIC_AUTH_TOKEN')
    await run([...NOWHERE, '--config', config, 'claude'], {
      FAKE: 'ask',
      ANTHROPIC_AUTH_TOKEN: 'mine',
    })
    expect(provider.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer mine'])
  })

  test('that asks for keys is told to the person before the client starts', async () => {
    const config = await writeConfig(`
keys:
  - { name: me, key: "a-key-that-is-long-enough" }
`)
    expect(await run([...NOWHERE, '--config', config, 'claude'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'sluice: This gateway asks for a key: put yours into SLUICE_KEY\n',
    })
    const { env, status } = await told([...NOWHERE, '--config', config, 'claude'], {
      FAKE: 'ask',
      SLUICE_KEY: 'a-key-that-is-long-enough',
    })
    expect(env['ANTHROPIC_AUTH_TOKEN']).toBe('a-key-that-is-long-enough')
    expect(status).toBe(200)
  })
})

describe('the environment', () => {
  test('has a word in place of a credential that nobody needs', async () => {
    const { env } = await told([...NOWHERE, 'claude'])
    expect(env['ANTHROPIC_AUTH_TOKEN']).toBe('none-needed')
    expect((await told([...NOWHERE, 'qwen'])).env['OPENAI_API_KEY']).toBe('none-needed')
  })

  test('keeps the credentials of the person', async () => {
    const own = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }
    const { env } = await told([...NOWHERE, '--', 'mine'], own)
    expect(env).toMatchObject(own)
    expect(env['OPENAI_BASE_URL']).toBe(`${env['ANTHROPIC_BASE_URL']}/v1`)
  })

  test('has a way around a proxy, if there is one', async () => {
    const proxied = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: 'example.com' }
    expect((await told([...NOWHERE, 'claude'], proxied)).env).toMatchObject({
      ...proxied,
      NO_PROXY: 'example.com,127.0.0.1',
      no_proxy: 'example.com,127.0.0.1',
    })
    expect((await told([...NOWHERE, 'claude'])).env).not.toHaveProperty('NO_PROXY')
  })
})

describe('wrong use', () => {
  const KNOWN = 'claude, codex, opencode, qwen'
  test.each([
    [[], `Say what to start: ${KNOWN}, or any command after --`],
    [['--'], `Say what to start: ${KNOWN}, or any command after --`],
    [
      ['cluade'],
      `There is no client "cluade": there are ${KNOWN}, and any command after --; did you mean claude?`,
    ],
    [[...NOWHERE, '--', 'no-such'], 'Cannot find "no-such": there is no such program'],
    [[...NOWHERE, '--', './no-program'], 'Cannot start "./no-program": it is no program'],
    [
      [...NOWHERE, './gone/codex'],
      'Cannot find "./gone/codex": install it with npm install -g @openai/codex',
    ],
    [['--port', 'x', 'claude'], '--port takes a number up to 65535: got "x"'],
    [
      ['--prot', '1', 'claude'],
      'There is no option --prot: there are --config, --port, --help; did you mean --port?',
    ],
  ])('%j gets one sentence and exit 2', async (args, sentence) => {
    expect(await run(args)).toEqual({ code: 2, stdout: '', stderr: `sluice: ${sentence}\n` })
  })

  test.each([[['--help']], [['-h']], [['--port', '1', '--help']]])('%j says how', async (args) => {
    const { code, stdout } = await run(args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^sluice run /)
  })
})
