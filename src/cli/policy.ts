/**
 * `sluice policy`: what an author of policies needs. Neighbours: `policy-new.ts` makes one, `policy-test.ts` tries one,
 * `policy-shadow.ts` says what one would have done, `policy-mode.ts` turns one on.
 */
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { Command } from './command.ts'
import { listCommand, MODE_HELP, turnCommand } from './policy-mode.ts'
import { NEW_HELP, newPolicy } from './policy-new.ts'
import { SHADOW_HELP, shadowCommand } from './policy-shadow.ts'
import { TEST_HELP, testCommand } from './policy-test.ts'

export const policy: Command = {
  help: `${NEW_HELP}\n${TEST_HELP}\n${SHADOW_HELP}\n${MODE_HELP}`,
  async run(argv, streams) {
    const [name = '', ...rest] = argv
    if (name === 'new') return await newPolicy(rest, streams)
    if (name === 'test') return await testCommand(rest, streams)
    if (name === 'list') return await listCommand(rest, streams)
    if (name === 'shadow') return await shadowCommand(rest, streams)
    if (name === 'promote') return await turnCommand(rest, 'acts', streams)
    if (name === 'demote') return await turnCommand(rest, 'shadow', streams)
    const near = nearest(name, WORDS)
    const hint = near === undefined ? '' : `; did you mean ${near}?`
    throw new SluiceError(
      'wrong-use',
      `Say what to do with a policy: sluice policy new NAME, test FILE, list, shadow, promote NAME, demote NAME${hint}`,
    )
  },
}

const WORDS = ['new', 'test', 'list', 'shadow', 'promote', 'demote']
