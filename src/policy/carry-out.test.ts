import { expect, test } from 'vitest'
import { createBench } from '../../test/support/policy-bench.ts'
import { createGrowingBlock } from '../block/growing-block.ts'
import type { BlockInfo, BlockOf } from '../event/block.ts'
import { carryOut } from './carry-out.ts'
import type { HeldType } from './policy.ts'
import { deny, pass, replace, rewrite } from './verdict.ts'

type CallInfo = Extract<BlockInfo, { type: 'tool-call' }>

const INFO: CallInfo = {
  id: 'call_1',
  index: 3,
  choice: 1,
  type: 'tool-call',
  name: 'mcp.run',
  dialect: 'function',
  vendor: { arguments: 'secret', extra_content: { google: { thought_signature: 's' } } },
}

function blockOf(info: CallInfo, text = '{"a":"secret"}'): BlockOf<HeldType> {
  const growing = createGrowingBlock(info)
  growing.grow({ type: 'arguments', text })
  growing.complete(undefined)
  return growing.block as BlockOf<HeldType>
}

const { host } = createBench([])

test('what a vendor repeats of the arguments goes with them, and a signature of the call stays', () => {
  for (const verdict of [
    rewrite({ a: 1 }),
    replace({ type: 'tool-call', name: 'mcp.run', args: { a: 1 } }),
  ] as const) {
    const { events } = carryOut(verdict as never, blockOf(INFO), host)
    expect(JSON.stringify(events)).not.toContain('secret')
    expect(events?.[0]).toMatchObject({
      choice: 1,
      block: { id: 'call_1', vendor: { extra_content: { google: { thought_signature: 's' } } } },
    })
  }
})

test('a notice says the name of the tool and nothing of its arguments', () => {
  const { events, delivered } = carryOut(deny('No'), blockOf(INFO), host)
  expect(delivered).toContain('"mcp.run"')
  expect(JSON.stringify([events, delivered])).not.toContain('secret')
})

test('a name that cannot be sent back is refused, unless it is the name of the call or of a tool', () => {
  const made = (name: string) => replace({ type: 'tool-call', name, args: {} }) as never
  expect(carryOut(made('a b'), blockOf(INFO), host).problem).toContain('name no tool can have')
  expect(carryOut(made('mcp.run'), blockOf(INFO), host).problem).toBeUndefined()
  expect(carryOut(made('read_file-2'), blockOf(INFO), host).problem).toBeUndefined()
})

test('the first made call has the id of the one it stands for, and no id is too long', () => {
  const call = { type: 'tool-call', name: 'a', args: {} } as const
  const words = { type: 'text', text: 'First.' } as const
  const info = { ...INFO, id: 'x'.repeat(64) }
  const { events, made } = carryOut(replace([words, call, call]) as never, blockOf(info), host)
  const ids = (events ?? []).flatMap((event) =>
    event.type === 'block-start' && event.block.type === 'tool-call' ? [event.block.id] : [],
  )
  expect(made).toBe(2)
  expect(ids[0]).toBe(info.id)
  expect(ids[1]).not.toBe(info.id)
  expect(ids.every(({ length }) => length <= 64)).toBe(true)
})

test('free text stays free text', () => {
  const info: CallInfo = { ...INFO, dialect: 'custom' }
  expect(carryOut(rewrite('safe') as never, blockOf(info, 'rm'), host).delivered).toBe('safe')
  expect(carryOut(rewrite({ a: 1 }) as never, blockOf(info, 'rm'), host).problem).toContain(
    'gave an object to a tool that takes text',
  )
})

test('a call whose arguments are broken, not cut, is for policies to decide', () => {
  expect(carryOut(pass(), blockOf(INFO, '{"a":}'), host).events).toBeUndefined()
  expect(carryOut(pass(), blockOf(INFO, '{"a":'), host).delivered).toContain('cut off')
})
