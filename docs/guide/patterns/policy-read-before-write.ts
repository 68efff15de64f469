/**
 * Remember something over a conversation: a file may be written only after it was read. `memory` is made once per
 * conversation and handed to every exchange of it. What is kept has a limit, because a conversation may have none.
 */
import { definePolicy, deny, factsOf, pass, type Policy } from '../../../src/policy.ts'

const MAX_FILES = 10_000

export const readBeforeWrite = (): Policy =>
  definePolicy({
    name: 'read-before-write',
    memory: () => ({ known: new Set<string>() }),
    judge(block, ctx) {
      const { files } = factsOf(block, ctx)
      const { known } = ctx.memory
      const unread = files.written.find((path) => !known.has(path))
      if (unread !== undefined)
        return deny(`"${unread}" was not read yet.`, { instead: 'Read it first, then write it.' })
      for (const path of files.read) if (known.size < MAX_FILES) known.add(path)
      return pass()
    },
  })
