/**
 * `sluice policy new`: a policy that works and a test that passes, to be changed. Neighbours: `policy-template.ts` has
 * their text. Never writes over a file.
 */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { SluiceError } from '../base/sluice-error.ts'
import { findConfig } from '../config/load.ts'
import { checkName } from '../config/shape-upstream.ts'
import { readArguments } from './arguments.ts'
import type { Streams } from './command.ts'
import { visible } from './output.ts'
import { toFiles, type Language } from './policy-template.ts'

export const NEW_HELP = `sluice policy new NAME [--ts | --js] [--dir DIR]

Writes a small policy that works, with comments, and a test beside it, and says
what to do next. Never writes over a file.

  --ts        in TypeScript, with a test for vitest (default)
  --js        in JavaScript, with a test for Node's own runner
  --dir DIR   where to (default policies)
`

export async function newPolicy(argv: readonly string[], { out }: Streams): Promise<number> {
  const { values, file: name } = readArguments(argv, {
    ts: { type: 'boolean' },
    js: { type: 'boolean' },
    dir: { type: 'string' },
  })
  if (name === undefined)
    throw new SluiceError('wrong-use', 'Say what it is called: sluice policy new no-deletes')
  const wrong = checkName(name)
  if (wrong !== undefined)
    throw new SluiceError('wrong-use', `Cannot name a policy "${name}": ${wrong}`)
  if (values.ts === true && values.js === true)
    throw new SluiceError('wrong-use', 'Say one of --ts and --js')
  const language = values.js === true ? 'js' : 'ts'
  const folder = values.dir ?? 'policies'
  const files = toFiles(name, language).map(([path, text]) => [join(folder, path), text] as const)
  await write(files)
  for (const [path] of files) await out.line(`${out.style('green', 'made')}  ${visible(path)}`)
  await out.line()
  const [policyFile = '', testFile = ''] = files.map(([path]) => path)
  for (const line of nextSteps(policyFile, testFile, language)) await out.line(visible(line))
  return 0
}

/** All of them or none: half a policy would be in the way the next time. */
async function write(files: readonly (readonly [path: string, text: string])[]): Promise<void> {
  const there = files.find(([path]) => existsSync(path))
  if (there !== undefined)
    throw new SluiceError(
      'wrong-use',
      `Cannot write "${there[0]}": it is there already, and nothing was changed`,
    )
  for (const [path, text] of files) {
    try {
      await mkdir(join(path, '..'), { recursive: true })
      // `wx`: should somebody else have made it meanwhile, it stays.
      await writeFile(path, text, { flag: 'wx' })
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new SluiceError('wrong-use', `Cannot write "${path}": ${why}`, { cause })
    }
  }
}

function nextSteps(policyFile: string, testFile: string, language: Language): readonly string[] {
  const run =
    language === 'ts' ? `npx vitest run ${toPosix(testFile)}` : `node --test ${toPosix(testFile)}`
  const needs = language === 'ts' ? 'sluice vitest' : 'sluice'
  const config = findConfig(process.cwd())
  const where = config === undefined ? 'sluice.yaml' : relative(process.cwd(), config)
  return [
    'Try it on calls that agents make, or on a recording of your own:',
    `  sluice policy test ${toPosix(policyFile)}`,
    `  sluice policy test ${toPosix(policyFile)} --on recording.sse`,
    '',
    `Run its test (once: npm install --save-dev ${needs}):`,
    `  ${run}`,
    '',
    `Put it into ${where}:`,
    '  policies:',
    `    - use: ${toUse(policyFile)}`,
  ]
}

const toPosix = (path: string): string => path.replaceAll('\\', '/')

function toUse(path: string): string {
  const near = toPosix(relative(process.cwd(), resolve(path)))
  return near.startsWith('.') || near.startsWith('/') ? near : `./${near}`
}
