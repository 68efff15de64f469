/**
 * Installs what the tests run beside the Node at hand: other runtimes, and SDKs that need them.
 * Does nothing when they stand there already, and again when their lockfile has changed.
 */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../test/judges', import.meta.url))
const isWindows = process.platform === 'win32'

// npm writes this file last, so an install that was broken off counts as none.
const installedAt = modifiedAt(`${folder}/node_modules/.package-lock.json`)
if (installedAt === undefined || installedAt < modifiedAt(`${folder}/package-lock.json`)) {
  console.log('Setting up test/judges')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync('npm', ['ci', '--prefix', folder, ...flags], {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: isWindows,
  })
  if (error) console.error(`Cannot run npm: ${error.message}`)
  process.exitCode = status ?? 1
}

function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}
