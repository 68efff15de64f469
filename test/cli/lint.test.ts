/**
 * `sluice lint` as a process: guesses the wire, says what is wrong where, and ends accordingly.
 */
import { describe, expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { sluice } from '../support/command.ts'
import { CHAT } from '../support/json-answers.ts'
import { SMALL, toLines } from '../support/small-streams.ts'

const chat = SMALL['openai-chat']
/** A warning: no [DONE]. */
const odd = chat.replace('data: [DONE]\n\n', '')
/** An error and a warning: no finish_reason, no [DONE]. */
const wrong = odd.replace('"finish_reason":"tool_calls"', '"finish_reason":null')

describe.each(WIRE_NAMES)('a right stream of %s', (wire) => {
  test('is recognised, and there is nothing to say of it', async () => {
    for (const input of [
      SMALL[wire],
      toLines(SMALL[wire]) + (wire === 'openai-chat' ? '[DONE]\n' : ''),
    ]) {
      const { code, stdout, stderr } = await sluice(['lint', '--strict'], input)
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: `${wire}: 0 errors, 0 warnings\n`,
        stderr: '',
      })
    }
    expect((await sluice(['lint', '--wire', wire, '--strict'], SMALL[wire])).code).toBe(0)
  })
})

test('an error has its frame, its rule, and the client that cares; exit 1', async () => {
  const { code, stdout } = await sluice(['lint'], wrong)
  expect(code).toBe(1)
  expect(stdout.split('\n')).toEqual([
    'frame    6  error    B4          choice 0 has no finish_reason (openai .stream() rejects "missing finish_reason")',
    'frame    6  warning  B13         the stream ended without [DONE] (the SDKs do without)',
    'openai-chat: 1 error, 1 warning',
    '',
  ])
})

test('warnings are a failure with --strict only', async () => {
  expect(await sluice(['lint'], odd)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('0 errors, 1 warning\n') as string,
  })
  expect((await sluice(['lint', '--strict'], odd)).code).toBe(1)
})

test('--json prints one object', async () => {
  const { code, stdout } = await sluice(['lint', '--json'], wrong)
  expect(code).toBe(1)
  expect(stdout).toMatch(/^\{.*\}\n$/)
  expect(JSON.parse(stdout)).toEqual({
    wire: 'openai-chat',
    findings: [
      {
        frame: 6,
        rule: 'B4',
        severity: 'error',
        message: 'choice 0 has no finish_reason',
        client: expect.any(String) as string,
      },
      {
        frame: 6,
        rule: 'B13',
        severity: 'warning',
        message: 'the stream ended without [DONE]',
        client: expect.any(String) as string,
      },
    ],
    errors: 1,
    warnings: 1,
  })
})

test('a rule that is broken on every frame is shown three times and then counted', async () => {
  const input = chat.replaceAll('data: {', 'event: chunk\ndata: {')
  const { stdout } = await sluice(['lint'], input)
  expect(stdout.match(/ S5 /g)).toHaveLength(3)
  expect(stdout).toContain('… and 3 more of S5\n')
  expect(stdout).toContain('openai-chat: 0 errors, 6 warnings\n')
  const { stdout: json } = await sluice(['lint', '--json'], input)
  expect((JSON.parse(json) as { findings: unknown[] }).findings).toHaveLength(6)
})

test('what stands in the stream cannot steer the terminal', async () => {
  const evil = '\\u001b[2J\\u009b1m\\r\\u202e'
  const input = SMALL['openai-responses'].replace('"response.in_progress"', `"response.${evil}"`)
  const { code, stdout } = await sluice(['lint'], input)
  expect(code).toBe(1)
  expect(stdout).toContain('C18')
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

test('a JSON answer is no stream', async () => {
  const { code, stdout, stderr } = await sluice(['lint'], JSON.stringify(CHAT.plain))
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: 'sluice: Only a stream can be linted, and this is one JSON body\n',
  })
})
