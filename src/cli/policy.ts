/**
 * `sluice policy`: what an author of policies needs. Neighbours: `policy-new.ts` makes one, `policy-test.ts` tries one.
 */
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { Command } from './command.ts'
import { NEW_HELP, newPolicy } from './policy-new.ts'
import { TEST_HELP, testCommand } from './policy-test.ts'

export const policy: Command = {
  help: `${NEW_HELP}\n${TEST_HELP}`,
  async run(argv, streams) {
    const [name = '', ...rest] = argv
    if (name === 'new') return await newPolicy(rest, streams)
    if (name === 'test') return await testCommand(rest, streams)
    const near = nearest(name, ['new', 'test'])
    const hint = near === undefined ? '' : `; did you mean ${near}?`
    throw new SluiceError(
      'wrong-use',
      `Say what to do with a policy: sluice policy new NAME, sluice policy test FILE${hint}`,
    )
  },
}
