/** Where a Chromium is on this machine: `CHROME_PATH`, or one of the names that it is installed by. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'msedge',
]
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/** @returns {string | undefined} */
export function findBrowser() {
  const { CHROME_PATH, PATH = '' } = process.env
  if (CHROME_PATH !== undefined && existsSync(CHROME_PATH)) return CHROME_PATH
  const inPath = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)))
  return [...inPath, ...PLACES].find((file) => existsSync(file))
}
