/**
 * Change the arguments of a call. The call stays the same call, with its id; the new arguments are checked against the
 * schema that the client declared, and a call that no longer fits is not delivered.
 */
import { definePolicy, pass, rewrite, type Policy } from '../../../src/policy.ts'

export const addTimeout = (milliseconds: number): Policy =>
  definePolicy({
    name: 'add-timeout',
    judge(block, ctx) {
      const args = block.args()
      const tool = ctx.request.tool(block.name)
      const isKnown = tool?.type === 'function' && 'timeout' in Object(tool.schema?.['properties'])
      if (args === undefined || 'timeout' in args || !isKnown) return pass()
      return rewrite({ ...args, timeout: milliseconds }, { tags: ['timeout'] })
    },
  })
