/**
 * What `coding-agent` sees through and what not: every row of the table is tried, and the page says the same. Beside
 * them, what agents do all day must pass.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EVASIONS_PAGE, evasionsPage } from '../../scripts/evasion-docs.ts'
import { codingAgent } from '../../src/stock/coding-agent.ts'
import { makeCall, openExchange } from '../support/judge-call.ts'
import { EVASIONS } from './evasions.ts'
import { HARMLESS } from './harmless.ts'

const careful = openExchange(codingAgent())
const strict = openExchange(codingAgent({ level: 'strict' }))
const bash = (command: string) => makeCall('Bash', { command })

test.each(EVASIONS)('the table is true: $trick', ({ rows }) => {
  const found = rows.map(([command]) => [
    command,
    careful(bash(command)).type,
    strict(bash(command)).type,
  ])
  expect(found).toEqual(rows)
})

test('the page says what the table says', () => {
  expect(readFileSync(EVASIONS_PAGE, 'utf8')).toBe(evasionsPage())
})

test('there are 200 evasions and more, none twice', () => {
  const commands = EVASIONS.flatMap(({ rows }) => rows.map(([command]) => command))
  expect(commands.length).toBeGreaterThanOrEqual(200)
  expect(new Set(commands).size).toBe(commands.length)
})

test('the same command is judged the same in the shells of other clients', () => {
  const commands = EVASIONS.flatMap(({ rows }) => rows).filter(([, type]) => type === 'deny')
  for (const [command] of commands) {
    const calls = [
      makeCall('exec_command', { cmd: command }),
      makeCall('shell', { command: ['bash', '-lc', command] }),
      makeCall('run_shell_command', { command }),
      makeCall('bash', { command }),
    ]
    expect([command, ...calls.map((call) => careful(call).type)]).toEqual([
      command,
      ...calls.map(() => 'deny'),
    ])
  }
})

test('what agents do all day passes', () => {
  const stopped = HARMLESS.filter((command) => careful(bash(command)).type !== 'pass')
  expect(stopped).toEqual([])
})
