/**
 * A recorded request → a command that sends the same bytes to the same gateway. Neighbours: `actions.tsx` copies it. Text
 * of others goes into somebody's shell: everything stands in single quotes, and what a terminal would not take as it is,
 * or a person would not read as it is, goes as base64. The key stays a variable.
 */
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { toSentHeaders } from './actions-headers.ts'
import { toBase64, toExactText } from './raw-bytes.ts'

type Exchange = Pick<
  ExchangeAnswer['exchange'],
  'method' | 'endpoint' | 'query' | 'wire' | 'isStream' | 'requestHeaders'
>

/** Linux takes 128 KB in one argument; a builtin such as `printf` has no such limit. */
const MAX_ARGUMENT = 100_000

export function toCurl(origin: string, exchange: Exchange, body: Uint8Array): string {
  const { method, endpoint, query, isStream } = exchange
  const head = [
    `curl ${isStream ? '-N ' : ''}${quote(`${origin}${endpoint}${query}`)}`,
    ...(method === 'POST' || body.length === 0 ? [] : [`-X ${quote(method)}`]),
    ...toSentHeaders(exchange.requestHeaders).map(
      ([name, value]) => `-H ${quote(`${name}: ${value}`)}`,
    ),
    `-H "${keyHeader(exchange)}"`,
  ]
  const lines = (...more: readonly string[]): string => [...head, ...more].join(' \\\n  ')
  if (body.length === 0) return lines(...(method === 'GET' ? [] : [`-X ${quote(method)}`]))
  const text = toExactText(body)
  if (text === undefined || !isPlain(text))
    return `printf %s ${quote(toBase64(body))} | base64 -d | ${lines('--data-binary @-')}`
  return body.length <= MAX_ARGUMENT
    ? lines(`--data-raw ${quote(text)}`)
    : `printf %s ${quote(text)} | ${lines('--data-binary @-')}`
}

/** As one word, for any POSIX shell: between single quotes nothing means anything but the quote. */
export const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const keyHeader = ({ wire }: Exchange): string =>
  wire === 'anthropic-messages' ? 'x-api-key: $SLUICE_KEY' : 'authorization: Bearer $SLUICE_KEY'

/** Control characters end a paste or start something; marks of direction show other words than there are. */
const NOT_PLAIN =
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/u

const isPlain = (text: string): boolean => !NOT_PLAIN.test(text)
