/**
 * One call to the API: an address, a token, an answer or an error that says what to do. Neighbours: `client.ts` is made
 * of it. Runs wherever there is `fetch`.
 */
import { parseObject, toObject, toText } from '../base/json.ts'
import { writeQuery } from './params.ts'

export interface ApiPlace {
  /** `http://127.0.0.1:4141`; empty on a page of the gateway itself. */
  readonly url: string
  readonly token: string
}

/** What the API did not do, and why. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** As HTTP says it; 0 where there was no answer. */
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly query?: object | undefined
  readonly body?: object | undefined
  readonly signal?: AbortSignal | undefined
}

/** Where nothing else is said. */
const ANSWER_MS = 30_000

/** The answer, whose body is still to be read. */
export async function call(
  place: ApiPlace,
  { method = 'GET', path, query = {}, body, signal }: Call,
): Promise<Response> {
  const response = await reach(place, `${place.url}${path}${writeQuery(query)}`, {
    method,
    redirect: 'error',
    headers: {
      authorization: `Bearer ${place.token}`,
      ...(body === undefined ? undefined : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? undefined : { body: JSON.stringify(body) }),
    signal: signal ?? AbortSignal.timeout(ANSWER_MS),
  })
  if (response.ok) return response
  const said = toObject(parseObject(await response.text().catch(() => ''))?.['error'])
  throw new ApiError(
    response.status,
    toText(said?.['message']) ?? `The gateway answered ${response.status}`,
  )
}

async function reach(place: ApiPlace, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (isOver(error)) throw error
    throw new ApiError(0, `Cannot reach the gateway at ${place.url}: is it running?`, {
      cause: error,
    })
  }
}

/** Ended from here, and no fault of the gateway. */
const isOver = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

/** As `call`, with its JSON. What comes is taken at its word: it is our own server. */
export async function callJson<T>(place: ApiPlace, one: Call): Promise<T> {
  const response = await call(place, one)
  try {
    return (await response.json()) as T
  } catch (error) {
    throw new ApiError(0, `What answers at ${place.url} is no gateway: it says no JSON`, {
      cause: error,
    })
  }
}
