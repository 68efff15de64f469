/**
 * Random conversations from every wire to every upstream: legal there, with nothing of ours in them, the same
 * tools by name, and a beginning that stays as the conversation grows.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/index.ts'
import { toBody } from '../support/conversation-bodies.ts'
import { conversations, growing } from '../support/conversations.ts'
import { itemsOf, judge, nameOf, read, targetsFrom, write } from '../support/requests.ts'

const runs = { numRuns: Number(process.env['RUNS'] ?? 40) }

describe.each(WIRE_NAMES)('a conversation on %s', (wire) => {
  describe.each(targetsFrom(wire).map((to) => [nameOf(to), to] as const))('to %s', (_, to) => {
    test('becomes a request that is legal there', () => {
      fc.assert(
        fc.property(conversations(wire), (plan) => {
          const written = write(read(wire, toBody(plan)), to)
          expect(judge(written, to)).toEqual([])
          expect(JSON.stringify(written.body)).not.toContain('undefined')
        }),
        runs,
      )
    })

    test('keeps its beginning while it grows', () => {
      fc.assert(
        fc.property(conversations(wire, { maxSteps: 4 }), (plan) => {
          const bodies = growing(plan).map((part) => write(read(wire, toBody(part)), to).body)
          bodies.slice(1).forEach((body, i) => {
            const before = itemsOf(to.wire, bodies[i] ?? {})
            expect(itemsOf(to.wire, body).slice(0, before.length)).toEqual(before)
            for (const field of ['system', 'instructions', 'tools'])
              expect(JSON.stringify(body[field])).toBe(JSON.stringify(bodies[i]?.[field]))
          })
        }),
        { numRuns: Math.ceil(runs.numRuns / 3) },
      )
    })
  })

  test('finds its tools again by the names that a target has for them', () => {
    fc.assert(
      fc.property(conversations(wire), fc.constantFrom(...targetsFrom(wire)), (plan, to) => {
        const { names } = write(read(wire, toBody(plan)), to)
        const found = plan.tools.map((tool) => {
          const source = names.toSource(
            names.toTarget({ name: tool.name, ...spaceOf(tool.namespace) }),
          )
          return (
            source && { name: source.name, dialect: source.dialect, ...spaceOf(source.namespace) }
          )
        })
        expect(found).toEqual(
          plan.tools.map(({ name, type, namespace }) => ({
            name,
            dialect: type,
            ...spaceOf(namespace),
          })),
        )
      }),
      runs,
    )
  })

  test('says outright whether a tool must keep to its schema, on Responses', () => {
    const to = targetsFrom(wire).filter((one) => one.wire === 'openai-responses')
    if (to.length === 0) return
    fc.assert(
      fc.property(conversations(wire), fc.constantFrom(...to), (plan, one) => {
        const tools = write(read(wire, toBody(plan)), one).body['tools'] ?? []
        for (const tool of tools as { type: string; strict?: unknown }[])
          if (tool.type === 'function') expect(tool.strict).toBeTypeOf('boolean')
      }),
      runs,
    )
  })
})

const spaceOf = (namespace: string | undefined): { namespace?: string } =>
  namespace === undefined ? {} : { namespace }
