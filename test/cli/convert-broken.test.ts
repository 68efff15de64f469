/**
 * `sluice convert` on sources that break off: the target's own error form, and exit 1.
 */
import { describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { toUtf8 } from '../support/bytes.ts'
import { sluice, type Ran } from '../support/command.ts'
import { lint } from '../support/pipeline.ts'
import { SMALL } from '../support/small-streams.ts'

const PAIRS = WIRE_NAMES.flatMap((from) => WIRE_NAMES.map((to) => ({ from, to })))
const ACROSS = PAIRS.filter(({ from, to }) => from !== to)

const convert = (
  from: WireName,
  to: WireName,
  input: string,
  ...more: readonly string[]
): Promise<Ran> => sluice(['convert', '--from', from, '--to', to, ...more], input)

/** Up to and including the text, then something else. */
const upToText = (wire: WireName): string => {
  const sse = SMALL[wire]
  return sse.slice(0, sse.indexOf('\n\n', sse.indexOf('It rains.')) + 2)
}

const ERROR_EVENTS: Readonly<Record<WireName, string>> = {
  'anthropic-messages':
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n',
  'openai-chat':
    'data: {"error":{"message":"Busy","type":"server_error","param":null,"code":"server_is_overloaded"}}\n\n',
  'openai-responses':
    'event: error\ndata: {"type":"error","sequence_number":5,"code":"server_is_overloaded","message":"Busy","param":null}\n\n',
}

const ERROR_BODIES: Readonly<Record<WireName, string>> = {
  'anthropic-messages':
    '{"type":"error","error":{"type":"overloaded_error","message":"Busy"},"request_id":"req_1"}',
  'openai-chat': '{"error":{"message":"Busy","type":"server_error","code":"server_is_overloaded"}}',
  'openai-responses':
    '{"error":{"message":"Busy","type":"server_error","code":"server_is_overloaded"}}',
}

/** How a stream of each wire says that it broke off. */
const FORMS: Readonly<Record<WireName, RegExp>> = {
  'anthropic-messages':
    /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"\w+","message":"[^"]+"\}\}\n\n$/,
  'openai-chat':
    /\n\ndata: \{"error":\{"message":"[^"]+","type":"\w+","param":null,"code":"?\w+"?\}\}\n\n$/,
  'openai-responses':
    /\n\nevent: error\ndata: .*\n\nevent: response\.failed\ndata: .*"status":"failed".*\n\n$/,
}

describe.each(ACROSS)('from $from to $to', ({ from, to }) => {
  test.each([
    ['is cut', upToText(from), 'broken: The upstream ended'],
    ['is cut inside a frame', SMALL[from].slice(0, SMALL[from].indexOf('It rains.')), 'broken: '],
    ['ends with an error', upToText(from) + ERROR_EVENTS[from], 'broken: Busy\n'],
    ['turns into rubbish', `${upToText(from)}event: x\ndata: {"oops\n\n`, 'broken: '],
  ])('a stream that %s ends as an error of the target', async (_, input, reason) => {
    const { code, stdout, stderr } = await convert(from, to, input)
    expect(code).toBe(1)
    expect(stdout).toMatch(FORMS[to])
    expect(lint(to, toUtf8(stdout))).toEqual([])
    expect(stderr).toContain(reason)
  })

  test('a stream that ends with an error is collected as an error', async () => {
    const { code, stdout } = await convert(
      from,
      to,
      upToText(from) + ERROR_EVENTS[from],
      '--collect',
    )
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ error: { message: 'Busy' } })
  })

  test('a JSON error becomes one of the target, or a stream of it', async () => {
    const whole = await convert(from, to, ERROR_BODIES[from])
    expect(whole).toMatchObject({ code: 1, stderr: 'broken: Busy\n' })
    expect(JSON.parse(whole.stdout)).toMatchObject({ error: { message: 'Busy' } })
    const stream = await convert(from, to, ERROR_BODIES[from], '--stream')
    expect(stream.code).toBe(1)
    expect(`\n\n${stream.stdout}`).toMatch(FORMS[to])
    expect(lint(to, toUtf8(stream.stdout))).toEqual([])
  })
})

describe.each(WIRE_NAMES)('on the same wire, %s,', (wire) => {
  test('what broke off leaves as it came, and is still a failure', async () => {
    for (const input of [upToText(wire), upToText(wire) + ERROR_EVENTS[wire], ERROR_BODIES[wire]]) {
      const { code, stdout } = await convert(wire, wire, input)
      expect({ code, stdout }).toEqual({ code: 1, stdout: input })
    }
  })
})

test('a bare error line of a Chat server is an error', async () => {
  for (const line of ['error: {"message":"No GPU","code":503}', '{"error":{"message":"No GPU"}}']) {
    const { code, stdout, stderr } = await convert(
      'openai-chat',
      'anthropic-messages',
      `${upToText('openai-chat')}${line}\n\n`,
    )
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'broken: No GPU\n' })
    expect(stdout).toMatch(FORMS['anthropic-messages'])
  }
})

test('a response that failed is a failure, whatever becomes of it', async () => {
  const failed = {
    id: 'resp_1',
    object: 'response',
    status: 'failed',
    error: { code: 'server_error', message: 'Gone' },
    output: [],
  }
  for (const to of WIRE_NAMES) {
    const { code, stdout, stderr } = await convert('openai-responses', to, JSON.stringify(failed))
    expect({ to, code, stderr }).toEqual({ to, code: 1, stderr: 'broken: Gone\n' })
    expect(stdout).toContain('Gone')
  }
})

test('what an upstream says of its error cannot steer the terminal', async () => {
  const body = JSON.stringify({
    error: { message: 'Busy\u001b[2J\u009b1m\r\n\u202e!', type: 'server_error' },
  })
  const { stderr } = await convert('openai-chat', 'anthropic-messages', body)
  expect(stderr).toMatch(/^broken: Busy[^\p{Cc}\p{Cf}]*!\n$/u)
})
