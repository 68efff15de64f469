/**
 * The package as others get it: packed, installed into an empty project, imported by name, on every
 * runtime at hand. Needs what `npm run build` makes; `npm test` runs that first.
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

const STREAM = [
  `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Grüße, "},"finish_reason":null}]}`,
  `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Welt 🌊"},"finish_reason":null}]}`,
  `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
  `[DONE]`,
]
  .map((data) => `data: ${data}\n\n`)
  .join('')

/** Reads the stream byte by byte, writes it on another wire, and says what came of both. */
const program = (from: string): string => `
import { WIRES, createFrameDecoder } from ${JSON.stringify(from)}

const bytes = new TextEncoder().encode(${JSON.stringify(STREAM)})
const frames = createFrameDecoder()
const decoder = WIRES['openai-chat'].createDecoder()
const read = [...bytes].flatMap((byte) => frames.push(Uint8Array.of(byte)))
const events = [...read, ...frames.end()].flatMap((frame) => decoder.push(frame))
events.push(...decoder.end())

const encoder = WIRES['anthropic-messages'].createEncoder()
const written = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
const text = events.map((event) => (event.type === 'block-delta' ? event.delta.text : '')).join('')
const finish = events.find((event) => event.type === 'finish')?.reason
const names = written.join('').match(/^event: .*$/gm)?.map((line) => line.slice(7))
const result = JSON.stringify({ text, finish, first: names?.at(0), last: names?.at(-1) })
if (globalThis.document) document.body.textContent = result
else console.log(result)
`

const EXPECTED = JSON.stringify({
  text: 'Grüße, Welt 🌊',
  finish: 'stop',
  first: 'message_start',
  last: 'message_stop',
})

let folder = '' // all that these tests write
let project = '' // an empty project with the package installed
let packed: readonly string[] = [] // what is in the package

