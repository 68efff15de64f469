/** Where the page begins. */
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { isGoodToken, queries } from './core/api.ts'
import { followTheme } from './core/preferences.ts'
import { passRefs } from './core/refs.ts'
import { listenToKeys } from './core/shortcuts.ts'
import { settleToken } from './core/token.ts'

passRefs()
followTheme()
listenToKeys()
void settleToken(isGoodToken).then(show)

function show(): void {
  const root = document.getElementById('root')
  if (root !== null)
    createRoot(root).render(
      <StrictMode>
        <QueryClientProvider client={queries}>
          <App />
        </QueryClientProvider>
      </StrictMode>,
    )
}
