/**
 * Finds a Chromium for the tests of the page, or installs one where that needs no question: by apt, as root. Otherwise it
 * says plainly that those tests will be skipped.
 */
import { spawnSync } from 'node:child_process'
import { findBrowser } from './find-browser.mjs'

if (findBrowser() === undefined) {
  if (process.getuid?.() === 0 && run('apt-get', ['--version'])) {
    console.log('Installing Chromium for the tests of the page')
    run('apt-get', ['-qq', 'update'])
    run('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', 'chromium'])
  }
  if (findBrowser() === undefined)
    console.warn(
      'No Chromium here, and no right to install one: the tests of the page are SKIPPED. Install Chromium or Chrome, or name one with CHROME_PATH.',
    )
}

function run(command, args) {
  const { status } = spawnSync(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return status === 0
}
