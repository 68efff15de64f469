import { expect, test } from 'vitest'
import { withoutBilling } from './billing.ts'
import type { TextPart } from './part.ts'

const LINE = 'x-anthropic-billing-header: cc_version=2.1; cch=1a2b;'
const say = (text: string): TextPart => ({ type: 'text', text })

test('the line for billing is taken out, alone or before the rest of the prompt', () => {
  expect(withoutBilling([say(LINE), say('Be brief.')])).toEqual([say('Be brief.')])
  expect(withoutBilling([say(`${LINE}\n\nBe brief.`)])).toEqual([say('Be brief.')])
})

test('a prompt that only speaks of it stays', () => {
  const parts = [say(`Never send ${LINE}`), say('x-anthropic-billing-headers are long')]
  expect(withoutBilling(parts)).toEqual(parts)
})
