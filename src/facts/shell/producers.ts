/**
 * Commands whose output follows from their words and their input: `echo`, `printf`, `base64 -d`, `tr`, … → that output,
 * so that `echo cm0gLXJm… | base64 -d | sh` is read as what it runs. Neighbours: `handlers.ts` lists them. Nothing
 * is run; what is not known stays unknown.
 */
import { MAX_TEXT } from '../findings.ts'
import { escapeText, formatText } from './escapes.ts'
import { SILENCE, UNKNOWN, toStream, type Call, type Handler, type Stream } from './machine.ts'
import { hasOption, splitLeading, splitWords, valueOf } from './options.ts'

/** No output of ours grows over this. */
const MAX_OUTPUT = MAX_TEXT

const echo: Handler = (_, { words }) => {
  let at = 0
  while (/^-[neE]+$/.test(words[at]?.text ?? '')) at++
  const flags = words
    .slice(0, at)
    .map(({ text }) => text)
    .join('')
  const said = words.slice(at)
  const text = said.map((word) => word.text).join(' ')
  return {
    text: (flags.includes('e') ? escapeText(text) : text) + (flags.includes('n') ? '' : '\n'),
    isKnown: said.every(({ isKnown }) => isKnown),
    from: said.flatMap(({ from }) => from),
  }
}

const printf: Handler = (machine, { words }) => {
  const isTo = words[0]?.text === '-v'
  const [format, ...values] = isTo
    ? words.slice(2)
    : words[0]?.text === '--'
      ? words.slice(1)
      : words
  if (format === undefined) return SILENCE
  const text = formatText(
    format.text,
    values.map((value) => value.text),
    MAX_OUTPUT,
  )
  const all = [format, ...values]
  const said: Stream = {
    text,
    isKnown: text !== undefined && all.every(({ isKnown }) => isKnown),
    from: all.flatMap(({ from }) => from),
  }
  if (!isTo) return said
  const name = words[1]?.text ?? ''
  machine.scope.assign(name, [
    [
      {
        text: text ?? '',
        isKnown: said.isKnown,
        startsKnown: true,
        isGlob: false,
        from: said.from,
      },
    ],
  ])
  return SILENCE
}

const cat: Handler = (machine, call) => {
  const files = splitWords(call.words, {}).operands
  // Who is before it in the pipe is known there.
  if (files.length === 0) return { ...(call.stdin ?? UNKNOWN), from: [] }
  const contents = files.map(({ text }) =>
    text === '-'
      ? call.stdin
      : machine.scope.contentOf(
          text.startsWith('<(') ? text : (machine.scope.resolve(text)[0] ?? ''),
        ),
  )
  const length = contents.reduce((sum, content) => sum + (content?.text?.length ?? Infinity), 0)
  if (length > MAX_OUTPUT)
    return { ...UNKNOWN, from: contents.flatMap((content) => content?.from ?? []) }
  return {
    text: contents.map((content) => content?.text ?? '').join(''),
    isKnown: contents.every((content) => content?.isKnown === true),
    from: contents.flatMap((content) => content?.from ?? []),
  }
}

const tee: Handler = (machine, call) => {
  const said = call.stdin ?? UNKNOWN
  const onward = { ...said, from: [] }
  for (const { text } of splitWords(call.words, {}).operands)
    for (const path of machine.scope.resolve(text)) machine.scope.write(path, said)
  return onward
}

/** A change of what comes in, or of a file that the script has written itself. */
const filter =
  (change: (text: string, call: Call) => string | undefined): Handler =>
  (machine, call) => {
    const input = call.stdin ?? inputFile(machine, call)
    if (input?.text === undefined || !input.isKnown)
      return call.stdin === undefined ? { ...UNKNOWN, from: input?.from ?? [] } : UNKNOWN
    const text = change(input.text, call)
    return text === undefined || text.length > MAX_OUTPUT ? UNKNOWN : toStream(text)
  }

const inputFile = (machine: Parameters<Handler>[0], { words }: Call): Stream | undefined => {
  const last = splitWords(words, {}).operands.at(-1)
  return last === undefined
    ? undefined
    : machine.scope.contentOf(machine.scope.resolve(last.text)[0] ?? '')
}

const base64 = filter((text, { words }) => {
  const split = splitLeading(words, { short: 'wi' })
  const isDecode = hasOption(split, '-d', '-D', '--decode', '-di', '--d')
  return isDecode ? decode(text, 'base64') : `${Buffer.from(text).toString('base64')}\n`
})

const openssl = filter((text, { words }) => {
  const said = words.map((word) => word.text)
  const isBase64 = said.includes('base64') || said.includes('-base64') || said.includes('-a')
  return isBase64 && said.includes('-d') ? decode(text, 'base64') : undefined
})

const xxd = filter((text, { words }) => {
  const flags = words.map((word) => word.text).join(' ')
  return /-\w*r/.test(flags) ? decode(text.replaceAll(/\s|0x/g, ''), 'hex') : undefined
})

const decode = (text: string, encoding: 'base64' | 'hex'): string =>
  Buffer.from(text.trim(), encoding).toString('utf8')

