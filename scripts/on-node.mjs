/**
 * Runs a script on another Node release, of those that test/judges brings along:
 * `node scripts/on-node.mjs 22 node_modules/vitest/vitest.mjs run`. What that script starts as plain
 * `node` is the same release.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const [release, ...command] = process.argv.slice(2)

if (!/^\d+$/.test(release ?? '') || command.length === 0) {
  fail('Cannot run without a release and a script: node scripts/on-node.mjs 22 some/script.mjs')
} else {
  const name = `node${release}-${process.platform}-${process.arch}`
  const binary = fileURLToPath(
    new URL(`../test/judges/node_modules/${name}/bin/node`, import.meta.url),
  )
  if (existsSync(binary)) run(binary)
  else fail(`Cannot find Node ${release}: test/judges has no "${name}"; run npm run setup:judges`)
}

function run(binary) {
  const path = `${dirname(binary)}${delimiter}${process.env.PATH ?? ''}`
  const env = { ...process.env, PATH: path }
  const { status, signal, error } = spawnSync(binary, command, { stdio: 'inherit', env })
  if (error) fail(`Cannot run "${binary}": ${error.message}`)
  else if (signal) fail(`Node ${release} was ended by ${signal}`)
  else process.exitCode = status ?? 1
}

function fail(sentence) {
  console.error(sentence)
  process.exitCode = 2
}
