/**
 * Where to listen, and who may ask: addresses, host names, origins. Neighbours: `field.ts` has the
 * contract, `shape.ts` uses them, `load.ts` asks whether an address can be reached from outside.
 */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import { fill, refuse, refuseKind, type Field } from './field.ts'
import { isNo, isText, mapField, text } from './text.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Whether only this machine can reach it. A name that we cannot be sure of is not loopback. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true
  if (isIPv4(host)) return LOOPBACK.check(host, 'ipv4')
  return isIPv6(host) && LOOPBACK.check(host, 'ipv6')
}

const FORMS =
  'write host:port as in 127.0.0.1:4141 or "[::1]:4141", or a port from 0 to 65535 (0: any free one)'

/** `127.0.0.1:4141`, `"[::1]:4141"`, `:4141` or `4141`, the last two on loopback. */
export const address: Field<Address> = {
  schema: {
    anyOf: [
      { type: 'integer', minimum: 0, maximum: 65_535 },
      { type: 'string', minLength: 1 },
    ],
  },
  read(spot, reading) {
    const { node } = spot
    if (node.kind !== 'scalar' || node.value === null || typeof node.value === 'boolean')
      return refuseKind(spot, reading, 'host:port or a port')
    const typed = isText(spot) ? fill(spot, reading)?.text : node.text
    if (typed === undefined) return undefined
    return toAddress(typed) ?? refuse(spot, reading, () => isNo(node, 'address', FORMS))
  },
}

function toAddress(typed: string): Address | undefined {
  const [, name, digits = ''] = /^(?:(.*):)?(\d{1,5})$/.exec(typed) ?? []
  const port = digits === '' ? Number.NaN : Number(digits)
  if (!(port <= 65_535)) return undefined
  if (name === undefined || name === '') return { host: '127.0.0.1', port }
  const inside = /^\[(.*)\]$/.exec(name)?.[1]
  if (inside !== undefined) return isIPv6(inside) ? { host: inside, port } : undefined
  return isHostName(name) ? { host: name.toLowerCase(), port } : undefined
}

function isHostName(name: string): boolean {
  if (isIPv4(name)) return true
  // All digits and dots that are no address: 300.0.0.1, which a resolver would look up somewhere.
  if (/^[\d.]+$/.test(name)) return false
  return name.length <= 253 && /^[a-z\d_](?:[a-z\d_-]*[a-z\d_])?(?:\.[a-z\d_-]+)*\.?$/i.test(name)
}

/** A name that a `Host` header may carry. */
export const hostName: Field<string> = mapField(
  text({
    takes: 'a host name',
    maxLength: 253,
    check: (name) =>
      isHostName(name) || isIP(bare(name)) !== 0
        ? undefined
        : 'it is no host name: write it without scheme and port, as in gateway.example',
  }),
  (name) => bare(name).toLowerCase(),
)

const bare = (name: string): string => name.replace(/^\[(.*)\]$/, '$1')

/** A web page's origin. Not only http: editors and extensions have schemes of their own. */
export const origin: Field<string> = mapField(
  text({
    takes: 'an origin such as https://tools.example',
    maxLength: 300,
    check: (value) =>
      /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+\/?$/i.test(value)
        ? undefined
        : 'it is no origin: write scheme and host as in https://tools.example, one for each page',
  }),
  (value) => value.replace(/\/$/, '').toLowerCase(),
)
