/**
 * Requests that are almost right. None makes the code fall over: it is a problem with a place and a sentence,
 * or it is taken.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/index.ts'
import type { Finding } from '../support/api-rules.ts'
import { toBody } from '../support/conversation-bodies.ts'
import type { Body } from '../support/conversation-common.ts'
import { conversations } from '../support/conversations.ts'
import { createRandom, mutateJson } from '../support/mutate-json.ts'
import { FORMS, itemsOf, judge, REQUESTS, TARGETS, tryWrite } from '../support/requests.ts'

const RUNS = Number(process.env['RUNS'] ?? 2000)

describe.each(WIRE_NAMES)('a broken request on %s', (wire) => {
  const seeds = [
    ...REQUESTS.filter((fixture) => fixture.wire === wire).map(({ body }) => body),
    ...fc.sample(conversations(wire), { numRuns: 60, seed: 7 }).map(toBody),
  ]

  test('is a problem with a place and a sentence, or is taken in good order; nothing throws', () => {
    const random = createRandom(Number(process.env['SEED'] ?? 20_261_115))
    for (let i = 0; i < RUNS; i++) {
      const body = mutateJson(seeds[i % seeds.length], random)
      if (typeof body !== 'object' || body === null || Array.isArray(body)) continue
      attempt(body as Body, i)
    }
  })

  /** Each time another upstream, so that all have their turn. */
  function attempt(body: Body, i: number): void {
    try {
      const before = JSON.stringify(body)
      const result = FORMS[wire].readRequest(body)
      if (!result.ok) return expectProblem(result.problem)
      const to = TARGETS[i % TARGETS.length]
      const written = to && tryWrite(result.request, to)
      if (written?.ok === false) expectProblem(written.problem)
      if (to !== undefined && written?.ok === true && to.wire !== wire) {
        expect(sealsOf(itemsOf(to.wire, written.body)).filter(isOurs)).toEqual([])
        expect(judge(written, to).filter(isOfOrder)).toEqual([])
      }
      expect(JSON.stringify(body)).toBe(before)
    } catch (error) {
      throw new Error(`On ${JSON.stringify(body).slice(0, 3000)}`, { cause: error })
    }
  }
})

function expectProblem(problem: { path: string; message: string }): void {
  expect(problem.path).toBeTypeOf('string')
  expect(problem.message.length).toBeGreaterThan(10)
  expect(problem.message).not.toMatch(/undefined|\[object|is not a function/)
}

/** Whatever stands where vendors keep what they sealed. */
function sealsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  const { type, signature, data, encrypted_content: content } = value as Record<string, unknown>
  const isSealed = typeof type === 'string' && /thinking|reasoning/.test(type)
  return [...(isSealed ? [signature, data, content] : []), ...Object.values(value).flatMap(sealsOf)]
}

const isOurs = (seal: unknown): boolean => typeof seal === 'string' && seal.startsWith('sluice1.')

/**
 * Turns, and calls with their results: that is ours to put right. What is wrong inside a schema or an image
 * is for the upstream to say, in its own words.
 */
const isOfOrder = ({ path, message }: Finding): boolean =>
  /^(?:messages|input)/.test(path) &&
  !/should match|Not an address/.test(message) &&
  /tool_result|tool_use|tool_call|tool message|first message|system message|No tool|Duplicate|following item|unique|prefill|answers a|required unless/.test(
    message,
  )
