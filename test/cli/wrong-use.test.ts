/**
 * What a person gets wrong: one clear sentence on standard error, nothing on standard output, exit 2.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sluice } from '../support/command.ts'
import { CHAT } from '../support/json-answers.ts'
import { SMALL } from '../support/small-streams.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-wrong-'))
  await writeFile(join(folder, 'chat.sse'), SMALL['openai-chat'])
  await writeFile(join(folder, 'empty.sse'), '')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Bytes that are nothing, the same on every run. */
const rubbish = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3) * 104_729) % 256)
const zeros = new Uint8Array(5000)
const gemini = 'data: {"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}\n\n'

const WIRES = 'anthropic-messages, openai-chat, openai-responses'
const COMMANDS =
  'serve, open, run, tail, log, show, export, records, approvals, halt, resume, convert, blocks, lint, replay, backtest, policy, config, keys'
const SERVE = '--config, --port, --host, --workers, --open'
const EMPTY = 'Standard input is empty: there is no stream in it'
const NOTHING = 'Standard input is no stream of any wire: neither SSE nor JSON lines'

/** What was typed, and the sentence about it. */
const TYPED: readonly (readonly [string, string])[] = [
  ['frobnicate', `There is no command "frobnicate": there are ${COMMANDS}`],
  ['conver', `There is no command "conver": there are ${COMMANDS}; did you mean convert?`],
  ['servr', `There is no command "servr": there are ${COMMANDS}; did you mean serve?`],
  ['--confg x.yaml', `There is no option --confg: there are ${SERVE}; did you mean --config?`],
  ['serve --prot 1', `There is no option --prot: there are ${SERVE}; did you mean --port?`],
  ['--port', "Option '--port <value>' argument missing"],
  ['--port x', '--port x is not possible: it takes 0 to 65535'],
  ['serve --port 70000', '--port 70000 is not possible: it takes 0 to 65535'],
  ['serve --port=-1', '--port -1 is not possible: it takes 0 to 65535'],
  ['serve --workers many', '--workers many is not possible: it takes 0 to 64'],
  ['serve a.yaml b.yaml', 'Cannot read more than one file: got a.yaml, b.yaml'],
  ['serve --config no-such.yaml', 'Cannot read "no-such.yaml": there is no such file'],
  ['lint --frob', 'There is no option --frob: there are --wire, --strict, --json'],
  [
    'lint --stric',
    'There is no option --stric: there are --wire, --strict, --json; did you mean --strict?',
  ],
  ['blocks -x', 'There is no option -x: there are --wire, --json'],
  ['lint --wire', "Option '--wire <value>' argument missing"],
  ['lint --json=yes', "Option '--json' does not take an argument"],
  ['blocks', `Say the wire with --wire: ${WIRES}`],
  ['convert --to openai-chat', `Say the wire with --from: ${WIRES}`],
  ['convert --from openai-chat', `Say the wire with --to: ${WIRES}`],
  ['blocks --wire gemini', `--wire gemini is no wire: it takes ${WIRES}`],
  [
    'blocks --wire openai-caht',
    `--wire openai-caht is no wire: it takes ${WIRES}; did you mean openai-chat?`,
  ],
  [
    'lint --wire anthropic',
    `--wire anthropic is no wire: it takes ${WIRES}; did you mean anthropic-messages?`,
  ],
  [
    'convert --from openai-chat --to openai-chat --stream --collect',
    'Say --stream or --collect, not both',
  ],
  ['lint one.sse two.sse', 'Cannot read more than one file: got one.sse, two.sse'],
  ['lint no-such.sse', 'Cannot read "no-such.sse": there is no such file'],
  ['lint src', 'Cannot read "src": it is a folder'],
]

