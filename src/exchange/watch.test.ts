/** What the watch reads from marks alone must be what the whole decoder reads from everything. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAssembler } from '../block/assemble.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { WIRE_NAMES, WIRES } from '../wire/wires.ts'
import { createWatch } from './watch.ts'
import { createWholeFrames } from './whole-frames.ts'

/** A call that is neither closed nor repeated at the end is not seen, so its finish is a plain stop. */
const UNSEEN = new Set(['call-never-done.sse'])

const FIXTURES = join(import.meta.dirname, '../../test/fixtures')

for (const name of WIRE_NAMES) {
  const wire = WIRES[name]
  describe(`a watch on ${name}`, () => {
    const files = readdirSync(join(FIXTURES, name)).filter((file) => file.endsWith('.sse'))
    test.each(files)('reads the end of %s as the decoder does', (file) => {
      const bytes = readFileSync(join(FIXTURES, name, file))
      const framer = createFrameDecoder()
      const decoder = wire.createDecoder()
      const assembler = createAssembler()
      const frames = [...framer.push(bytes), ...framer.end()]
      for (const event of [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()])
        assembler.apply(event)
      const { finishReason, usage, error, id, model } = assembler.state

      for (const size of [bytes.length, 7, 200]) {
        const watch = createWatch(wire)
        const whole = createWholeFrames()
        for (let at = 0; at < bytes.length; at += size) {
          const piece = whole.push(bytes.subarray(at, at + size))
          if (piece === undefined) continue
          if (watch.hasContent || watch.fault !== undefined) watch.scan(piece)
          else watch.peek(piece, false)
        }
        const isWhole = watch.end(whole.rest())
        expect({
          isWhole,
          finish: watch.finishReason,
          usage: watch.usage,
          kind: watch.fault?.kind,
          id: watch.id,
          model: watch.model,
        }).toEqual({
          isWhole: error === undefined,
          finish: UNSEEN.has(file) ? 'stop' : finishReason,
          usage,
          kind: error?.kind,
          id,
          model,
        })
      }
    })

    test.each(files)('sees the first content of %s no later than the decoder', (file) => {
      const bytes = readFileSync(join(FIXTURES, name, file))
      const framer = createFrameDecoder()
      const decoder = wire.createDecoder()
      const watch = createWatch(wire)
      for (const frame of framer.push(bytes)) {
        const events = decoder.push(frame)
        if (!watch.hasContent) watch.peek(Buffer.from(frame.raw), false)
        const isError = events.some(({ type }) => type === 'error')
        const hasBlock = events.some(({ type }) => type === 'block-start' || type === 'block-delta')
        if (isError && !hasBlock && !watch.hasContent) expect(watch.fault).toBeDefined()
        if (isError || watch.fault !== undefined) return
        if (hasBlock) expect(watch.hasContent).toBe(true)
      }
    })
  })
}