beforeAll(async () => {
  if (!existsSync(join(ROOT, 'dist/index.js'))) {
    throw new Error('Cannot test the package before it is built: run npm run build')
  }
  folder = await mkdtemp(join(tmpdir(), 'sluice-package-'))
  project = join(folder, 'project')
  await mkdir(project)
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await run('npm', pack, { cwd: ROOT })
  const [report] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }]
  packed = report.files.map((file) => file.path)

  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
  await writeFile(join(project, 'program.js'), program('sluice'))
  const install = [
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    join(folder, report.filename),
  ]
  await run('npm', install, { cwd: project })
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the package', () => {
  test('holds what was built and the papers, and nothing else', () => {
    const papers = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']
    const others = packed.filter(
      (path) => !papers.includes(path) && !/^(bin|dist|schema)\//.test(path),
    )
    expect(others).toEqual([])
    expect(packed.filter((path) => path.includes('.test.'))).toEqual([])
    expect(packed).toEqual(expect.arrayContaining(['LICENSE', 'bin/sluice.js', 'dist/index.js']))
  })

  test('brings along what the gateway needs, and nothing that builds or tests it', async () => {
    const installed = await readdir(join(project, 'node_modules'))
    expect(installed).toEqual(expect.arrayContaining(['sluice', 'undici', 'yaml']))
    for (const name of ['typescript', 'vitest', 'openai', 'zod'])
      expect(installed).not.toContain(name)
  })

  test('imports node: modules and packages in the gateway and the command only', async () => {
    const outward = /\b(?:from|import|require)\s*\(?\s*['"][^.'"]/
    const read = async (path: string): Promise<string> =>
      withoutComments(await readFile(join(ROOT, path), 'utf8'))
    for (const door of ['dist/index.js', 'dist/index.d.ts']) {
      const reached = await filesBehind(door, read)
      expect(reached.length).toBeGreaterThan(3)
      for (const path of reached)
        expect({ path, isOutward: outward.test(await read(path)) }).toEqual({
          path,
          isOutward: false,
        })
    }
    const behindServer = await filesBehind('dist/server.js', read)
    const texts = await Promise.all(behindServer.map(read))
    expect(texts.some((text) => outward.test(text))).toBe(true)
  })

  test('decodes a stream when imported by name', async () => {
    expect(await printed(process.execPath, ['program.js'])).toBe(EXPECTED)
  })

  test('runs and tests a policy when the face for authors is imported by name', async () => {
    await writeFile(
      join(project, 'policy.js'),
      `import { rules, testPolicy } from 'sluice/policy'
const policy = rules({ deny: [{ tools: ['Bash'], reason: 'No shell.' }] })
const { verdict, text, calls } = await testPolicy(policy).onToolCall('Bash', { command: 'ls' })
console.log(verdict, text.includes('No shell.'), calls.length)\n`,
    )
    expect(await printed(process.execPath, ['policy.js'])).toBe('deny true 0')
  })

  test('decodes a stream when bundled for a browser', async () => {
    const result = await build({
      configFile: false,
      root: project,
      logLevel: 'silent',
      build: { write: false, lib: { entry: 'program.js', formats: ['es'] } },
    })
    const [bundle] = [result].flat()
    if (bundle === undefined || !('output' in bundle)) throw new Error('Vite gave no bundle')
    expect(bundle.output).toHaveLength(1)
    const { code } = bundle.output[0]
    expect(code).not.toMatch(/["'`]node:|browser-external/)
    await writeFile(join(project, 'bundle.js'), code)
    expect(await printed(process.execPath, ['bundle.js'])).toBe(EXPECTED)
  })

  test('runs the examples, which know it by name only', async () => {
    await cp(join(ROOT, 'examples'), join(project, 'examples'), { recursive: true })
    const out = await printed(process.execPath, ['examples/deny-a-call.js'])
    expect(out).toContain('event: message_stop')
    expect(out).toContain('I may not call shell')
    expect(out).not.toContain('"partial_json":"{\\"command\\":\\"rm')
    expect(out).toContain('"partial_json":"{\\"command\\":\\"ls')
  })

  test('installs a command', async () => {
    const command = join(project, 'node_modules/.bin/sluice')
    const { stdout } = await run(command, ['--help'])
    expect(stdout).toContain('sluice')
  })

  test('says what to do when the command was not built', async () => {
    await cp(join(ROOT, 'bin'), join(folder, 'unbuilt/bin'), { recursive: true })
    await writeFile(join(folder, 'unbuilt/package.json'), '{ "type": "module" }\n')
    const { status, stderr } = spawnSync(process.execPath, ['bin/sluice.js'], {
      cwd: join(folder, 'unbuilt'),
      encoding: 'utf8',
    })
    expect(stderr).toBe('Cannot find the built program: run npm run build first\n')
    expect(status).toBe(2)
  })
})

describe('the types', () => {
  const EXAMPLE = `
import { WIRES, createFrameDecoder, type Frame, type StreamEvent } from 'sluice'

const frames: readonly Frame[] = createFrameDecoder().push(new TextEncoder().encode('data: 1\\n\\n'))
const events: StreamEvent[] = frames.flatMap((frame) => WIRES['openai-chat'].createDecoder().push(frame))
export const texts: string[] = events.flatMap((event) =>
  event.type === 'block-delta' && event.delta.type === 'text' ? [event.delta.text] : [],
)
`

  // Without Node's types and with our declarations checked: they must stand on their own.
  const check = (file: string, ...resolution: string[]): Promise<string> => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const flags = '--ignoreConfig --noEmit --strict --target ES2023 --lib ES2023,DOM --types'.split(
      ' ',
    )
    return printed(process.execPath, [tsc, ...flags, '', ...resolution, file])
  }

  test('let an example compile, as Node resolves it and as a bundler does', async () => {
    await writeFile(join(project, 'example.ts'), EXAMPLE)
    expect(await check('example.ts', '--module', 'nodenext')).toBe('')
    expect(await check('example.ts', '--module', 'esnext', '--moduleResolution', 'bundler')).toBe(
      '',
    )
  })

  test('find out what a policy of one’s own is handed', async () => {
    const policy = `
import { definePolicy, deny, pass, testPolicy, type Policy } from 'sluice/policy'

export const policy: Policy = definePolicy({
  name: 'typed',
  holds: ['tool-call'],
  memory: () => ({ count: 0 }),
  judge(block, ctx) {
    const times: number = ++ctx.memory.count
    const name: string = block.name
    return times > 3 ? deny(name) : pass()
  },
})
export const verdict: Promise<string> = testPolicy(policy).onToolCall('x').then((one) => one.verdict)
`
    await writeFile(join(project, 'typed.ts'), policy)
    expect(await check('typed.ts', '--module', 'nodenext')).toBe('')
    const wrong = policy.replace('name: string = block.name', 'name: string = block.nam')
    await writeFile(join(project, 'mistyped.ts'), wrong)
    expect(await check('mistyped.ts', '--module', 'nodenext')).toMatch(/mistyped\.ts.*error TS/)
  })

  test('refuse a wrong use', async () => {
    await writeFile(
      join(project, 'wrong.ts'),
      EXAMPLE.replace('texts: string[]', 'texts: number[]'),
    )
    expect(await check('wrong.ts', '--module', 'nodenext')).toMatch(/wrong\.ts.*error TS2322/)
  })
})

describe('another runtime', () => {
  const platform = `${process.platform}-${process.arch}`
  const judge = (paths: Readonly<Record<string, string>>): string | undefined => {
    const path = paths[platform]
    return path && present([join(ROOT, 'test/judges/node_modules', path)])
  }
  const bun = judge({
    'darwin-arm64': '@oven/bun-darwin-aarch64/bin/bun',
    'linux-arm64': '@oven/bun-linux-aarch64/bin/bun',
    'linux-x64': '@oven/bun-linux-x64/bin/bun',
  })
  const deno = judge({
    'darwin-arm64': '@deno/darwin-arm64/deno',
    'linux-arm64': '@deno/linux-arm64-glibc/deno',
    'linux-x64': '@deno/linux-x64-glibc/deno',
  })
  const chromium = present([
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ])

  for (const [name, path] of Object.entries({ Bun: bun, Deno: deno, Chromium: chromium })) {
    if (path === undefined)
      console.warn(`Not tested on ${name}: none that runs on ${platform} is here`)
  }

  test.skipIf(bun === undefined)('decodes a stream: Bun', async () => {
    expect(await printed(bun ?? '', ['program.js'])).toBe(EXPECTED)
  })

  test.skipIf(deno === undefined)('decodes a stream: Deno', async () => {
    const flags = ['run', '--quiet', '--no-lock', '--no-remote', '--node-modules-dir=manual']
    expect(await printed(deno ?? '', [...flags, 'program.js'])).toBe(EXPECTED)
  })

  test.skipIf(chromium === undefined)('decodes a stream: a browser, from plain files', async () => {
    const site = await serve({
      '/': `<!doctype html><meta charset="utf-8"><body><script type="module">${program('/dist/index.js')}</script>`,
    })
    const flags = '--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --dump-dom'.split(
      ' ',
    )
    const limits = [`--user-data-dir=${join(folder, 'chromium')}`, '--virtual-time-budget=20000']
    try {
      expect(await printed(chromium ?? '', [...flags, ...limits, site.url])).toContain(EXPECTED)
    } finally {
      await site.close()
    }
  })
})

/** A file of the package and all that it imports, and they import. */
async function filesBehind(
  door: string,
  read: (path: string) => Promise<string>,
): Promise<readonly string[]> {
  const found = new Set([door])
  for (const path of found) {
    const text = await read(path)
    for (const [, name = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
      const to = join(dirname(path), name)
      found.add(path.endsWith('.d.ts') ? to.replace(/\.[jt]s$/, '.d.ts') : to)
    }
  }
  return [...found]
}

/** What a process in the project prints, whether or not it is content with what it does. */
async function printed(command: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1' }
  try {
    return (await run(command, args, { cwd: project, env })).stdout.trim()
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    return `${stdout ?? ''}${stderr ?? String(error)}`
  }
}

/** The first of those programs that is there and runs. */
function present(paths: readonly string[]): string | undefined {
  return paths.find((path) => existsSync(path) && spawnSync(path, ['--version']).status === 0)
}

/** A server on loopback for some pages, and for what was built under `/dist/`. */
async function serve(
  pages: Readonly<Record<string, string>>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const page = pages[path]
    if (page !== undefined) {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(page)
    } else if (/^\/dist\/[\w/-]+\.js$/.test(path)) {
      response.setHeader('content-type', 'text/javascript; charset=utf-8')
      readFile(join(ROOT, path)).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      )
    } else {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}

/** Words in a comment import nothing. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')
}
