/**
 * Policy files get the same names from a running gateway as from the installed package, the test kit excepted.
 */
import { expect, test } from 'vitest'
import { AUTHOR } from '../../src/config/policy-author.ts'
import * as face from '../../src/policy.ts'

test('what the gateway hands to policy files is what the package has', () => {
  const { testPolicy, startFaultyUpstream, ...rest } = face
  const { FAULT_NAMES: _names, faultyContent: _content, toFaultyModel: _model, ...others } = rest
  for (const kit of [testPolicy, startFaultyUpstream]) expect(kit).toBeTypeOf('function')
  expect(Object.keys(AUTHOR).toSorted()).toEqual(Object.keys(others).toSorted())
  for (const [name, value] of Object.entries(others)) expect(AUTHOR[name]).toBe(value)
})