const base32 = filter((text, { words }) => {
  if (!/(?:^| )-\w*d|--decode/.test(words.map((word) => word.text).join(' '))) return undefined
  const bits = Array.from(text.toUpperCase().replaceAll(/[^A-Z2-7]/g, ''), (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes =
    bits
      .join('')
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? []
  return Buffer.from(bytes).toString('utf8')
})

const rev = filter((text) =>
  text
    .split('\n')
    .map((line) => Array.from(line).toReversed().join(''))
    .join('\n'),
)

const tac = filter((text) => `${text.replace(/\n$/, '').split('\n').toReversed().join('\n')}\n`)

const tr = filter((text, { words }) => {
  const split = splitLeading(words, {})
  const [from, to] = split.operands.map((word) => toLetters(word.text))
  if (from === undefined || hasOption(split, '-c', '-C', '--complement')) return undefined
  if (hasOption(split, '-d', '--delete'))
    return Array.from(text)
      .filter((letter) => !from.includes(letter))
      .join('')
  if (to === undefined || to.length === 0) return undefined
  return Array.from(text)
    .map((letter) => {
      const at = from.lastIndexOf(letter)
      return at === -1 ? letter : (to[Math.min(at, to.length - 1)] ?? '')
    })
    .join('')
})

/** `a-z`, `[:upper:]`, `\n`. */
function toLetters(set: string): readonly string[] {
  const spelled = escapeText(
    set
      .slice(0, 400)
      .replaceAll('[:upper:]', 'A-Z')
      .replaceAll('[:lower:]', 'a-z')
      .replaceAll('[:digit:]', '0-9')
      .replaceAll('[:space:]', ' \t\n\r'),
  )
  const letters: string[] = []
  for (let at = 0; at < spelled.length; at++) {
    const first = spelled.charCodeAt(at)
    const last =
      spelled[at + 1] === '-' && at + 2 < spelled.length ? spelled.charCodeAt(at + 2) : first
    for (let code = first; code <= last && letters.length < 2000; code++)
      letters.push(String.fromCharCode(code))
    if (last !== first) at += 2
  }
  return letters
}

/** `s/a/b/` with plain texts; anything else is not followed. */
const sed = filter((text, { words }) => {
  const split = splitLeading(words, { short: 'efil', long: ['expression', 'file'] })
  const script = valueOf(split, '-e', '--expression')?.text ?? split.operands[0]?.text ?? ''
  const parts = /^s([/|#,:@])(.*)$/s.exec(script)
  const [from = '', to = '', flags = ''] = parts?.[2]?.split(parts[1] ?? '/') ?? []
  if (parts === null || from === '' || to.length > 100 || /[\\.*[\]^$&]/.test(from + to))
    return undefined
  const lines = text.split('\n')
  return lines
    .map((line) =>
      flags.includes('g') ? line.replaceAll(from, () => to) : line.replace(from, () => to),
    )
    .join('\n')
})

const cutLetters = filter((text, { words }) => {
  const range = valueOf(splitLeading(words, { short: 'cbdf' }), '-c', '-b')
  const ends = /^(\d*)(-?)(\d*)$/.exec(range?.text ?? 'x')
  if (ends === null) return undefined
  const first = Number(ends[1] || 1)
  const last = ends[2] === '' ? first : Number(ends[3] || 1e6)
  return text
    .split('\n')
    .map((line) => line.slice(first - 1, last))
    .join('\n')
})

const head = filter((text, { words }) => {
  const split = splitLeading(words, { short: 'nc', long: ['lines', 'bytes'] })
  const bytes = valueOf(split, '-c', '--bytes')
  const lines = Number(valueOf(split, '-n', '--lines')?.text ?? 10)
  return bytes === undefined
    ? text.split('\n').slice(0, lines).join('\n')
    : text.slice(0, Number(bytes.text))
})

const tail = filter((text, { words }) => {
  const split = splitLeading(words, { short: 'nc', long: ['lines', 'bytes'] })
  const bytes = valueOf(split, '-c', '--bytes')?.text
  if (bytes === undefined) return undefined
  return bytes.startsWith('+') ? text.slice(Number(bytes.slice(1)) - 1) : text.slice(-Number(bytes))
})

const pwd: Handler = ({ scope }) => {
  const [folder = '', ...others] = scope.folders()
  return others.length > 0 || folder === '' ? undefined : toStream(`${folder}\n`)
}

const basename: Handler = (_, { words }) => {
  const [first, ending] = splitWords(words, { short: 's' }).operands
  if (first === undefined || !first.isKnown) return undefined
  const name = first.text.slice(first.text.lastIndexOf('/') + 1)
  return toStream(
    `${ending !== undefined && name.endsWith(ending.text) ? name.slice(0, -ending.text.length) : name}\n`,
  )
}

export const PRODUCERS: readonly (readonly [string, Handler])[] = [
  ['echo', echo],
  ['printf', printf],
  ['cat', cat],
  ['tee', tee],
  ['base64', base64],
  ['gbase64', base64],
  ['base32', base32],
  ['openssl', openssl],
  ['xxd', xxd],
  ['rev', rev],
  ['tac', tac],
  ['tr', tr],
  ['sed', sed],
  ['cut', cutLetters],
  ['head', head],
  ['tail', tail],
  ['pwd', pwd],
  ['basename', basename],
]
