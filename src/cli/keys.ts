/**
 * `sluice keys`: a fresh key, shown once. Neighbours: `config/keys.ts` makes and hashes it.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { createKey, hashKey } from '../config/keys.ts'
import { checkName } from '../config/shape-upstream.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'

export const keys: Command = {
  help: `sluice keys new NAME

Prints a new random key, once, and the lines for sluice.yaml that let it in.
Only the hash goes into the file: whoever reads the file cannot use the key.
NAME is for logs and metrics.
`,
  async run(argv, { out }) {
    const [word, ...rest] = argv
    const { file: name } = readArguments(rest, {})
    if (word !== 'new' || name === undefined)
      throw new SluiceError('wrong-use', 'Say whom the key is for: sluice keys new NAME')
    const wrong = checkName(name)
    if (wrong !== undefined)
      throw new SluiceError('wrong-use', `Cannot name a key "${name}": ${wrong}`)
    const key = createKey()
    await out.line(key)
    await out.line()
    await out.line('It is shown this once: give it to the client. For sluice.yaml:')
    await out.line()
    await out.line('keys:')
    await out.line(`  - name: ${JSON.stringify(name)}`)
    await out.line(`    hash: sha256:${hashKey(key)}`)
    return 0
  },
}
