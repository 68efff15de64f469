/**
 * Which of the recorded headers are sent along when a request is sent again. Neighbours: `actions-curl.ts`,
 * `actions-again.ts`. What belongs to one connection or to one request stays behind; credentials were never recorded.
 */
const LEFT_OUT =
  /^(?:host|connection|keep-alive|te|trailer|upgrade|expect|via|forwarded|origin|referer|cookie|date|priority|dnt|accept-encoding|accept-language|content-length|content-encoding|transfer-encoding|x-request-id|x-client-request-id|idempotency-key|traceparent|tracestate|baggage|authorization|x-api-key|api-key)$|^(?:sec-|proxy-|x-forwarded-|cf-|x-real-)/

/** A name as HTTP has them; anything else was made to be something else. */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/

export function toSentHeaders(
  recorded: Readonly<Record<string, string>>,
): readonly (readonly [name: string, value: string])[] {
  const kept = Object.entries(recorded).filter(
    ([name, value]) => NAME.test(name) && !LEFT_OUT.test(name.toLowerCase()) && isOneLine(value),
  )
  return kept.some(([name]) => name.toLowerCase() === 'content-type')
    ? kept
    : [['content-type', 'application/json'], ...kept]
}

// eslint-disable-next-line no-control-regex -- these are what is looked for
const isOneLine = (value: string): boolean => !/[\u0000-\u0008\u000A-\u001F\u007F]/.test(value)
