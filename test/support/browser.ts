/**
 * A real Chromium for tests of the page. `scripts/setup-browser.mjs` finds or installs it before the tests; where there is
 * truly none, those tests say so and are skipped.
 */
import { chromium, type Browser } from 'playwright-core'
import { findBrowser } from '../../scripts/find-browser.mjs'

/** `undefined`: there is none on this machine. */
export const BROWSER: string | undefined = findBrowser()

/** It asks nobody but us: its own services are switched off. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]

export async function launchBrowser(): Promise<Browser> {
  if (BROWSER === undefined) throw new Error('There is no Chromium here')
  return await chromium.launch({ executablePath: BROWSER, args: FLAGS })
}