/** What was given, to which command, and the sentence about it. */
const GIVEN: readonly (readonly [string, string | Uint8Array, string, string])[] = [
  ['nothing', '', 'lint', EMPTY],
  ['blank lines', '\n\r\n \n', 'blocks --wire openai-chat', EMPTY],
  ['bytes that mean nothing', rubbish, 'lint', NOTHING],
  ['bytes that mean nothing, for a wire', rubbish, 'blocks --wire openai-chat', NOTHING],
  ['zeros', zeros, 'convert --from openai-chat --to openai-responses', NOTHING],
  ['prose', 'Dear Sir or Madam,\nhello.\n', 'lint', NOTHING],
  ['JSON that is no object', '[1, 2]', 'lint', NOTHING],
  ['an object of none of the wires', '{"hello":"there"}', 'blocks --wire openai-chat', NOTHING],
  [
    'an object of none of the wires, over lines',
    '{\n  "hello": "there"\n}',
    'blocks --wire openai-chat',
    'Standard input is a JSON object, but no answer and no chunk of openai-chat',
  ],
  ['JSON lines of none of the wires', '{"a":1}\n{"b":2}\n', 'blocks --wire openai-chat', NOTHING],
  ['a stream of another vendor', gemini, 'blocks --wire openai-chat', NOTHING],
  ['a long stream of another vendor', gemini.repeat(20_000), 'lint', NOTHING],
  [
    'a stream of another wire',
    SMALL['openai-chat'],
    'blocks --wire anthropic-messages',
    'Standard input is not anthropic-messages but openai-chat: name that wire instead',
  ],
  [
    'a stream of another wire, to be converted',
    SMALL['openai-responses'],
    'convert --from openai-chat --to openai-chat',
    'Standard input is not openai-chat but openai-responses: name that wire instead',
  ],
  [
    'a JSON answer of another wire',
    JSON.stringify(CHAT.plain),
    'blocks --wire openai-responses',
    'Standard input is not openai-responses but openai-chat: name that wire instead',
  ],
  [
    'an error that two wires say alike',
    'data: {"error":{"message":"Busy"}}\n\n',
    'lint',
    'Standard input may be openai-chat or openai-responses: name the wire',
  ],
]

const CASES = [
  ...TYPED.map(([typed, sentence]) => ({ what: `"${typed}"`, typed, sentence, input: '' })),
  ...GIVEN.map(([what, input, typed, sentence]) => ({ what, input, typed, sentence })),
]

test.each(CASES)('$what gets one sentence and exit 2', async ({ typed, sentence, input }) => {
  expect(await sluice(typed.split(' '), input)).toEqual({
    code: 2,
    stdout: '',
    stderr: `sluice: ${sentence}\n`,
  })
})

test('a sentence names the file that it is about', async () => {
  const chat = join(folder, 'chat.sse')
  const empty = join(folder, 'empty.sse')
  expect((await sluice(['blocks', '--wire', 'openai-responses', chat])).stderr).toBe(
    `sluice: "${chat}" is not openai-responses but openai-chat: name that wire instead\n`,
  )
  expect((await sluice(['lint', empty])).stderr).toBe(
    `sluice: "${empty}" is empty: there is no stream in it\n`,
  )
})

describe('help', () => {
  test.each([[['help']], [['--help']], [['-h']]])('%j lists the commands', async (args) => {
    const { code, stdout, stderr } = await sluice(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const word of [
      'serve',
      'run',
      'config',
      'keys',
      'convert',
      'blocks',
      'lint',
      'anthropic-messages',
      'openai-chat',
      'openai-responses',
      'Usage',
    ])
      expect(stdout).toContain(word)
  })

  test.each(['serve', 'convert', 'blocks', 'lint'])(
    '%s --help says its options, whatever else was typed',
    async (command) => {
      for (const args of [
        [command, '--help'],
        [command, '-h'],
        [command, '--wire', 'nonsense', '--help'],
      ]) {
        const { code, stdout, stderr } = await sluice(args)
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
        expect(stdout).toMatch(new RegExp(`^(?:Usage: )?sluice ${command} `))
        expect(stdout).toMatch(/^ {2}--\w+/m)
      }
    },
  )
})
