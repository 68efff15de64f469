/**
 * The gateway, as the page asks it: one client, one cache of answers. Neighbours: `src/api/client.ts` is the client, the
 * views ask by `useQuery` with it. A token that is refused leads back to the login, wherever it happens.
 */
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../src/api/call.ts'
import { createApiClient } from '../../src/api/client.ts'
import { dropToken, onToken, readToken } from './token.ts'

export { ApiError }

export const api = createApiClient(() => ({ url: location.origin, token: readToken() ?? '' }))

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: leaveIfRefused }),
  defaultOptions: {
    queries: {
      staleTime: 2000,
      refetchOnWindowFocus: true,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400),
    },
  },
})

/** What one was shown is not for the next. */
onToken(() => queries.clear())

/** Only a clear no counts: a gateway that is away has refused nobody. */
export async function isGoodToken(token: string): Promise<boolean> {
  try {
    await createApiClient({ url: location.origin, token }).index()
    return true
  } catch (error) {
    return !(error instanceof ApiError && error.status === 401)
  }
}

/** For what does not go through the cache. */
export function leaveIfRefused(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) dropToken()
}

/** One sentence for a person. */
export const toSentence = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong'
