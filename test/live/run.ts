/**
 * `npm run test:live`: the SDK flows against real providers, with keys from the environment. What is not
 * set is skipped and said; with nothing set there is nothing to do. See `docs/guide/live-test.md`.
 */
import { join, relative } from 'node:path'
import { runLive } from './live.ts'
import { chooseProviders } from './providers.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const folder = process.env['SLUICE_LIVE_RECORDINGS'] ?? join(import.meta.dirname, 'recordings')
const { providers, skipped } = chooseProviders(process.env)
for (const line of skipped) print(line)
if (providers.length > 0) {
  const { good, unable, bad, recorded } = await runLive({ providers, folder, print })
  const where = relative('.', folder)
  print(
    `${good} good, ${unable} unable, ${bad} bad; ${recorded} answers in ${where.startsWith('..') ? folder : where}`,
  )
  if (bad > 0) process.exitCode = 1
}
