/**
 * The page in a real browser, before a real gateway with a real SQLite file: built from its sources, so that no test sees
 * an old one. Neighbours: `browser.ts`, `recorded-gateway.ts`.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createApiClient, type ApiClient } from '../../src/api/client.ts'
import { draftConfig, type Config } from '../../src/config/load.ts'
import type { Settings } from '../../src/config/settings.ts'
import { toOrigin } from '../../src/server/config-origin.ts'
import type { GatewayOptions } from '../../src/server/gateway.ts'
import type { RecordSettings } from '../../src/store/settings.ts'
import { launchBrowser } from './browser.ts'
import { startRecorded, type RecordedGateway } from './recorded-gateway.ts'

export interface PageRig {
  readonly gateway: RecordedGateway
  readonly api: ApiClient
  readonly browser: Browser
  /** A new window, logged in, at a place such as `#/live`. What goes wrong in it fails the test by `check`. */
  open(place?: string, options?: OpenOptions): Promise<Window>
  /** Sends a request to the gateway as a client would, and gives back the whole answer. */
  ask(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<string>
  close(): Promise<void>
}

export interface Window {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of scripts, refused by the content policy, and requests to other hosts: there must be none. */
  readonly faults: readonly string[]
  close(): Promise<void>
}

interface OpenOptions {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  readonly isLoggedOut?: boolean
}

export interface RigOptions {
  /** `policies:`, `keys:` and the like; the demo upstream is there without being named. */
  readonly config?: string
  /** Variables that the config may name. */
  readonly env?: Readonly<Record<string, string>>
  readonly settings?: Partial<Settings>
  readonly record?: Partial<RecordSettings>
}

export async function startPage(options: RigOptions = {}): Promise<PageRig> {
  const { settings, record } = options
  const folder = mkdtempSync(join(tmpdir(), 'sluice-page-'))
  const config = await readConfig(options, folder)
  const [browser, gateway] = await Promise.all([
    launchBrowser(),
    builtPage().then((page) =>
      startRecorded(
        { ...config?.settings, ...settings },
        { page, record: { hasSearch: true, ...record }, ...toOriginOption(config) },
      ),
    ),
  ])
  const api = createApiClient({ url: gateway.url, token: gateway.adminToken() })
  return {
    gateway,
    api,
    browser,
    open: (place = '#/live', options = {}) => openWindow(browser, gateway, place, options),
    async ask(path, body, headers = {}) {
      const answer = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      return await answer.text()
    },
    async close() {
      await browser.close()
      await gateway.close(1000)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

let built: Promise<URL> | undefined

/** The page of this checkout, once for all files that a worker runs. */
function builtPage(): Promise<URL> {
  if (built === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-page-built-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    built = buildPage(join(folder, 'page'))
  }
  return built
}

/** In a process of its own: what the tests set in theirs would make React a development build. */
export async function buildPage(outDir: string): Promise<URL> {
  const args = ['build', '-c', 'page/vite.config.ts', '--logLevel', 'error']
  await promisify(execFile)(
    process.execPath,
    ['node_modules/vite/bin/vite.js', ...args, '--outDir', outDir, '--emptyOutDir'],
    {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
  return pathToFileURL(`${outDir}/`)
}

async function readConfig(
  { config: text, env = {} }: RigOptions,
  cwd: string,
): Promise<Config | undefined> {
  if (text === undefined) return undefined
  const config = await draftConfig({
    file: 'sluice.yaml',
    text: text.includes('upstreams:') ? text : `${DEMO}${text}`,
    env,
    cwd,
  }).load()
  return { ...config, settings: { ...config.settings, listen: { host: '127.0.0.1', port: 0 } } }
}

/** So that the page can say where each value stands. */
function toOriginOption(config: Config | undefined): Pick<GatewayOptions, 'origin'> {
  if (config === undefined) return {}
  const origin = toOrigin(config, config.settings, { readAt: Date.now() })
  return { origin: () => origin }
}

const DEMO = `upstreams:
  demo: { kind: demo, wire: anthropic-messages, pace: 5 }
`

async function openWindow(
  browser: Browser,
  gateway: RecordedGateway,
  place: string,
  { theme = 'light', width = 1280, height = 800, isLoggedOut = false }: OpenOptions,
): Promise<Window> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text())
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (/^https?:$/.test(url.protocol) && url.origin !== gateway.url) faults.push(request.url())
  })
  const link = isLoggedOut ? '' : `#token=${gateway.adminToken()}&${place}`
  await page.goto(`${gateway.url}/${link}`)
  return { page, context, faults, close: () => context.close() }
}
