/**
 * The way out to the network: straight, or through a proxy, trusting the authorities that this machine
 * and the config name. Neighbours: `http.ts`. Knows no request.
 */
import { readFileSync } from 'node:fs'
import { createSecureContext, rootCertificates } from 'node:tls'
import { Agent, EnvHttpProxyAgent, ProxyAgent, type Dispatcher } from 'undici'
import { createConnector } from './direct-reads.ts'
import type { HttpUpstreamSettings } from './settings.ts'

type Env = Readonly<Record<string, string | undefined>>

export function createDispatcher(settings: HttpUpstreamSettings, env: Env): Dispatcher {
  const { hostname, protocol } = new URL(settings.baseUrl)
  const ca = protocol === 'https:' ? authorities(settings, env) : undefined
  // Made once: reading some hundred certificates for every connection would take longer than the call.
  const tls = ca === undefined ? {} : { secureContext: createSecureContext({ ca }) }
  const options = {
    connect: { timeout: settings.limits.connect, ...tls },
    // One request at a time on a connection: an answer takes minutes.
    pipelining: 1,
    // An agent asks again within a minute, mostly; proxies in front of vendors close after sixty seconds.
    keepAliveTimeout: 55_000,
    maxHeaderSize: 64 * 1024,
  }
  if (settings.proxy !== undefined && settings.proxy !== '')
    return new ProxyAgent({ ...options, uri: settings.proxy, requestTls: options.connect })
  // A model on this machine is never behind a proxy, whatever the environment forgot to except.
  if (settings.proxy === '' || isLoopbackName(hostname) || !hasProxy(env))
    return new Agent({ ...options, connect: createConnector(options.connect) })
  return new EnvHttpProxyAgent({
    ...options,
    requestTls: options.connect,
    httpProxy: env['http_proxy'] ?? env['HTTP_PROXY'] ?? '',
    httpsProxy: env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '',
    noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
  })
}

const hasProxy = (env: Env): boolean =>
  ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'].some(
    (name) => (env[name] ?? '') !== '',
  )

/** Whether that host name or address is this machine. */
export const isLoopbackName = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '::1' ||
  host === '[::1]' ||
  /^127(?:\.\d{1,3}){3}$/.test(host)

/** Naming authorities replaces the ones that Node brings, so those are named too. */
function authorities(settings: HttpUpstreamSettings, env: Env): string[] | undefined {
  // Node reads NODE_EXTRA_CA_CERTS by itself only while no list is given.
  const file = env['SSL_CERT_FILE'] ?? ''
  const extra = env['NODE_EXTRA_CA_CERTS'] ?? ''
  if (settings.ca === undefined && file === '') return undefined
  return [
    ...rootCertificates,
    ...[file, extra].filter((path) => path !== '').flatMap(readIfThere),
    ...(settings.ca === undefined ? [] : [settings.ca]),
  ]
}

/** A variable may name a file that is gone: other programs do without it too. */
function readIfThere(path: string): string[] {
  try {
    return [readFileSync(path, 'utf8')]
  } catch {
    return []
  }
}
