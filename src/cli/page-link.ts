/**
 * Where a gateway is → the link to its page, and the browser that opens it. Neighbours: `banner.ts` prints the link,
 * `serve.ts` and `open.ts` open it.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Environment } from '../config/variables.ts'
import { stateFolder } from '../server/state-file.ts'

export interface PagePlace {
  readonly url: string
  /** Only one that was made for this run: one of the config stays where it is. */
  readonly token?: string | undefined
}

/** The token stands behind the #, which no browser sends anywhere. */
export function toPageLink({ url, token }: PagePlace): string {
  const link = new URL(url)
  // Nobody can go to the address that stands for all of them.
  if (link.hostname === '0.0.0.0') link.hostname = '127.0.0.1'
  if (link.hostname === '[::]') link.hostname = '[::1]'
  link.hash = token === undefined ? '' : `token=${token}`
  return link.href
}

/** Shows the page in a browser where there is a desktop; elsewhere there is the link that was printed. */
export function openPage(place: PagePlace, env: Environment = process.env): void {
  const opener = findOpener(process.platform, env)
  if (opener === undefined) return
  const target = place.token === undefined ? toPageLink(place) : tryHop(place, env)
  if (target === undefined) return
  const [program, ...words] = opener
  const child = spawn(program, [...words, target], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

function tryHop(place: PagePlace, env: Environment): string | undefined {
  try {
    return writeHop(place, env)
  } catch {
    return undefined
  }
}

/** The program that opens links, and what comes before the link. */
export function findOpener(
  platform: NodeJS.Platform,
  env: Environment,
): readonly [program: string, ...words: string[]] | undefined {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  const hasDesktop = (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== ''
  return hasDesktop ? ['xdg-open'] : undefined
}

/**
 * A file that leads on to the link. All users of a machine can read what programs were started with, and who has the token
 * may decide; this file is for one user only, as the one is that the gateway left.
 */
export function writeHop(place: PagePlace, env: Environment): string {
  const folder = stateFolder(env)
  const file = join(folder, `open-${new URL(place.url).port}.html`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  rmSync(file, { force: true })
  const link = toPageLink(place).replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const html = `<!doctype html><meta http-equiv="refresh" content="0; url=${link}"><title>Sluice</title>\n`
  writeFileSync(file, html, { mode: 0o600, flag: 'wx' })
  chmodSync(file, 0o600)
  return pathToFileURL(file).href
}
