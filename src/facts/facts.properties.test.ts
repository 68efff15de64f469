import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFacts } from './read-facts.ts'
import type { CallFacts } from './facts.ts'

const bash = (command: string): CallFacts =>
  readFacts(
    { name: 'Bash', dialect: 'function', args: { command }, arguments: '' },
    { workspace: '/w' },
  )

const PIECES = [
  'rm',
  'X',
  '=',
  ' ',
  ' ',
  '\n',
  ';',
  '|',
  '&&',
  '$(',
  ')',
  '`',
  '"',
  "'",
  '${',
  '}',
  '{',
  ',',
  '$X',
  '$@',
  '<<EOF\n',
  'EOF\n',
  '<(',
  '((',
  '))',
  '[[',
  ']]',
  'if ',
  'then ',
  'fi',
  'for X in ',
  'do ',
  'done',
  'case ',
  ' in ',
  'esac',
  '()',
  'f',
  'eval ',
  'sh -c ',
  'sudo ',
  'xargs ',
  'find . -exec ',
  '\\;',
  '\\',
  '*',
  '?',
  '>',
  '<',
  '-rf',
  '/',
  'echo ',
  'base64 -d',
  'python -c ',
  'alias ',
  'set -- ',
  '#',
  '\0',
  '\u200b',
  '%s',
  'printf ',
  ':',
  '!',
  '&',
]

test('never throws, whatever a shell tool is given', () => {
  const script = fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.string(),
  )
  fc.assert(
    fc.property(script, (text) => {
      const { shell } = bash(text)
      expect(shell.isUsed).toBe(text !== '')
      for (const { name, args } of shell.commands)
        expect([typeof name, Array.isArray(args)]).toEqual(['string', true])
    }),
    { numRuns: 3000 },
  )
})

test('never throws, whatever arguments a tool is given', () => {
  const name = fc.constantFrom(
    'Bash',
    'Edit',
    'exec',
    'apply_patch',
    'memory',
    'move_file',
    'python',
    'whatever',
    '__proto__',
    'constructor',
  )
  const dialect = fc.constantFrom(
    'function',
    'custom',
    'shell',
    'local-shell',
    'apply-patch',
    'computer',
    'unknown',
  )
  const args = fc.option(
    fc.dictionary(
      fc.constantFrom(
        'command',
        'cmd',
        'path',
        'file_path',
        'content',
        'edits',
        'action',
        'patch',
        'code',
        '__proto__',
      ),
      fc.jsonValue(),
    ),
    { nil: undefined },
  )
  fc.assert(
    fc.property(name, dialect, args, fc.string(), (called, kind, given, text) => {
      readFacts({ name: called, dialect: kind, args: given, arguments: text }, { workspace: '/w' })
    }),
    { numRuns: 2000 },
  )
})

/** One letter in any of the ways in which a shell takes it. */
const letter = (plain: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    /[\w/]/.test(plain) && plain !== '\n' ? plain : `'${plain}'`,
    `'${plain}'`,
    `"${/["$`\\]/.test(plain) ? `\\${plain}` : plain}"`,
    plain === '\n' ? `$'\\n'` : `\\${plain}`,
    `$'\\x${plain.charCodeAt(0).toString(16).padStart(2, '0')}'`,
    `$'\\${plain.charCodeAt(0).toString(8).padStart(3, '0')}'`,
    `""'${plain}'`,
    `\\\n'${plain}'`,
  )

const quoted = (word: string): fc.Arbitrary<string> =>
  fc.tuple(...Array.from(word, letter)).map((letters) => letters.join(''))

test('gives the same words however they are quoted', () => {
  const word = fc
    .string({
      unit: fc.constantFrom(...'abrm-/.$*?"`\\{},;|&<>() \n~#'),
      minLength: 1,
      maxLength: 6,
    })
    .filter((text) => !text.includes("'"))
  const command = fc.tuple(
    fc.constantFrom('rm', 'git', 'ls-files'),
    fc.array(word, { maxLength: 4 }),
  )
  const written = command.chain(([name, args]) =>
    fc.tuple(
      fc.constant([name, ...args]),
      fc.tuple(quoted(name), ...args.map(quoted)).map((words) => words.join(' ')),
    ),
  )
  fc.assert(
    fc.property(written, ([[name, ...args], text]) => {
      const { commands } = bash(text).shell
      expect({ text, words: [commands[0]?.name, commands[0]?.args] }).toEqual({
        text,
        words: [name, args],
      })
    }),
    { numRuns: 1500 },
  )
})

/** More variables than this are not read at all. */
const few = (size: number): number => Math.min(size, 1900)

/** Inputs that grow: each is a trap for some reader. */
const TRAPS: readonly (readonly [string, (size: number) => string])[] = [
  ['words', (size) => `echo ${'a '.repeat(size)}`],
  ['commands', (size) => 'echo a b; '.repeat(size)],
  ['wrappers', (size) => 'sudo '.repeat(size) + 'rm'],
  ['nested quotes of eval', (size) => 'eval '.repeat(size) + 'rm'],
  ['open substitutions', (size) => '$('.repeat(size)],
  ['closed substitutions', (size) => '$(a '.repeat(size) + ')'.repeat(size)],
  ['braces', (size) => `echo ${'{a,b}'.repeat(size)}`],
  ['nested braces', (size) => `echo ${'{a,'.repeat(size)}`],
  ['variables that double', (size) => `a=xx; ${'a=$a$a; '.repeat(few(size))} $a`],
  ['variables in one word', (size) => `a=${'x'.repeat(1000)}; echo ${'$a'.repeat(few(size))}`],
  ['blanks in variables', (size) => `a="${'x '.repeat(size)}"; echo ${'$a '.repeat(100)}`],
  ['possibilities', (size) => `for a in ${'x '.repeat(size)}; do $a $a $a $a $a $a; done`],
  [
    'functions that call each other',
    (size) =>
      `${Array.from({ length: size }, (_, at) => `f${at}(){ f${at + 1}; f${at + 1}; }; `).join('')} f0`,
  ],
  ['pipes', (size) => 'a|'.repeat(size) + 'b'],
  ['here-documents', (size) => 'cat <<E\nx\nE\n'.repeat(size)],
  ['a long flag', (size) => `rm -${'r'.repeat(size)}`],
  ['aliases', (size) => `alias a='a a'; ${'a; '.repeat(size)}`],
  [
    'places to fill in',
    (size) => `echo ${'y'.repeat(size)} | xargs -I{} echo ${'{}'.repeat(size)}`,
  ],
  ['a patch', (size) => `apply_patch <<'E'\n${'*** Add File: a\n'.repeat(size)}E`],
  ['strings in a program', (size) => `python3 -c '${'os.system("a"); '.repeat(size)}'`],
  [
    'names that double in a program',
    (size) => `python3 -c 'a="xx"; ${'a=a+a;'.repeat(size)} os.system(a)'`,
  ],
  ['brackets in a program', (size) => `node -e 'exec(${'[('.repeat(size)}'`],
]

test('takes no more than its time, whatever grows', () => {
  const slow: string[] = []
  for (const [what, make] of TRAPS) {
    const text = make(20_000).slice(0, 250_000)
    const started = performance.now()
    bash(text)
    // A tenth of this is usual; what is not linear takes minutes.
    if (performance.now() - started > 4000) slow.push(what)
  }
  expect(slow).toEqual([])
})
